/// The rows of one transaction by table, with what the rules of their entities need: unique keys and references.
///
/// A table is named by its position among `Schema.tables`. A row has the layout that drivers receive: the attributes in
/// order, then the folded copy of each searchable one.
protocol RowTables {
    /// The schema of the tables.
    var schema: Schema { get }
    /// The positions of the tables that can be found, by name.
    var positions: [String: Int] { get }

    /// The row of an id.
    func row(_ id: RowID, in table: Int) throws -> [StoredValue]?
    /// Calls the body with each row whose id is in a range, in the order of the ids or the other way round, until it returns
    /// false.
    func forEachRow(
        in table: Int, _ direction: SortDirection, _ range: ClosedRange<RowID>,
        _ body: (RowID, [StoredValue]) throws -> Bool
    ) throws
    /// The row that has a key of a unique constraint.
    func row(ofKey key: [StoredValue], inConstraint constraint: Int, in table: Int) throws -> RowID?
    /// The rows whose reference in a column points to the target, ascending.
    func rows(referringTo target: RowID, by column: Int, in table: Int) throws -> [RowID]

    /// Adds a row.
    ///
    /// - Throws: `notNull`, `check` or `unique`.
    mutating func insert(_ row: [StoredValue], in table: Int, rules: EntityRules) throws -> RowID
    /// Replaces rows all at once, so that duplicates are only looked for in the final result.
    ///
    /// - Throws: `notNull`, `check` or `unique`.
    mutating func replace(
        _ changes: [(old: [StoredValue], new: [StoredValue])], in table: Int, rules: EntityRules
    ) throws
    /// Removes an existing row.
    mutating func remove(_ row: [StoredValue], in table: Int, rules: EntityRules) throws

    /// The store's marker.
    func marker() throws -> StoreMarker
    mutating func setMarker(_ marker: StoreMarker) throws
    /// Whether the write with an id was committed.
    func contains(_ operation: OperationID) throws -> Bool
    /// Records the id of a write.
    ///
    /// - Throws: `duplicateOperation`.
    mutating func record(_ operation: OperationID) throws
    /// The ids that follow another one, in ascending order.
    func operations(after last: OperationID?, limit: Int) throws -> [CommittedOperation]
    mutating func adopt(_ operations: [CommittedOperation]) throws

    mutating func savepoint() throws
    mutating func release() throws
    mutating func rollback() throws

    /// The tables in which the rows of new tables are written, beside those that stay as they are: those of
    /// `Schema.whileFilling`.
    func drafts(for changes: [TableChange], in schema: Schema) throws -> Self
    /// Makes the tables those of another schema.
    ///
    /// - Parameters:
    ///   - changes: What becomes of each table; the others stay as they are.
    ///   - newer: The other schema.
    ///   - filled: Has the rows of the new tables; nil if they are empty.
    ///   - check: Is called for each row, and throws if the work is to end.
    /// - Returns: The positions of the tables that are not as they were.
    /// - Throws: `unique`, `notNull` or `check` if the rows do not fit.
    mutating func change(
        _ changes: [TableChange], to newer: Schema, filled: Self?, _ check: () throws -> Void
    ) throws -> Set<Int>
}

extension RowTables {
    /// The position of a table.
    ///
    /// - Throws: `schemaMismatch` if the schema has no table of that name.
    func position(ofTable table: String) throws -> Int {
        guard let position = positions[table] else {
            throw StoreError(.schemaMismatch, "The store has no table \(table).", entity: table)
        }
        return position
    }

    /// The row that has the same values as another one in the attributes of a key.
    func row(
        sharing key: UniqueKey, with values: [StoredValue], in table: Int, rules: EntityRules
    ) throws -> [StoredValue]? {
        switch key {
        case .id: return try row(try rules.rowID(of: values), in: table)
        case .constraint(let index):
            guard let key = try rules.unique[index].key(of: values),
                let id = try row(ofKey: key, inConstraint: index, in: table)
            else { return nil }
            return try row(id, in: table)
        }
    }

    /// One sentence for each fault of the rows: values that the schema does not allow, keys that do not lead to their row, and
    /// dangling references.
    ///
    /// - Complexity: O(rows).
    func faults() throws -> [String] {
        var faults: [String] = []
        for (position, entity) in schema.tables.enumerated() {
            let rules = try EntityRules(entity, schema: schema)
            var references = ReferenceCheck()
            try forEachRow(in: position, .ascending, .all) { id, row in
                do {
                    try rules.check(row)
                    try checkKeys(of: row, id, in: position, rules)
                } catch { faults.append("\(error)") }
                references.wrote(id, inTable: position)
                return true
            }
            do { try references.verify(self) } catch { faults.append("\(error)") }
        }
        return faults
    }

    /// Checks that the unique keys of a row lead to it.
    ///
    /// - Throws: `unique` if a key leads to another row; `corrupted` if one leads nowhere, so that a second row could have it.
    private func checkKeys(of row: [StoredValue], _ id: RowID, in table: Int, _ rules: EntityRules) throws {
        for (index, rule) in rules.unique.enumerated() {
            guard let key = try rule.key(of: row) else { continue }
            guard let found = try self.row(ofKey: key, inConstraint: index, in: table) else {
                throw StoreError(
                    .corrupted,
                    "A row is not found by its unique key. Copy the store into a new one, which makes the keys anew.",
                    entity: rules.entity.name, constraint: rule.constraint.name(in: rules.entity))
            }
            guard found == id else { throw StoreError.duplicate(rule.constraint, in: rules.entity) }
        }
    }
}
