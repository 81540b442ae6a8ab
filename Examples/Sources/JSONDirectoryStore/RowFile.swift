internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// The file of an entity's rows: a JSON array with one row on each line, by the names of the columns.
///
/// ```json
/// [
/// {"id":{"uuid":"0198…"},"millilitres":{"double":"120.0"},"start":{"timestamp":"1773910800000000"}},
/// {"id":{"uuid":"0198…"},"start":{"timestamp":"1773925200000000"}}
/// ]
/// ```
///
/// A value is written as `StoredValue` encodes itself, which keeps every bit; nil is left out. Folded copies
/// are not written, since they can be made again.
enum RowFile {
    /// The file of a table.
    static func data(_ table: Table, of entity: Entity) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var lines: [String] = []
        try table.forEach { row in
            let values = zip(entity.attributes, row).filter { !$1.isNull }.map { ($0.column, $1) }
            let line = try encoder.encode(Dictionary(values, uniquingKeysWith: { first, _ in first }))
            lines.append(String(decoding: line, as: UTF8.self))
            return true
        }
        return Data(("[\n" + lines.joined(separator: ",\n") + "\n]\n").utf8)
    }

    /// The table in a file.
    ///
    /// - Throws: `corrupted`, naming the row and the attribute where that is possible.
    static func table(_ data: Data, of entity: Entity, schema: Schema) throws -> Table {
        let objects: [[String: StoredValue]]
        do {
            objects = try JSONDecoder().decode([[String: StoredValue]].self, from: data)
        } catch {
            throw damaged(data, of: entity, underlying: error)
        }
        let rules = try RowRules(entity, schema: schema)
        var table = Table(entity)
        do {
            try table.replace(
                [], with: objects.enumerated().map { try row($1, number: $0, of: entity) }, rules)
        } catch let error as StoreError where error.code == .unique {
            throw StoreError(
                .corrupted, "The file of rows has two that may not be together. \(error.message)",
                entity: entity.name, attribute: error.attribute, constraint: error.constraint)
        }
        return table
    }

    private static func row(
        _ object: [String: StoredValue], number: Int, of entity: Entity
    ) throws -> [StoredValue] {
        var place = "number \(number + 1)"
        if case .uuid(let id) = object[entity.attributes[0].column] { place = id.uuidString.lowercased() }
        func corrupted(_ what: String, _ attribute: String?) -> StoreError {
            StoreError(
                .corrupted, "The file of rows holds \(what) in the row \(place).", entity: entity.name,
                attribute: attribute)
        }
        let columns = entity.attributes.map(\.column)
        if let stranger = object.keys.first(where: { !columns.contains($0) }) {
            throw corrupted("a value for `\(stranger)`, which is no column,", nil)
        }
        var writer = RowWriter(context: entity.rowContext)
        for attribute in entity.attributes {
            let value = object[attribute.column] ?? .null
            guard value.type == attribute.type || (value.isNull && attribute.isOptional) else {
                throw corrupted(
                    "\(value.type.map { "a value of type \($0)" } ?? "no value") where one of type \(attribute.type) "
                        + "belongs", attribute.name)
            }
            do {
                try writer.write(value)
            } catch let error as StoreError {
                throw corrupted("what cannot be stored (\(error.message))", attribute.name)
            }
        }
        let row = try writer.storedValues(of: entity)
        return row + zip(entity.attributes, row).filter(\.0.isSearchable).map(\.1.folded)
    }

    /// The error for a file that is not an array of rows.
    private static func damaged(_ data: Data, of entity: Entity, underlying: any Error) -> StoreError {
        let column =
            switch underlying as? DecodingError {
            case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
                .keyNotFound(_, let context):
                context.codingPath.dropFirst().first?.stringValue
            default: nil as String?
            }
        return StoreError(
            .corrupted,
            "The file of rows is damaged. Bring it back from a backup, or put it right; nothing was changed.",
            entity: entity.name,
            attribute: entity.attributes.first { $0.column == column ?? columnNotUTF8(data) }?.name,
            underlying: underlying)
    }

    /// The first column whose text is no UTF-8; nil if the whole file is.
    ///
    /// The decoder says only that the file is no JSON, so what it would not read is replaced and looked for.
    private static func columnNotUTF8(_ data: Data) -> String? {
        guard String(validating: data, as: UTF8.self) == nil else { return nil }
        let readable = Data(String(decoding: data, as: UTF8.self).utf8)
        let objects = try? JSONDecoder().decode([[String: StoredValue]].self, from: readable)
        for (column, value) in (objects ?? []).joined() {
            if case .text(let text) = value, text.unicodeScalars.contains("\u{FFFD}") { return column }
        }
        return nil
    }
}
