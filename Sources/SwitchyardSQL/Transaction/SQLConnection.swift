public import Foundation
public import SwitchyardCore

/// A connection to a SQL database inside one transaction, which the store has begun and will end: all that
/// `SQLTransaction` asks of a database.
///
/// Statements come from `SQLGenerator`. Errors are `StoreError`s.
public protocol SQLConnection: AnyObject {
    /// What the database tells of its tables.
    associatedtype TableCatalog: SQLCatalog

    /// The database's name, for people.
    static var databaseName: String { get }
    /// Whether a statement that fails ends the transaction, unless a savepoint stands before it.
    static var failuresEndTransaction: Bool { get }

    /// Runs a statement that returns no rows.
    ///
    /// - Returns: The number of rows that it changed.
    func run(_ statement: SQLStatement) throws -> Int

    /// Runs a command without parameters that will hardly come again, such as `SAVEPOINT a`.
    func command(_ text: String) throws

    /// Runs a query and hands over each row, in order, until the body returns false.
    ///
    /// - Parameters:
    ///   - statement: The query.
    ///   - types: The types of its columns.
    ///   - context: What names the entity and the attributes in an error about a row.
    ///   - body: Takes a row, whose cells are valid during the call only.
    /// - Throws: What the body throws; `corrupted` for a value that no attribute can hold.
    func query(
        _ statement: SQLStatement, types: [AttributeType], context: ErrorContext,
        _ body: (inout RowReader) throws -> Bool
    ) throws

    /// Runs the query of one row with which a write begins, and hands the row over.
    ///
    /// Where it would cost a round trip it may be sent together with the next statement, which then throws what the
    /// body throws. There is a default, `query`.
    ///
    /// - Throws: As `query`; `corrupted` if there is no row.
    func begin(
        with query: String, types: [AttributeType], context: ErrorContext,
        _ body: @escaping (inout RowReader) throws -> Void
    ) throws

    /// Sees to it that no write that has begun before this transaction's end is committed after it.
    ///
    /// There is a default for databases in which nobody else writes meanwhile.
    ///
    /// - Parameter tables: The quoted names of all tables that a write can change.
    /// - Throws: `serialization` if another transaction got in between.
    func awaitWriters(of tables: [String]) throws

    /// Runs the statement that finds a row by its id and hands over the row, if it is there.
    ///
    /// - Parameters:
    ///   - id: The id, bound last.
    ///   - scope: The scope, bound before the id; nil where the tables have none.
    ///   - plan: The statement.
    ///   - body: Takes the row.
    /// - Throws: What the body throws; `corrupted` for a value that no attribute can hold.
    func find(
        _ id: UUID, in scope: StoreScope?, by plan: SQLEntityPlan,
        _ body: (inout RowReader) throws -> Void
    ) throws

    /// How many rows of an insertion are collected before they are inserted.
    func batchSize(of insertion: SQLInsertion) -> Int

    /// Inserts collected rows.
    ///
    /// - Parameters:
    ///   - batch: The rows, no more than `batchSize(of:)`.
    ///   - insertion: How they are inserted.
    ///   - stored: Takes each row that was inserted or updated, as it is stored now; nil if nobody asks.
    /// - Returns: The number of rows inserted or updated.
    /// - Throws: `unique`; what `stored` throws.
    func insert(
        _ batch: inout RowBatch, by insertion: SQLInsertion, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int

    /// Inserts a full batch and all rows after it by a way for many rows, such as PostgreSQL's COPY.
    ///
    /// It is asked only where no conflict is resolved and nobody asks for the rows. There is a default for
    /// databases without such a way.
    ///
    /// - Parameters:
    ///   - batch: The rows so far.
    ///   - insertion: How they are inserted.
    ///   - next: Lends the next row; false at the end.
    /// - Returns: The number of rows inserted; nil if the rows are to be inserted batch by batch.
    /// - Throws: `unique`; what `next` throws.
    func load(
        _ batch: inout RowBatch, by insertion: SQLInsertion,
        next: ((UnsafeBufferPointer<Cell>) throws -> Void) throws -> Bool
    ) throws -> Int?

    /// Prepares for a change of an entity's rows, the first one of the transaction.
    func willChange(_ entity: Entity) throws

    /// What the database itself finds wrong with its files, a phrase each.
    func integrityFaults() throws -> [String]

    /// What the database tells of the store's tables.
    func catalog() throws -> TableCatalog
}

extension SQLConnection {
    /// Inserts batch by batch.
    public func load(
        _ batch: inout RowBatch, by insertion: SQLInsertion,
        next: ((UnsafeBufferPointer<Cell>) throws -> Void) throws -> Bool
    ) throws -> Int? { nil }

    /// Asks at once.
    public func begin(
        with query: String, types: [AttributeType], context: ErrorContext,
        _ body: @escaping (inout RowReader) throws -> Void
    ) throws {
        var isFound = false
        try self.query(SQLStatement(text: query), types: types, context: context) { row in
            isFound = true
            try body(&row)
            return false
        }
        guard isFound else { throw StoreMarker.missing() }
    }

    /// Waits for nobody.
    public func awaitWriters(of tables: [String]) throws {}

    /// Needs no preparation.
    public func willChange(_ entity: Entity) throws {}

    /// Finds nothing.
    public func integrityFaults() throws -> [String] { [] }
}
