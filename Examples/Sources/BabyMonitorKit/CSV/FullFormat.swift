internal import Foundation
internal import Switchyard
internal import SwitchyardCSV
internal import SwitchyardCore

/// The columns of a full file: every attribute of the entity, followed by those of the row's baby.
///
/// Each row includes its baby, as `profile.name` and so on, so that a file can be imported into an empty store
/// without loss. Empty text is quoted, which distinguishes it from null.
struct FullFormat {
    /// The entity of the rows.
    let entity: Entity
    /// The entity of the babies.
    let babyEntity: Entity
    /// The index of the baby reference among the attributes.
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

    /// The position of each column in a file.
    ///
    /// - Throws: `BabyMonitorError` with code `unknownFormat` if a column is missing or unknown, or the file is
    ///   of the other kind; `CSVError` with code `duplicateColumn`.
    func positions(in header: CSVRow, _ kind: HistoryCSVKind, _ schema: Schema) throws -> [Int] {
        let names = try CSVHeader(header)
        let (missing, unknown) = names.differences(from: columns)
        guard missing.isEmpty, unknown.isEmpty else {
            let other = names.differences(from: try FullFormat(kind.other, schema).columns)
            if other.missing.isEmpty, other.unknown.isEmpty { throw BabyMonitorError.otherKind(than: kind) }
            let faults =
                unknown.map { "\(Excerpt.of($0)) is unknown" } + missing.map { "\($0) is missing" }
            throw BabyMonitorError(
                .unknownFormat,
                "The file is not a full file of \(kind.rawValue): \(faults.prefix(5).joined(separator: ", "))"
                    + "\(faults.count > 5 ? ", and \(faults.count - 5) more" : ""). Nothing was imported.")
        }
        return columns.compactMap { names.index(of: $0) }
    }

    /// Whether a row is the header of a full file of either kind.
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
    /// - Throws: `InvalidCell` if the text is invalid or the number infinite, which no amount and no term is.
    func value(of attribute: Attribute, at index: Int, column: String) throws(InvalidCell) -> StoredValue {
        guard let value = try? storedValue(at: index, of: attribute) else {
            throw InvalidCell(column, bytes(at: index))
        }
        if case .double(let double) = value, !double.isFinite { throw InvalidCell(column, bytes(at: index)) }
        return value
    }
}
