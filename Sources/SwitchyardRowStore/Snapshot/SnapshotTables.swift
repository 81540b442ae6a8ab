/// The tables of a snapshot while a transaction works on them: a copy, which the store commits if the transaction succeeds.
struct SnapshotTables: RowTables {
    /// The work so far.
    private(set) var snapshot: Snapshot
    private var savepoints: [Snapshot] = []

    init(_ snapshot: Snapshot) { self.snapshot = snapshot }

    var schema: Schema { snapshot.schema }
    var positions: [String: Int] { snapshot.positions }

    func row(_ id: RowID, in table: Int) -> [StoredValue]? { snapshot.tables[table].rows[id] }

    func forEachRow(
        in table: Int, _ direction: SortDirection, _ range: ClosedRange<RowID>,
        _ body: (RowID, [StoredValue]) throws -> Bool
    ) rethrows {
        // A copy of the rows, which may change meanwhile.
        let rows = snapshot.tables[table].rows
        try rows.forEach(direction, in: range) { try body($0.id, $0.values) }
    }

    func row(ofKey key: [StoredValue], inConstraint constraint: Int, in table: Int) -> RowID? {
        snapshot.tables[table].row(ofKey: key, inConstraint: constraint)
    }

    func rows(referringTo target: RowID, by column: Int, in table: Int) -> [RowID] {
        snapshot.tables[table].rows(referringTo: target, by: column)
    }

    mutating func insert(_ row: [StoredValue], in table: Int, rules: EntityRules) throws -> RowID {
        try snapshot.tables[table].insert(row, rules: rules)
    }

    mutating func replace(
        _ changes: [(old: [StoredValue], new: [StoredValue])], in table: Int, rules: EntityRules
    ) throws { try snapshot.tables[table].replace(changes, rules: rules) }

    mutating func remove(_ row: [StoredValue], in table: Int, rules: EntityRules) throws {
        try snapshot.tables[table].remove(row, rules: rules)
    }

    func marker() -> StoreMarker { snapshot.header.marker }
    mutating func setMarker(_ marker: StoreMarker) { snapshot.header.marker = marker }

    func contains(_ operation: OperationID) -> Bool { snapshot.header.operations.contains(operation) }

    mutating func record(_ operation: OperationID) throws { try snapshot.header.operations.record(operation) }

    func operations(after last: OperationID?, limit: Int) -> [CommittedOperation] {
        snapshot.header.operations.committed(after: last, limit: limit)
    }

    mutating func adopt(_ operations: [CommittedOperation]) { snapshot.header.operations.adopt(operations) }

    mutating func savepoint() { savepoints.append(snapshot) }
    mutating func release() { savepoints.removeLast() }
    mutating func rollback() { if let earlier = savepoints.popLast() { snapshot = earlier } }

    func drafts(for changes: [TableChange], in schema: Schema) -> SnapshotTables {
        SnapshotTables(snapshot.beside(changes, in: schema))
    }

    mutating func change(
        _ changes: [TableChange], to newer: Schema, filled: SnapshotTables?, _ check: () throws -> Void
    ) throws -> Set<Int> {
        let (changed, positions) = try snapshot.changed(changes, to: newer, filled?.snapshot, check)
        snapshot = changed
        return positions
    }
}
