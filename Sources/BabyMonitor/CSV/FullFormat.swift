internal import Foundation
internal import Switchyard
internal import SwitchyardCSV

/// The columns of a full file: every attribute of the entity, and behind them those of the row's baby.
///
/// Each row carries its baby, as `profile.name` and so on, so that a file can be imported into an empty store
/// and nothing is lost. Empty text is written in quotes, which tells it from no value.
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

extension CSVRow {
    /// The value of an attribute in a cell.
    ///
    /// - Throws: `InvalidCell` if it cannot be one.
    func value(of attribute: Attribute, at index: Int, column: String) throws(InvalidCell) -> StoredValue {
        guard let value = try? storedValue(at: index, of: attribute) else {
            throw InvalidCell(column, bytes(at: index))
        }
        return value
    }
}
