/// The rows whose references must be checked when a transaction ends.
struct ReferenceCheck: Sendable {
    /// The rows by the position of their table.
    private var written: [Int: Set<RowID>] = [:]
    private var deleted: [Int: Set<RowID>] = [:]

    var isEmpty: Bool { written.isEmpty && deleted.isEmpty }

    /// Records a written row of a table that has references.
    mutating func wrote(_ id: RowID, inTable position: Int) { written[position, default: []].insert(id) }

    mutating func deleted(_ id: RowID, inTable position: Int) { deleted[position, default: []].insert(id) }

    /// Checks that every reference points to an existing row.
    ///
    /// - Throws: `foreignKey`.
    /// - Complexity: O(rows written and deleted).
    func verify(_ tables: some RowTables) throws {
        guard !isEmpty else { return }
        for (position, source) in tables.schema.tables.enumerated() {
            for (column, attribute) in source.attributes.enumerated() {
                guard let name = attribute.reference else { continue }
                let place = try tables.position(ofTable: tables.schema.require(name).table)
                for id in written[position, default: []] {
                    guard let values = try tables.row(id, in: position), let reference = RowID(values[column])
                    else { continue }
                    guard try tables.row(reference, in: place) != nil else {
                        throw StoreError.danglingReference(attribute, of: source)
                    }
                }
                for id in deleted[place, default: []] where try tables.row(id, in: place) == nil {
                    guard try tables.rows(referringTo: id, by: column, in: position).isEmpty else {
                        throw StoreError.danglingReference(attribute, of: source)
                    }
                }
            }
        }
    }
}
