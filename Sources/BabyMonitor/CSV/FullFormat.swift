internal import Foundation
internal import Switchyard
internal import SwitchyardCSV

/// The columns of a full file: every attribute of the entity, and behind them those of the row's baby.
///
/// Each row carries its baby, as `profile.name` and so on, so that a file can be imported into an empty store and
/// nothing is lost. Empty text is written in quotes, which tells it from no value.
struct FullFormat {
    /// The entity of the rows.
    let entity: Entity
    /// The entity of the babies.
    let babyEntity: Entity
    /// The position of the reference to the baby among the attributes.
    let profile: Int
    /// The attribute by which rows are sorted.
    let timeAttribute: String

    init(_ kind: HistoryCSVKind, _ schema: Schema) throws {
        entity = try schema.require(kind == .feeds ? FeedSession.entityName : DiaperChange.entityName)
        babyEntity = try schema.require(BabyProfile.entityName)
        profile = try entity.position(of: "profile")
        timeAttribute = kind == .feeds ? FeedSession.timeAttribute : DiaperChange.timeAttribute
    }

    /// The names of the columns, in order.
    var columns: [String] {
        entity.attributes.map(\.name) + babyEntity.attributes.dropFirst().map { "profile.\($0.name)" }
    }

    /// Whether a row is the header of a full file, of whatever kind.
    static func isHeader(_ row: CSVRow) -> Bool {
        let names = Set(
            (0..<row.count).map { String(decoding: row.trimmedBytes(at: $0), as: UTF8.self).lowercased() })
        return names.isSuperset(of: ["id", "profile"])
    }
}

extension Entity {
    /// The position of an attribute.
    fileprivate func position(of attribute: String) throws -> Int {
        guard let position = attributes.firstIndex(where: { $0.name == attribute }) else {
            throw StoreError(.schemaMismatch, "The store's entity has no \(attribute).", entity: name)
        }
        return position
    }
}

extension CSVWriter {
    /// Writes a value so that `CSVRow.value(of:at:column:)` reads the same one.
    mutating func write(_ value: StoredValue) throws {
        switch value {
        case .null: try writeNull()
        case .bool(let value): try write(value ? "true" : "false")
        case .int(let value): try write(value)
        case .double(let value): try write(value)
        case .text(let value), .json(let value): try write(value)
        case .uuid(let value): try write(value)
        case .timestamp(let value): try write(microseconds: value, precision: .exact)
        case .day(let value): try write(value.description)
        case .decimal, .blob:
            throw StoreError(.unsupported, "A full file of the history holds no decimals and no blobs.")
        }
    }
}

extension CSVRow {
    /// The value of an attribute in a cell.
    ///
    /// - Throws: `InvalidCell` if it cannot be one.
    func value(of attribute: Attribute, at index: Int, column: String) throws(InvalidCell) -> StoredValue {
        let bytes = bytes(at: index)
        if bytes.isEmpty, !isQuoted(at: index) {
            guard attribute.isOptional else { throw InvalidCell(column, bytes) }
            return .null
        }
        let value: StoredValue? =
            switch attribute.type {
            case .bool: ["true": .bool(true), "false": .bool(false)][string(at: index)]
            case .int: NumberText.integer(bytes).map { .int($0) }
            case .double: NumberText.double(bytes).map { .double($0) }
            case .text: .text(string(at: index))
            case .json: .json(string(at: index))
            case .uuid: UUIDText.uuid(bytes).map { .uuid($0) }
            case .timestamp: ISO8601.microseconds(bytes).map { .timestamp($0) }
            case .day: CalendarDay(string(at: index)).map { .day($0) }
            case .decimal, .blob: nil
            }
        guard let value, attribute.cases?.contains(value) ?? true else { throw InvalidCell(column, bytes) }
        return value
    }
}
