public import Foundation

/// The part of a transaction that each plugin writes: a handful of operations over conditions and cells.
///
/// Everything that must be alike on all backends (poisoning, delete rules, checks of values, chunking,
/// `notFound`) is in `ReadTransaction` and `WriteTransaction`, which call a driver with validated input. A
/// driver is used from one thread at a time, inside one transaction, and is never sent elsewhere.
///
/// Operations throw `StoreError`. After a throw the transaction calls nothing but `rollback(toSavepoint:)`,
/// or ends.
public protocol TransactionDriver: AnyObject {
    /// The scopes whose rows the transaction sees, ascending: one in a write; none where the store's rows are not
    /// divided, which is the default.
    ///
    /// Where there are several, selections name `StoreScope.attribute`.
    var scopes: [StoreScope] { get }

    /// Runs a selection and hands over each row, in order, until the body returns false.
    ///
    /// The reader's cells are in the order of `selection.columns` and valid during the call only.
    func select(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws

    /// Hands over the row of an id, if it is there: whole, its attributes in the entity's order. Of several scopes that
    /// have one, it is that of the first.
    ///
    /// There is a default in terms of `select`; a plugin that keeps a prepared statement for it is faster.
    func find(_ id: UUID, in entity: Entity, _ body: (inout RowReader) throws -> Void) throws

    /// Inserts rows until `next` returns false without having written one.
    ///
    /// - Parameters:
    ///   - entity: The entity; a row has its attributes in order, followed by the folded copy of each
    ///     searchable one.
    ///   - conflict: What to do about a row that is there already.
    ///   - next: Clears the writer and fills in the next row; false at the end. With a conflict to be
    ///     resolved, no two rows have the same key.
    ///   - stored: Takes each row that was inserted or updated, whole and as it is stored now, in any order;
    ///     not one that was left out. Nil if nobody asks.
    /// - Returns: The number of rows inserted or updated.
    /// - Throws: `unique`, or what the closures throw.
    func insert(
        into entity: Entity, onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int

    /// Sets attributes of all rows that fulfil a condition, working the values out from the rows as they
    /// were.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - assignments: The new values, each attribute at most once.
    ///   - condition: Which rows.
    ///   - report: Takes each row that fulfilled the condition, in any order; nil if nobody asks.
    /// - Returns: The number of rows that fulfilled it.
    /// - Throws: `unique`, `check`, or what the report's body throws.
    func update(
        _ entity: Entity, set assignments: [Assignment], where condition: Condition, report: ChangeReport?
    ) throws -> Int

    /// Deletes all rows that fulfil a condition, and nothing else.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - condition: Which rows.
    ///   - report: Takes each row that was deleted, in any order; nil if nobody asks.
    /// - Returns: The number of rows deleted.
    /// - Throws: What the report's body throws.
    func delete(from entity: Entity, where condition: Condition, report: ChangeReport?) throws -> Int

    /// The same transaction in the words of another schema, such as an earlier version of the store's.
    ///
    /// Its tables are tables of the store's own schema, with the same columns, which `ReadTransaction` has
    /// checked. Both see what the other has changed, and a savepoint of one undoes the work of both.
    func view(of schema: Schema) throws -> any TransactionDriver

    /// Begins a savepoint inside those of lower depth. Depths count from 1.
    func savepoint(_ depth: Int) throws
    /// Keeps what was done since the savepoint and forgets it.
    func release(savepoint depth: Int) throws
    /// Undoes what was done since the savepoint and forgets it.
    func rollback(toSavepoint depth: Int) throws

    /// Notes the id of this write, so that `Store.wasCommitted` finds it; forgets others older than
    /// `OperationID.retention`, but not by a clock that can be wrong: `OperationID.leastKept` of the last ones
    /// stay where the time is the device's.
    ///
    /// - Throws: `duplicateOperation` if the id is there already.
    func record(_ operation: OperationID) throws

    /// What the store says of itself, as this transaction sees it.
    ///
    /// - Throws: `corrupted` if it says nothing, or what cannot be read.
    func marker() throws -> StoreMarker

    /// Replaces what the store says of itself.
    func setMarker(_ marker: StoreMarker) throws

    /// Refuses the transaction if the store's marker does not let it write any more: called before anything
    /// else in each write.
    ///
    /// A driver that would need a round trip for it may ask together with the next operation, which then throws.
    /// There is a default in terms of `marker`.
    ///
    /// - Throws: What `StoreFence.require` throws.
    func check(_ fence: StoreFence) throws
}

extension TransactionDriver {
    /// Inserts rows that nobody asks back for.
    func insert(
        into entity: Entity, onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool
    ) throws -> Int {
        try insert(into: entity, onConflict: conflict, next: next, stored: nil)
    }

    /// Updates rows that nobody asks for.
    public func update(
        _ entity: Entity, set assignments: [Assignment], where condition: Condition
    ) throws -> Int {
        try update(entity, set: assignments, where: condition, report: nil)
    }

    /// Deletes rows that nobody asks for.
    public func delete(from entity: Entity, where condition: Condition) throws -> Int {
        try delete(from: entity, where: condition, report: nil)
    }

    /// The rows are not divided into scopes.
    public var scopes: [StoreScope] { [] }

    /// Reads the whole marker.
    public func check(_ fence: StoreFence) throws { try fence.require(try marker()) }

    /// Finds the row by a selection of its id.
    public func find(_ id: UUID, in entity: Entity, _ body: (inout RowReader) throws -> Void) throws {
        let selection = Selection.rows(
            of: entity, where: .compare(.attribute("id"), .equal, .value(.uuid(id))),
            order: scopes.count > 1 ? [SortKey(StoreScope.attribute.name)] : [])
        try select(selection) { row in
            try body(&row)
            return false
        }
    }

    /// The number of rows that fulfil a condition.
    public func count(of entity: Entity, where condition: Condition) throws -> Int {
        var count = 0
        try select(Selection(entity: entity, columns: [.aggregate(.count)], condition: condition)) { row in
            count = try Int(from: &row)
            return true
        }
        return count
    }
}

/// What to do about a row whose unique key is there already.
public enum ConflictResolution: Sendable, Hashable {
    /// Refuse it with `unique`.
    case fail
    /// Keep the row that is there, with its id, and set the attributes named in `set` from the new one.
    case update(key: [String], set: [String])
    /// Keep the row that is there and leave the new one out.
    case ignore(key: [String])
}

/// One attribute set by an update.
public struct Assignment: Sendable, Hashable {
    /// The attribute's name.
    public let attribute: String
    /// The new value, worked out from the row as it was.
    public let value: Operand

    /// Sets an attribute to an operand's value.
    public init(attribute: String, value: Operand) {
        self.attribute = attribute
        self.value = value
    }
}
