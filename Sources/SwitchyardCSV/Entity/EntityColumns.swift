internal import SwitchyardCore

/// Maps the columns of a file in the full format to the attributes of an entity.
struct EntityColumns {
    private let entity: Entity
    private let positions: [Int]

    /// Reads a header.
    ///
    /// - Parameters:
    ///   - header: The first row of the file; its columns may be in any order.
    ///   - entity: The entity.
    /// - Throws: `CSVError` with code `wrongColumns`, naming the columns that are missing or unknown.
    init(_ header: CSVRow, of entity: Entity) throws {
        let names = try CSVHeader(header)
        let wanted = entity.attributes.map(\.name)
        let (missing, unknown) = names.differences(from: wanted)
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
        positions = wanted.compactMap { names.index(of: $0) }
    }

    /// The attributes' values of a row, in the entity's order.
    ///
    /// - Throws: `CSVError` with code `invalidValue`, naming line and column, or `wrongFieldCount`.
    func values(of row: CSVRow) throws -> [StoredValue] {
        guard row.count == positions.count else {
            throw CSVError(
                .wrongFieldCount,
                "The row has \(row.count) fields, the header \(positions.count). Is a comma missing, or not quoted?",
                line: row.line)
        }
        return try zip(entity.attributes, positions).map { try row.storedValue(at: $1, of: $0) }
    }
}
