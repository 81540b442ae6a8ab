/// The tables of a transaction on a ``RowStore``.
///
/// A row is the value of a key with the name of its table and its id. Each unique key of the row, as a digest, has a key that
/// leads to the id, and so has each row to which another one refers.
struct KeyValueTables: RowTables {
    let store: any RowStore
    var known: KeyValueSchema

    init(_ store: any RowStore, _ known: KeyValueSchema) { (self.store, self.known) = (store, known) }

    var schema: Schema { known.schema }
    var positions: [String: Int] { known.positions }

    func row(_ id: RowID, in table: Int) throws -> [StoredValue]? {
        try store.get(.row(id, in: known.tables[table])).map {
            try known.layouts[table].values(fromBytes: $0)
        }
    }

    func forEachRow(
        in table: Int, _ direction: SortDirection, _ range: ClosedRange<RowID>,
        _ body: (RowID, [StoredValue]) throws -> Bool
    ) throws {
        let (entity, layout) = (known.tables[table], known.layouts[table])
        let keys = ClosedKeyRange(.row(range.lowerBound, in: entity), .row(range.upperBound, in: entity))
        try store.scan(keys, direction) { key, value in
            try body(RowID(bytes: key.suffix(16)), try layout.values(fromBytes: value))
        }
    }

    func row(ofKey key: [StoredValue], inConstraint constraint: Int, in table: Int) throws -> RowID? {
        try store.get(.unique(key, constraint, in: known.tables[table])).map { try RowID(bytes: $0[...]) }
    }

    func rows(referringTo target: RowID, by column: Int, in table: Int) throws -> [RowID] {
        var ids: [RowID] = []
        let entity = known.tables[table]
        let keys = ClosedKeyRange(
            .reference(to: target, by: column, from: .least, in: entity),
            .reference(to: target, by: column, from: .greatest, in: entity))
        try store.scan(keys, .ascending) { key, _ in
            ids.append(try RowID(bytes: key.suffix(16)))
            return true
        }
        return ids
    }

    func insert(_ row: [StoredValue], in table: Int, rules: EntityRules) throws -> RowID {
        try rules.check(row)
        let (entity, id) = (known.tables[table], try rules.rowID(of: row))
        guard try store.get(.row(id, in: entity)) == nil else {
            throw StoreError.duplicateID(in: rules.entity)
        }
        try putKeys(of: row, id, entity, rules)
        try put(row, id, entity)
        return id
    }

    func replace(
        _ changes: [(old: [StoredValue], new: [StoredValue])], in table: Int, rules: EntityRules
    ) throws {
        let entity = known.tables[table]
        for change in changes { try rules.check(change.new) }
        for change in changes { try deleteKeys(of: change.old, entity, rules) }
        for change in changes {
            try putKeys(of: change.new, try rules.rowID(of: change.new), entity, rules)
        }
        for change in changes {
            let id = try rules.rowID(of: change.new)
            try deleteReferences(of: change.old, id, entity)
            try put(change.new, id, entity)
        }
    }

    func remove(_ row: [StoredValue], in table: Int, rules: EntityRules) throws {
        let (entity, id) = (known.tables[table], try rules.rowID(of: row))
        try deleteKeys(of: row, entity, rules)
        try deleteReferences(of: row, id, entity)
        try store.delete(.row(id, in: entity))
    }

    func put(_ row: [StoredValue], _ id: RowID, _ entity: Entity) throws {
        try store.put(try entity.bytes(of: row), for: .row(id, in: entity))
        for (column, target) in entity.targets(of: row) {
            try store.put([], for: .reference(to: target, by: column, from: id, in: entity))
        }
    }

    private func deleteReferences(of row: [StoredValue], _ id: RowID, _ entity: Entity) throws {
        for (column, target) in entity.targets(of: row) {
            try store.delete(.reference(to: target, by: column, from: id, in: entity))
        }
    }

    func putKeys(of row: [StoredValue], _ id: RowID, _ entity: Entity, _ rules: EntityRules) throws {
        for (index, rule) in rules.unique.enumerated() {
            guard let key = try rule.key(of: row) else { continue }
            let entry = [UInt8].unique(key, index, in: entity)
            guard try store.get(entry) == nil else {
                throw StoreError.duplicate(rule.constraint, in: rules.entity)
            }
            try store.put(id.bytes, for: entry)
        }
    }

    private func deleteKeys(of row: [StoredValue], _ entity: Entity, _ rules: EntityRules) throws {
        for (index, rule) in rules.unique.enumerated() {
            if let key = try rule.key(of: row) { try store.delete(.unique(key, index, in: entity)) }
        }
    }

    func savepoint() throws { try store.savepoint() }
    func release() throws { try store.release() }
    func rollback() throws { try store.rollback() }
}
