public import Foundation
public import SwitchyardCore

/// A connection to an SQL database inside one transaction, which the store begins and ends: everything that
/// `SQLTransaction` needs of a database.
///
/// Statements come from `SQLGenerator`. Errors are `StoreError`s.
public protocol SQLConnection: AnyObject {
    /// The database's catalog of tables.
    associatedtype TableCatalog: SQLCatalog

    /// The database's name, for people.
    static var databaseName: String { get }
    /// Whether a failed statement aborts the transaction, unless there is a savepoint before it.
    static var failuresEndTransaction: Bool { get }

    /// Runs a statement that returns no rows.
    ///
    /// - Returns: The number of rows that it changed.
    func run(_ statement: SQLStatement) throws -> Int

    /// Runs a statement whose only awaited result is an error.
    ///
    /// To save a round trip, it may be sent together with the next statement, or with the COMMIT, which then throws its
    /// error. The default implementation runs it at once.
    func runAhead(_ statement: SQLStatement) throws

    /// Whether nothing was sent of the transaction yet, so that all of it may travel with the COMMIT.
    ///
    /// If a statement is refused then, the transaction is run again, one statement at a time. By default false.
    var holdsTransaction: Bool { get }

    /// Runs a command without parameters that is not worth preparing, such as `SAVEPOINT a`.
    func command(_ text: String) throws

    /// Checks now the foreign keys that wait for the commit.
    ///
    /// To save a round trip, it may do so together with the next statement, which then throws the error. The default
    /// implementation is for databases whose foreign keys do not wait.
    ///
    /// - Returns: Whether one is violated, if the database does not say which.
    /// - Throws: `foreignKey`, naming the one that is violated.
    func checkForeignKeys() throws -> Bool

    /// Runs a query and calls the body with each row, in order, until it returns false.
    ///
    /// - Parameters:
    ///   - statement: The query.
    ///   - types: The types of its columns.
    ///   - context: The entity and the attributes, for errors about a row.
    ///   - body: Receives a row, whose cells are only valid during the call.
    /// - Throws: What the body throws; `corrupted` for a value that no attribute can hold.
    func query(
        _ statement: SQLStatement, types: [AttributeType], context: ErrorContext,
        _ body: (inout RowReader) throws -> Bool
    ) throws

    /// Runs a query that an app has written, and refuses a statement that could change anything.
    ///
    /// The default implementation refuses every one.
    ///
    /// - Parameters:
    ///   - statement: The statement.
    ///   - columns: The number of columns that it must have.
    ///   - context: The entity and the names of the columns, for errors about a row.
    ///   - body: Receives a row, whose cells are only valid during the call.
    /// - Throws: `unsupported` for a statement that writes, or has another number of columns.
    func queryWithoutChanges(
        _ statement: SQLStatement, columns: Int, context: ErrorContext,
        _ body: (inout RowReader) throws -> Void
    ) throws

    /// Runs the one-row query at the beginning of a write, and calls the body with its row.
    ///
    /// To save a round trip, it may be sent together with the next statement, which then throws what the body throws.
    /// The default implementation uses `query`.
    ///
    /// - Parameters:
    ///   - query: The query, without parameters.
    ///   - types: The types of its columns.
    ///   - context: The entity and the attributes, for errors about the row.
    ///   - queue: A statement that precedes the query, and waits until no other write that began with it is under way.
    ///     Behind it, the transaction need not detect conflicts. Nil if none is needed.
    ///   - requirement: Returns a statement that fails where the body might throw, for a connection that commits in the
    ///     same round trip.
    ///   - body: Receives the row.
    /// - Throws: As `query`; `corrupted` if there is no row.
    func begin(
        with query: String, types: [AttributeType], context: ErrorContext, behind queue: SQLStatement?,
        orRequire requirement: @escaping () -> SQLStatement,
        _ body: @escaping (inout RowReader) throws -> Void
    ) throws

    /// Ensures that no write that begins before this transaction ends is committed after it.
    ///
    /// The default implementation is for databases with only one writer at a time.
    ///
    /// - Parameter tables: The quoted names of all tables that a write can change.
    /// - Throws: `serialization` if the transaction conflicts with another one.
    func awaitWriters(of tables: [String]) throws

