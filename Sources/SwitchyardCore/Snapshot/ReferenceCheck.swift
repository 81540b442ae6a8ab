/// The rows whose references must be checked when a transaction ends.
struct ReferenceCheck: Sendable {
    /// The rows by the position of their table.
    private var written: [Int: Set<RowID>] = [:]
    private var deleted: [Int: Set<RowID>] = [:]

    /// Records a written row of a table that has references.
    mutating func wrote(_ id: RowID, inTable position: Int) { written[position, default: []].insert(id) }

    mutating func deleted(_ id: RowID, inTable position: Int) { deleted[position, default: []].insert(id) }

    /// Checks that every reference points to an existing row.
    ///
    /// - Throws: `foreignKey`.
    /// - Complexity: O(rows written and deleted).
    func verify(_ snapshot: Snapshot) throws {
        guard !written.isEmpty || !deleted.isEmpty else { return }
        for (position, source) in snapshot.schema.tables.enumerated() {
            let table = snapshot.tables[position]
            for (column, attribute) in source.attributes.enumerated() {
                guard let name = attribute.reference else { continue }
                let place = try snapshot.position(ofTable: snapshot.schema.require(name).table)
                let target = snapshot.tables[place].rows
                for id in written[position, default: []] {
                    guard let values = table.rows[id], let reference = RowID(values[column]) else { continue }
                    guard target[reference] != nil else {
                        throw StoreError.danglingReference(attribute, of: source)
                    }
                }
                for id in deleted[place, default: []]
                where target[id] == nil && table.refers(to: id, by: column) {
                    throw StoreError.danglingReference(attribute, of: source)
                }
            }
        }
    }
}
