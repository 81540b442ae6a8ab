internal import HashTreeCollections
internal import SwitchyardCore

/// The rows of one entity, and for each unique constraint which row has which key.
///
/// A row has the layout in which drivers get it: the attributes in order, then the folded copy of each
/// searchable one.
struct Table: Sendable {
    private(set) var rows = SortedRows()
    /// One for each unique constraint of the entity, in order.
    private var keys: [TreeDictionary<[StoredValue], RowID>]

    init(_ entity: Entity) {
        keys = entity.uniqueConstraints.map { _ in [:] }
    }

    /// Adds a row.
    ///
    /// - Throws: `notNull`, `check` or `unique`.
    mutating func insert(_ values: [StoredValue], rules: RowRules) throws {
        try rules.check(values)
        let id = try rules.rowID(of: values)
        guard rows[id] == nil else { throw StoreError.duplicateID(in: rules.entity) }
        for (index, rule) in rules.unique.enumerated() {
            guard let key = try rule.key(of: values) else { continue }
            guard keys[index].updateValue(id, forKey: key) == nil else {
                throw StoreError.duplicate(rule.constraint, in: rules.entity)
            }
        }
        rows.set(values, for: id)
    }

    /// Replaces rows all at once, so that only what is left at the end can be a duplicate.
    ///
    /// - Throws: `notNull`, `check` or `unique`.
    mutating func replace(_ changes: [(old: [StoredValue], new: [StoredValue])], rules: RowRules) throws {
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
        for change in changes { rows.set(change.new, for: try rules.rowID(of: change.new)) }
    }

    /// Removes a row that is there.
    mutating func remove(_ values: [StoredValue], rules: RowRules) throws {
        for (index, rule) in rules.unique.enumerated() {
            if let key = try rule.key(of: values) { keys[index][key] = nil }
        }
        rows.remove(try rules.rowID(of: values))
    }

    /// The row that has a key of a unique constraint.
    func row(ofKey key: [StoredValue], inConstraint index: Int) -> RowID? { keys[index][key] }
}
