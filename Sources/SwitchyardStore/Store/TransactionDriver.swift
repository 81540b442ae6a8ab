public import Foundation

/// The part of a transaction that each backend implements: operations on rows, and savepoints.
///
/// Everything that must behave alike on all backends (ending after an error, delete rules, value checks, chunking,
/// `notFound`) is in `ReadTransaction` and `WriteTransaction`, which call a driver with validated input. A driver
/// belongs to one transaction and is used from one thread at a time.
///
/// Operations throw `StoreError`. After an error the transaction calls only `rollback(toSavepoint:)`, or ends.
///
/// The marker, the log of operations and changes of the schema belong to `StoreMaintenance`. What only some backends can
/// do, or do faster, are capabilities, which a driver offers by conforming to them: `DoubtfulRowSelecting`,
/// `HistoryAppending`, `TableInspecting` and `TableRebuilding`. A driver that passes its work on to another one is an
/// `InterceptingDriver`.
public protocol TransactionDriver: AnyObject {
    /// The scopes whose rows the transaction sees, ascending: one in a write, none (the default) in a store without
    /// scopes.
    ///
    /// If there are several, selections name `StoreScope.attribute`.
    var scopes: [StoreScope] { get }

    /// Runs a selection and calls the body with each row, in order, until the body returns false.
    ///
    /// The reader's cells are in the order of `selection.columns`, and only valid during the call.
    func select(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws

    /// Calls the body with the row of an id, if it exists: the whole row, with its attributes in the entity's order. If
    /// several scopes have a row with the id, it is the row of the first.
    ///
    /// The default implementation uses `select`; a plugin that keeps a prepared statement for it is faster.
    func find(_ id: UUID, in entity: Entity, _ body: (inout RowReader) throws -> Void) throws

    /// Inserts rows until `next` returns false without having written one.
    ///
    /// - Parameters:
    ///   - entity: The entity; a row has its attributes in order, followed by the folded copy of each
    ///     searchable one.
    ///   - conflict: What to do about a row whose key already exists.
    ///   - next: Clears the writer and writes the next row; false at the end. Unless `conflict` is `fail`, no two rows
    ///     have the same key.
    ///   - stored: Receives each inserted or updated row, whole and as it is stored now, in any order, but not the rows
    ///     that were skipped. Nil if the caller does not need them.
    /// - Returns: The number of rows inserted or updated.
    /// - Throws: `unique`, or what the closures throw.
    func insert(
        into entity: Entity, onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int

    /// Sets attributes of all rows that match a condition; the new values are calculated from the rows before the
    /// update.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - assignments: The new values, each attribute at most once.
    ///   - condition: Which rows.
    ///   - report: Receives each row that matched, in any order; nil if the caller does not need them.
    /// - Returns: The number of rows that matched.
    /// - Throws: `unique`, `check`, or what the report's body throws.
    func update(
        _ entity: Entity, set assignments: [Assignment], where condition: Condition, report: ChangeReport?
    ) throws -> Int

    /// Deletes all rows that match a condition, and nothing else: delete rules are not the driver's task.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - condition: Which rows.
    ///   - report: Receives each row that was deleted, in any order; nil if the caller does not need them.
    /// - Returns: The number of rows deleted.
    /// - Throws: What the report's body throws.
    func delete(from entity: Entity, where condition: Condition, report: ChangeReport?) throws -> Int

    /// Returns the same transaction seen through another schema, such as an earlier version of the store's.
    ///
    /// `ReadTransaction` has checked that its tables are tables of the store's own schema, with the same columns. Each
    /// sees the other's changes, and rolling back to a savepoint of one undoes the work of both.
    func view(of schema: Schema) throws -> any TransactionDriver

    /// Begins a savepoint inside those of lower depth. Depths are counted from 1.
    func savepoint(_ depth: Int) throws
    /// Keeps what was done since the savepoint and forgets it.
    func release(savepoint depth: Int) throws
    /// Undoes what was done since the savepoint and forgets it.
    func rollback(toSavepoint depth: Int) throws

    /// Checks now the references that would be checked at the commit: those of rows that were changed since the last check.
    ///
    /// Nothing that was changed before the innermost savepoint is unchecked. A driver may find a violation only when that
    /// savepoint is released, which then throws the error.
    ///
    /// The default implementation does nothing, for a driver that checks each operation at once.
    ///
    /// - Throws: `foreignKey`, as the commit would.
    func checkReferences() throws

    /// What the transaction does to the store beside its rows.
    ///
    /// It is the driver itself where that conforms to both protocols.
    var maintenance: any StoreMaintenance { get }
}

extension TransactionDriver {
    /// Inserts rows without reading them back.
    package func insert(
        into entity: Entity, onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool
    ) throws -> Int {
        try insert(into: entity, onConflict: conflict, next: next, stored: nil)
    }

    /// Updates rows without a report.
    public func update(
        _ entity: Entity, set assignments: [Assignment], where condition: Condition
    ) throws -> Int {
        try update(entity, set: assignments, where: condition, report: nil)
    }

    /// Deletes rows without a report.
    public func delete(from entity: Entity, where condition: Condition) throws -> Int {
        try delete(from: entity, where: condition, report: nil)
    }

    /// Does nothing: each operation checks its references.
    public func checkReferences() throws {}

    /// Empty: the rows are not divided into scopes.
    public var scopes: [StoreScope] { [] }

    /// Selects the row by its id.
    public func find(_ id: UUID, in entity: Entity, _ body: (inout RowReader) throws -> Void) throws {
        try findBySelecting(id, in: entity, body)
    }

    /// Finds the row of an id as a driver does that has no faster way.
    package func findBySelecting(
        _ id: UUID, in entity: Entity, _ body: (inout RowReader) throws -> Void
    ) throws {
        let selection = Selection.rows(
            of: entity, where: .compare(.attribute("id"), .equal, .value(.uuid(id))),
            order: scopes.count > 1 ? [SortKey(StoreScope.attribute.name)] : [])
        try select(selection) { row in
            try body(&row)
            return false
        }
    }

    /// Returns the number of rows that match a condition.
    public func count(of entity: Entity, where condition: Condition) throws -> Int {
        var count = 0
        try select(Selection(entity: entity, columns: [.aggregate(.count)], condition: condition)) { row in
            count = try Int(from: &row)
            return true
        }
        return count
    }
}

/// What to do about a row whose unique key already exists.
public enum ConflictResolution: Sendable, Hashable {
    /// Refuse it with `unique`.
    case fail
    /// Keep the existing row, with its id, and set the attributes named in `set` from the new one.
    case update(key: [String], set: [String])
    /// Keep the existing row and skip the new one.
    case ignore(key: [String])
}