    /// Runs the statement that finds a row by its id, and calls the body with the row, if it exists.
    ///
    /// - Parameters:
    ///   - id: The id, bound last.
    ///   - scope: The scope, bound before the id; nil if the tables have none.
    ///   - plan: The statement.
    ///   - body: Takes the row.
    /// - Throws: What the body throws; `corrupted` for a value that no attribute can hold.
    func find(
        _ id: UUID, in scope: StoreScope?, by plan: SQLEntityPlan,
        _ body: (inout RowReader) throws -> Void
    ) throws

    /// The number of rows of an insertion that are collected before they are inserted.
    func batchSize(of insertion: SQLInsertion) -> Int

    /// Inserts collected rows.
    ///
    /// - Parameters:
    ///   - batch: The rows, no more than `batchSize(of:)`.
    ///   - insertion: How they are inserted.
    ///   - stored: Receives each inserted or updated row, as it is stored now; nil if the caller does not need them.
    /// - Returns: The number of rows inserted or updated.
    /// - Throws: `unique`; what `stored` throws.
    func insert(
        _ batch: inout RowBatch, by insertion: SQLInsertion, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int

    /// Inserts a full batch and all rows after it with a bulk command, such as PostgreSQL's COPY, or with statements
    /// that overlap: one is sent before the answer to the one before has come.
    ///
    /// The default implementation is for databases without either.
    ///
    /// - Parameters:
    ///   - batch: The rows so far.
    ///   - insertion: How they are inserted.
    ///   - next: Provides the next row; false at the end.
    ///   - stored: Receives each row that was inserted or updated, as it is stored now; nil if the caller does not need
    ///     the rows.
    /// - Returns: The number of rows inserted or updated; nil if the rows are to be inserted batch by batch.
    /// - Throws: `unique`; what `next` and `stored` throw.
    func load(
        _ batch: inout RowBatch, by insertion: SQLInsertion,
        next: ((UnsafeBufferPointer<Cell>) throws -> Void) throws -> Bool,
        stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int?

    /// Prepares for the transaction's first change of an entity's rows.
    func willChange(_ entity: Entity) throws

    /// Copies the database, as it was before this transaction, to a place beside it.
    ///
    /// The default implementation copies nothing.
    ///
    /// - Returns: Where the copy is, if any.
    func backUp(as name: String) throws -> String?

    /// The faults that the database itself finds in its files, a phrase each.
    func integrityFaults() throws -> [String]

    /// The catalog of the store's tables.
    func catalog() throws -> TableCatalog
}

extension SQLConnection {
    /// Refuses the query.
    public func queryWithoutChanges(
        _ statement: SQLStatement, columns: Int, context: ErrorContext,
        _ body: (inout RowReader) throws -> Void
    ) throws {
        throw StoreError(.unsupported, "\(Self.databaseName) takes no SQL of its own here.")
    }

    /// Returns nil: rows are inserted batch by batch.
    public func load(
        _ batch: inout RowBatch, by insertion: SQLInsertion,
        next: ((UnsafeBufferPointer<Cell>) throws -> Void) throws -> Bool,
        stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int? { nil }

    /// False: no foreign key waits.
    public func checkForeignKeys() throws -> Bool { false }

    /// False: every statement is run at once.
    public var holdsTransaction: Bool { false }

    /// Runs the statement at once.
    public func runAhead(_ statement: SQLStatement) throws { _ = try run(statement) }

    /// Runs the query at once; there is no queue, since there are no concurrent writers.
    public func begin(
        with query: String, types: [AttributeType], context: ErrorContext, behind queue: SQLStatement?,
        orRequire requirement: @escaping () -> SQLStatement,
        _ body: @escaping (inout RowReader) throws -> Void
    ) throws {
        var isFound = false
        try self.query(SQLStatement(text: query), types: types, context: context) { row in
            isFound = true
            try body(&row)
            // There is only one row, and to find its end takes less than to leave before it.
            return true
        }
        guard isFound else { throw StoreMarker.missing() }
    }

    /// Does nothing: there are no concurrent writers.
    public func awaitWriters(of tables: [String]) throws {}

    /// Does nothing.
    public func willChange(_ entity: Entity) throws {}

    /// Copies nothing.
    public func backUp(as name: String) throws -> String? { nil }

    /// Empty: the database has no check of its own.
    public func integrityFaults() throws -> [String] { [] }
}
