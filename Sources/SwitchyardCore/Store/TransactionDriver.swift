public import Foundation

/// The part of a transaction that each plugin implements: a handful of operations over conditions and cells.
///
/// Everything that must behave alike on all backends (ending after an error, delete rules, value checks, chunking,
/// `notFound`) is in `ReadTransaction` and `WriteTransaction`, which call a driver with validated input. A driver
/// belongs to one transaction and is used from one thread at a time.
///
/// Operations throw `StoreError`. After an error the transaction calls only `rollback(toSavepoint:)`, or ends.
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

    /// Runs a selection of whole rows, and may leave out those of which the database itself can tell that every store would
    /// take them: each value is one that its attribute allows, and texts and blobs have `Limits.plainBytes` at most.
    ///
    /// It is for a scan that looks for damage. The default implementation leaves out none.
    func selectDoubtful(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws

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

    /// Records the id of this write, so that `Store.wasCommitted` finds it, and deletes ids older than
    /// `OperationID.retention`. Where the only clock is the device's, which can be wrong, the last
    /// `OperationID.leastKept` ids are kept whatever their age.
    ///
    /// - Throws: `duplicateOperation` if the id already exists.
    func record(_ operation: OperationID) throws

    /// The ids that are recorded, in ascending order.
    ///
    /// - Parameters:
    ///   - last: Only ids that are greater; nil to begin with the first.
    ///   - limit: The maximum number of ids.
    /// - Returns: The ids, with the times of the commits.
    /// - Throws: As a selection.
    func operations(after last: OperationID?, limit: Int) throws -> [CommittedOperation]

    /// Records the ids of writes to another store that this one takes over from. An id that is recorded already is
    /// skipped.
    func adopt(_ operations: [CommittedOperation]) throws

    /// The scopes of which the store holds anything (rows, a history, ids of writes), in ascending order, whichever the
    /// transaction sees.
    ///
    /// The default implementation returns none, for a backend that has no scopes.
    ///
    /// - Parameters:
    ///   - last: Only scopes that are greater; nil to begin with the first.
    ///   - limit: The maximum number of scopes.
    /// - Returns: The scopes; none in a store without scopes.
    /// - Throws: As a selection.
    func scopes(after last: StoreScope?, limit: Int) throws -> [HeldScope]

    /// Returns the store's marker, as this transaction sees it.
    ///
    /// - Throws: `corrupted` if the marker is missing or cannot be read.
    func marker() throws -> StoreMarker

    /// Replaces the store's marker.
    func setMarker(_ marker: StoreMarker) throws

    /// Adds the indexes and foreign keys that a store lacks which was made in the role `copying`, so that rows can be
    /// copied into it in any order and quickly.
    ///
    /// The default implementation does nothing, for a backend that has none, or has them from the beginning.
    ///
    /// - Throws: `unique` or `foreignKey` if the rows violate one.
    func addConstraints() throws

    /// Removes what `addConstraints` adds, from a copy that was given up and is begun again.
    ///
    /// The default implementation does nothing.
    func removeConstraints() throws

    /// Copies the whole store, as it was before this write, to a place beside it: the first step of a migration.
    ///
    /// The default implementation copies nothing, for a backend whose stores are backed up by other means.
    ///
    /// - Parameter name: What distinguishes the copy, such as `1.0.0`. One of the same name is replaced.
    /// - Returns: Where the copy is; nil if there is none.
    /// - Throws: `full`, `readOnly`, `inputOutput`.
    func backUp(as name: String) throws -> String?

    /// Compares the store's tables with the schema that a migration begins with, before its first stage.
    ///
    /// The default implementation returns none, for a backend whose tables hold nothing but what the schema says.
    ///
    /// - Parameter steps: The stages that follow, in order.
    /// - Returns: What the tables have and the first step's older schema does not; each part that a step would lose, or
    ///   whose name it takes, has an obstacle.
    /// - Throws: `corrupted` if the tables lack something that this schema has.
    func inspectTables(before steps: [SchemaStep]) throws -> [UnknownPart]

    /// Makes the store's tables those of another schema, with their indexes and foreign keys, and carries the rows over.
    ///
    /// It is called in a write of a store that was opened with `OpenOptions.changesSchema`, which does nothing else to rows,
    /// and which has set the marker. The rows are those of all scopes.
    ///
    /// The default implementation refuses, for a backend that cannot change tables.
    ///
    /// - Parameters:
    ///   - changes: What becomes of each table; the others stay as they are.
    ///   - schema: The new schema.
    ///   - fill: Writes the rows of the tables that are new, in each scope; nil if they stay empty. It reads the tables as
    ///     they were by one driver, and writes those of `Schema.whileFilling` by another, whose rows are checked against
    ///     unique constraints and references when it has ended.
    /// - Throws: `unique`, `notNull`, `check`, `foreignKey` or `valueNotRepresentable` if the rows do not fit it;
    ///   `unsupported`; what `fill` throws.
    func change(_ changes: [TableChange], to schema: Schema, filling fill: TableFilling?) throws

    /// Refuses the write if the store's marker no longer permits it. It is called before anything else in each write.
    ///
    /// A driver that would need a round trip for this may check together with the next operation, which then throws.
    /// The default implementation uses `marker`.
    ///
    /// - Throws: What `ControlCheck.require` throws.
    func check(_ control: ControlCheck) throws
}

extension TransactionDriver {
    /// Inserts rows without reading them back.
    func insert(
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

    /// Runs the selection.
    public func selectDoubtful(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws {
        try select(selection, body)
    }

    /// Does nothing.
    public func addConstraints() throws {}

    /// Does nothing.
    public func removeConstraints() throws {}

    /// Copies nothing.
    public func backUp(as name: String) throws -> String? { nil }

    /// Finds nothing.
    public func inspectTables(before steps: [SchemaStep]) throws -> [UnknownPart] { [] }

    /// Refuses.
    ///
    /// - Throws: `unsupported`.
    public func change(_ changes: [TableChange], to schema: Schema, filling fill: TableFilling?) throws {
        throw StoreError(
            .unsupported,
            "The backend cannot change the schema of a store. Copy the rows into a new store; nothing was changed."
        )
    }

    /// Empty: the rows are not divided into scopes.
    public var scopes: [StoreScope] { [] }

    /// None: the rows are not divided into scopes.
    public func scopes(after last: StoreScope?, limit: Int) throws -> [HeldScope] { [] }

    /// Reads and checks the whole marker.
    public func check(_ control: ControlCheck) throws { try control.require(try marker()) }

    /// Selects the row by its id.
    public func find(_ id: UUID, in entity: Entity, _ body: (inout RowReader) throws -> Void) throws {
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

/// Writes the rows of new tables while a store goes from one schema to another.
public typealias TableFilling = (_ old: any TransactionDriver, _ new: any TransactionDriver) throws -> Void

/// What to do about a row whose unique key already exists.
public enum ConflictResolution: Sendable, Hashable {
    /// Refuse it with `unique`.
    case fail
    /// Keep the existing row, with its id, and set the attributes named in `set` from the new one.
    case update(key: [String], set: [String])
    /// Keep the existing row and skip the new one.
    case ignore(key: [String])
}

/// One attribute set by an update.
public struct Assignment: Sendable, Hashable {
    /// The attribute's name.
    public let attribute: String
    /// The new value, calculated from the row before the update.
    public let value: Operand

    /// Sets an attribute to an operand's value.
    public init(attribute: String, value: Operand) {
        self.attribute = attribute
        self.value = value
    }
}
