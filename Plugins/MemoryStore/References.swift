internal import SwitchyardCore

/// The rows of a transaction whose references must be looked at when it ends.
struct References: Sendable {
    private var written: [String: Set<RowID>] = [:]
    private var deleted: [String: Set<RowID>] = [:]

    mutating func wrote(_ id: RowID, of entity: Entity) {
        if entity.attributes.contains(where: { $0.reference != nil }) {
            written[entity.table, default: []].insert(id)
        }
    }

    mutating func deleted(_ id: RowID, of entity: Entity) { deleted[entity.table, default: []].insert(id) }

    /// Checks that every reference points at a row.
    ///
    /// - Throws: `foreignKey`.
    /// - Complexity: O(rows written and deleted).
    func check(_ state: MemoryState, schema: Schema) throws {
        for source in schema.entities {
            let table = try state.table(source)
            for (column, attribute) in source.attributes.enumerated() {
                guard let name = attribute.reference else { continue }
                let entity = try schema.require(name)
                let target = try state.table(entity)
                func requirePresent(_ values: [StoredValue]) throws {
                    guard let id = RowID(values[column]), target.rows[id] == nil else { return }
                    throw StoreError.danglingReference(attribute, of: source)
                }
                for id in written[source.table, default: []] {
                    if let values = table.rows[id] { try requirePresent(values) }
                }
                for id in deleted[entity.table, default: []]
                where target.rows[id] == nil && table.refers(to: id, by: column) {
                    throw StoreError.danglingReference(attribute, of: source)
                }
            }
        }
    }
}
