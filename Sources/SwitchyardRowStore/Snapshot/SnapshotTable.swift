internal import HashTreeCollections

/// The rows of one entity, with an index for each unique constraint and for each reference.
///
/// A row has the layout that drivers receive: the attributes in order, then the folded copy of each searchable one.
struct SnapshotTable: Sendable {
    private(set) var rows = SortedRows()
    /// For each unique constraint of the entity, in order, the row that has each key.
    private var keys: [TreeDictionary<[StoredValue], RowID>]
    /// The columns of the references.
    private let references: [Int]
    /// For each reference in order, the rows that refer to each row of another entity, or of this one.
    private var referrers: [TreeDictionary<RowID, TreeSet<RowID>>]

    init(_ entity: Entity) {
        keys = entity.uniqueConstraints.map { _ in [:] }
        references = entity.attributes.indices.filter { entity.attributes[$0].reference != nil }
        referrers = references.map { _ in [:] }
    }

    /// Adds a row.
    ///
    /// - Returns: Its id.
    /// - Throws: `notNull`, `check` or `unique`.
    mutating func insert(_ values: [StoredValue], rules: EntityRules) throws -> RowID {
        try rules.check(values)
        return try add(values, rules: rules)
    }

    /// Adds a row without checking that the schema allows its values.
    ///
    /// - Returns: Its id.
    /// - Throws: `unique`.
    @discardableResult
    mutating func add(_ values: [StoredValue], rules: EntityRules) throws -> RowID {
        let id = try rules.rowID(of: values)
        guard rows[id] == nil else { throw StoreError.duplicateID(in: rules.entity) }
        for (index, rule) in rules.unique.enumerated() {
            guard let key = try rule.key(of: values) else { continue }
            guard keys[index].updateValue(id, forKey: key) == nil else {
                throw StoreError.duplicate(rule.constraint, in: rules.entity)
            }
        }
        rows.set(values, for: id)
        addReferences(of: values, id)
        return id
    }

    /// Replaces rows all at once, so that duplicates are only looked for in the final result.
    ///
    /// - Throws: `notNull`, `check` or `unique`.
    mutating func replace(_ changes: [(old: [StoredValue], new: [StoredValue])], rules: EntityRules) throws {
        for change in changes { try rules.check(change.new) }
        for (index, rule) in rules.unique.enumerated() {
            for change in changes {
                if let key = try rule.key(of: change.old) { keys[index][key] = nil }
            }
            for change in changes {
                guard let key = try rule.key(of: change.new) else { continue }
                let id = try rules.rowID(of: change.new)
                guard keys[index].updateValue(id, forKey: key) == nil else {
                    throw StoreError.duplicate(rule.constraint, in: rules.entity)
                }
            }
        }
        for change in changes {
            let id = try rules.rowID(of: change.new)
            rows.set(change.new, for: id)
            removeReferences(of: change.old, id)
            addReferences(of: change.new, id)
        }
    }

    /// Removes an existing row.
    mutating func remove(_ values: [StoredValue], rules: EntityRules) throws {
        for (index, rule) in rules.unique.enumerated() {
            if let key = try rule.key(of: values) { keys[index][key] = nil }
        }
        let id = try rules.rowID(of: values)
        rows.remove(id)
        removeReferences(of: values, id)
    }

    /// The ids of the rows whose reference in a column points to the target, ascending.
    ///
    /// - Complexity: O(r log r) for r rows found.
    func rows(referringTo target: RowID, by column: Int) -> [RowID] {
        guard let index = references.firstIndex(of: column), let ids = referrers[index][target] else {
            return []
        }
        return ids.sorted()
    }

    private mutating func addReferences(of values: [StoredValue], _ id: RowID) {
        for (index, column) in references.enumerated() {
            guard let target = RowID(values[column]) else { continue }
            referrers[index][target, default: []].insert(id)
        }
    }

    private mutating func removeReferences(of values: [StoredValue], _ id: RowID) {
        for (index, column) in references.enumerated() {
            guard let target = RowID(values[column]) else { continue }
            referrers[index][target]?.remove(id)
            if referrers[index][target]?.isEmpty == true { referrers[index][target] = nil }
        }
    }

    /// The row that has a key of a unique constraint.
    func row(ofKey key: [StoredValue], inConstraint index: Int) -> RowID? { keys[index][key] }
}
