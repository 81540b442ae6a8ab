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

    /// Whether rows of the table can refer to others.
    var hasReferences: Bool { !references.isEmpty }

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

    /// The ids of the rows whose reference in a column points to one of the targets, ascending; nil if the column is
    /// not a reference.
    ///
    /// - Complexity: O(targets + r log r) for r rows found.
    func rows(referringTo targets: some Sequence<RowID>, by column: Int) -> [RowID]? {
        references.firstIndex(of: column).map { index in
            targets.flatMap { referrers[index][$0].map(Array.init) ?? [] }.sorted()
        }
    }

    /// Whether any row refers to the target by the reference in a column.
    func refers(to target: RowID, by column: Int) -> Bool {
        references.firstIndex(of: column).map { referrers[$0][target] != nil } ?? false
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

    /// The row that has the same values as another one in the attributes of a key.
    func row(
        sharing key: UniqueKey, with values: [StoredValue], rules: EntityRules
    ) throws -> [StoredValue]? {
        switch key {
        case .id: rows[try rules.rowID(of: values)]
        case .constraint(let index):
            try rules.unique[index].key(of: values).flatMap { keys[index][$0] }.flatMap { rows[$0] }
        }
    }
}

/// Attributes that no two rows have the same values of.
enum UniqueKey {
    /// The id.
    case id
    /// A unique constraint over all rows, by its position among the entity's.
    case constraint(Int)
}

extension EntityRules {
    /// The unique key with the given attributes.
    ///
    /// - Throws: `unsupported` if the entity has no such key.
    func uniqueKey(_ attributes: [String]) throws -> UniqueKey {
        if attributes == ["id"] { return .id }
        let index = unique.firstIndex {
            $0.constraint.filter == nil && Set($0.constraint.attributes) == Set(attributes)
        }
        guard let index else {
            throw StoreError(
                .unsupported, "(\(attributes.joined(separator: ", "))) is not a unique key.",
                entity: entity.name
            )
        }
        return .constraint(index)
    }
}
