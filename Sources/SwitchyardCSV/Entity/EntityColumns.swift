public import SwitchyardCore

/// Which column of a file holds which attribute of an entity: the full format, in which every attribute has a
/// column of its name and nothing is lost.
public struct EntityColumns: Sendable {
    /// The entity.
    public let entity: Entity
    private let positions: [Int]
    private let extraPositions: [String: Int]

    /// Reads a header.
    ///
    /// - Parameters:
    ///   - header: The first row of the file; its columns may be in any order.
    ///   - entity: The entity.
    ///   - extras: Further columns that the file has.
    /// - Throws: `CSVError` with code `wrongColumns`, naming the columns that are missing or unknown.
    public init(_ header: CSVRow, of entity: Entity, extras: [String] = []) throws {
        let names = try CSVHeader(header)
        let wanted = entity.attributes.map(\.name) + extras
        let missing = wanted.filter { names.index(of: $0) == nil }
        let unknown = names.names.filter { name in !wanted.contains { $0.lowercased() == name.lowercased() } }
        guard missing.isEmpty, unknown.isEmpty else {
            let faults = [
                missing.isEmpty ? nil : "lacks \(missing.joined(separator: ", "))",
                unknown.isEmpty ? nil : "has \(unknown.count) columns that \(entity.name) does not have",
            ].compactMap(\.self).joined(separator: " and ")
            throw CSVError(
                .wrongColumns, "The header \(faults); the columns are: \(wanted.joined(separator: ", ")).",
                line: header.line, detail: unknown.joined(separator: ", "))
        }
        self.entity = entity
        positions = entity.attributes.compactMap { names.index(of: $0.name) }
        extraPositions = Dictionary(
            extras.compactMap { name in names.index(of: name).map { (name, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// The attributes' values of a row, in the entity's order.
    ///
    /// - Throws: `CSVError` with code `invalidValue`, naming line and column.
    public func values(of row: CSVRow) throws -> [StoredValue] {
        try zip(entity.attributes, positions).map { try row.storedValue(at: $1, of: $0) }
    }

    /// The text of a further column of a row.
    public func extra(_ name: String, of row: CSVRow) -> String {
        extraPositions[name].map { row.string(at: $0) } ?? ""
    }
}
