public import Foundation

/// A driver that passes each operation on to another one.
///
/// Subclass it to observe, record or change what a transaction does, and override the operations that matter. The others,
/// and the capabilities, remain those of the wrapped driver.
open class InterceptingDriver: TransactionDriver, StoreMaintenance, DoubtfulRowSelecting, HistoryAppending,
    SelectionInserting, TableInspecting
{
    /// The driver that is wrapped.
    public let base: any TransactionDriver

    /// Wraps a driver.
    public init(_ base: any TransactionDriver) { self.base = base }

    /// The scopes of the wrapped driver.
    public final var scopes: [StoreScope] { base.scopes }

    /// Calls `select(_:onlyDoubtful:_:)`.
    public final func select(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws {
        try select(selection, onlyDoubtful: false, body)
    }

    /// Calls `select(_:onlyDoubtful:_:)`.
    public final func selectDoubtful(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws
    {
        try select(selection, onlyDoubtful: true, body)
    }

    /// Runs every selection: override it to see them all.
    ///
    /// - Parameters:
    ///   - selection: The selection.
    ///   - onlyDoubtful: Whether rows may be left out as `DoubtfulRowSelecting` says.
    ///   - body: Receives each row, until it returns false.
    /// - Throws: As `TransactionDriver` says.
    open func select(
        _ selection: Selection, onlyDoubtful: Bool, _ body: (inout RowReader) throws -> Bool
    ) throws {
        onlyDoubtful
            ? try base.select(selection, onlyDoubtful: true, body) : try base.select(selection, body)
    }

    /// Finds a row.
    ///
    /// - Throws: As `TransactionDriver` says.
    open func find(_ id: UUID, in entity: Entity, _ body: (inout RowReader) throws -> Void) throws {
        try base.find(id, in: entity, body)
    }

    /// Inserts rows.
    ///
    /// - Throws: As `TransactionDriver` says.
    open func insert(
        into entity: Entity, onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int {
        try base.insert(into: entity, onConflict: conflict, next: next, stored: stored)
    }

    /// Inserts rows that are made of others.
    ///
    /// - Returns: Nil if the wrapped driver lacks the capability.
    /// - Throws: As `SelectionInserting` says.
    open func insert(into entity: Entity, _ values: [Operand], from selection: Selection) throws -> Int? {
        try base.capability((any SelectionInserting).self)?.insert(into: entity, values, from: selection)
    }

    /// Updates rows.
    ///
    /// - Throws: As `TransactionDriver` says.
    open func update(
        _ entity: Entity, set assignments: [Assignment], where condition: Condition, report: ChangeReport?
    ) throws -> Int {
        try base.update(entity, set: assignments, where: condition, report: report)
    }

    /// Deletes rows.
    ///
    /// - Throws: As `TransactionDriver` says.
    open func delete(from entity: Entity, where condition: Condition, report: ChangeReport?) throws -> Int {
        try base.delete(from: entity, where: condition, report: report)
    }

    /// Returns a view of the wrapped driver, which is not intercepted: override it to wrap that, too.
    ///
    /// - Throws: As `TransactionDriver` says.
    open func view(of schema: Schema) throws -> any TransactionDriver { try base.view(of: schema) }

    /// Begins a savepoint.
    ///
    /// - Throws: As `TransactionDriver` says.
    open func savepoint(_ depth: Int) throws { try base.savepoint(depth) }

    /// Keeps what was done since a savepoint.
    ///
    /// - Throws: As `TransactionDriver` says.
    open func release(savepoint depth: Int) throws { try base.release(savepoint: depth) }

    /// Undoes what was done since a savepoint.
    ///
    /// - Throws: As `TransactionDriver` says.
    open func rollback(toSavepoint depth: Int) throws { try base.rollback(toSavepoint: depth) }

    /// Checks the references of what was changed.
    ///
    /// - Throws: As `TransactionDriver` says.
    open func checkReferences() throws { try base.checkReferences() }

    /// Reads the marker.
    ///
    /// - Throws: As `StoreMaintenance` says.
    open func marker() throws -> StoreMarker { try base.maintenance.marker() }

    /// Replaces the marker.
    ///
    /// - Throws: As `StoreMaintenance` says.
    open func setMarker(_ marker: StoreMarker) throws { try base.maintenance.setMarker(marker) }

    /// Checks the marker at the beginning of a write.
    ///
    /// - Throws: As `StoreMaintenance` says.
    open func check(_ control: ControlCheck) throws { try base.maintenance.check(control) }

    /// Records the id of the write.
    ///
    /// - Throws: As `StoreMaintenance` says.
    open func record(_ operation: OperationID) throws { try base.maintenance.record(operation) }

    /// Lists the recorded ids.
    ///
    /// - Throws: As `StoreMaintenance` says.
    open func operations(after last: OperationID?, limit: Int) throws -> [CommittedOperation] {
        try base.maintenance.operations(after: last, limit: limit)
    }

    /// Records the ids of another store's writes.
    ///
    /// - Throws: As `StoreMaintenance` says.
    open func adopt(_ operations: [CommittedOperation]) throws { try base.maintenance.adopt(operations) }

    /// Lists the scopes.
    ///
    /// - Throws: As `StoreMaintenance` says.
    open func scopes(after last: StoreScope?, limit: Int) throws -> [HeldScope] {
        try base.maintenance.scopes(after: last, limit: limit)
    }

    /// Looks up the ends of histories.
    ///
    /// - Throws: As `StoreMaintenance` says.
    open func heads(of scopes: Set<StoreScope>) throws -> [HeldScope] {
        try base.maintenance.heads(of: scopes)
    }

    /// Adds indexes and foreign keys.
    ///
    /// - Throws: As `StoreMaintenance` says.
    open func addConstraints() throws { try base.maintenance.addConstraints() }

    /// Removes indexes and foreign keys.
    ///
    /// - Throws: As `StoreMaintenance` says.
    open func removeConstraints() throws { try base.maintenance.removeConstraints() }

    /// Copies the store.
    ///
    /// - Throws: As `StoreMaintenance` says.
    open func backUp(as name: String) throws -> String? { try base.maintenance.backUp(as: name) }

    /// Changes the schema.
    ///
    /// - Throws: As `StoreMaintenance` says.
    open func change(_ changes: [TableChange], to schema: Schema, filling fill: TableFilling?) throws {
        try base.maintenance.change(changes, to: schema, filling: fill)
    }

    /// Adds a transaction to the history.
    ///
    /// - Returns: False if the wrapped driver lacks the capability.
    /// - Throws: As `HistoryAppending` says.
    open func append(_ addition: HistoryAddition) throws -> Bool {
        try base.capability((any HistoryAppending).self)?.append(addition) ?? false
    }

    /// Compares the tables with a schema.
    ///
    /// - Returns: Nothing if the wrapped driver lacks the capability.
    /// - Throws: As `TableInspecting` says.
    open func inspectTables(before steps: [SchemaStep]) throws -> [UnknownPart] {
        try base.unknownParts(before: steps)
    }
}

extension ReadTransaction {
    /// The same snapshot, read through a driver that wraps this transaction's own.
    package func read(through driver: InterceptingDriver) -> ReadTransaction {
        ReadTransaction(schema: schema, driver: driver, sharing: progress)
    }
}
