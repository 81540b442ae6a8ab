internal import Foundation
internal import SwitchyardCore

/// The file of a table's rows: a JSON array with one row on each line, by the names of the columns.
///
/// ```json
/// [
/// {"id":{"uuid":"0198…"},"millilitres":{"double":"120.0"},"start":{"timestamp":"1773910800000000"}},
/// {"id":{"uuid":"0198…"},"start":{"timestamp":"1773925200000000"}}
/// ]
/// ```
///
/// A value is written as `StoredValue` encodes itself, which keeps every bit; nil is left out.
enum RowFile {
    private typealias Rows = [[String: StoredValue]]

    /// The file of a table.
    static func data(of snapshot: Snapshot, table: String) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var lines: [String] = []
        try snapshot.forEachRow(inTable: table) { row in
            lines.append(String(decoding: try encoder.encode(row), as: UTF8.self))
        }
        return Data(("[\n" + lines.joined(separator: ",\n") + "\n]\n").utf8)
    }

    /// Reads the file of a table into a snapshot.
    ///
    /// - Throws: `corrupted`, naming the row and the attribute where that is possible.
    static func read(_ data: Data, into snapshot: inout Snapshot, table: String) throws {
        let rows: Rows
        do {
            rows = try JSONDecoder().decode(Rows.self, from: data)
        } catch {
            var damage = StoreError(
                .corrupted,
                "The file of rows is damaged. Bring it back from a backup, or put it right; nothing was changed.",
                underlying: error)
            let entity = snapshot.schema.entity(inTable: table)
            let column = columnNotUTF8(data) ?? unreadableColumn(in: error)
            damage.entity = entity?.name
            damage.attribute = entity?.attributes.first { $0.column == column }?.name
            throw damage
        }
        try snapshot.setRows(rows, inTable: table)
    }

    /// The column that the decoder could not read; nil if it does not say.
    private static func unreadableColumn(in error: any Error) -> String? {
        switch error as? DecodingError {
        case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context):
            context.codingPath.dropFirst().first?.stringValue
        default: nil
        }
    }

    /// The first column whose text is no UTF-8; nil if the whole file is.
    ///
    /// The decoder says only that the file is no JSON, so what it would not read is replaced and looked for.
    private static func columnNotUTF8(_ data: Data) -> String? {
        guard String(validating: data, as: UTF8.self) == nil else { return nil }
        let readable = Data(String(decoding: data, as: UTF8.self).utf8)
        let rows = try? JSONDecoder().decode(Rows.self, from: readable)
        for (column, value) in (rows ?? []).joined() {
            if case .text(let text) = value, text.unicodeScalars.contains("\u{FFFD}") { return column }
        }
        return nil
    }
}
