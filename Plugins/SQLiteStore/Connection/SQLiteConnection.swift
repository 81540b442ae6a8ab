internal import GRDB
internal import GRDBSQLite
internal import SwitchyardCore
internal import SwitchyardSQL

/// A GRDB connection within one transaction.
final class SQLiteConnection: SQLConnection {
    static let databaseName = "SQLite"
    static let failuresEndTransaction = false

    let database: Database
    let schema: Schema
    let statements: StatementCache
    /// Whether GRDB's observers are notified of changes.
    private let isObservable: Bool
    /// The suspension on which the transaction must release its lock; nil if it takes none.
    private let suspension: Suspension?

    init(
        _ database: Database, schema: Schema, statements: StatementCache, isObservable: Bool = false,
        suspension: Suspension? = nil
    ) {
        self.database = database
        self.schema = schema
        self.statements = statements
        self.isObservable = isObservable
        self.suspension = suspension
    }

    @discardableResult
    func run(_ sql: SQLStatement) throws -> Int {
        try translating {
            try statements.withStatement(sql.text, on: database) { cursor in
                let statement = cursor._statement.sqliteStatement
                try require(SQLiteBinding.bind(sql.parameters, to: statement))
                try cursor.run()
                return Int(sqlite3_changes64(sqlite3_db_handle(statement)))
            }
        }
    }

    func command(_ text: String) throws {
        // SQLite prepares one statement at a time.
        for command in text.split(separator: "; ") { try run(SQLStatement(text: String(command))) }
    }

    /// Asks SQLite, which counts the violations and does not know which they are.
    func checkForeignKeys() throws -> Bool {
        var (open, highest): (CInt, CInt) = (0, 0)
        let code = sqlite3_db_status(
            database.sqliteConnection, SQLITE_DBSTATUS_DEFERRED_FKS, &open, &highest, 0)
        return code == SQLITE_OK && open != 0
    }

    /// Notifies GRDB's observers: SQLite does not report changes of tables without rowid by itself.
    func willChange(_ entity: Entity) throws {
        guard isObservable else { return }
        try translating { try database.notifyChanges(in: Table(entity.table)) }
    }

    func integrityFaults() throws -> [String] {
        var faults: [String] = []
        try forEachRow(of: SQLStatement(text: "PRAGMA integrity_check")) { row in
            if row[0] != "ok" { faults.append(row[0]) }
        }
        return faults
    }

    func require(_ code: CInt) throws {
        guard code == SQLITE_OK else {
            throw StoreError(sqlite: code, on: database.sqliteConnection, in: schema)
        }
    }

    /// Runs a statement, unless the task is cancelled or the store is suspended.
    func translating<Result>(_ body: () throws -> Result) throws -> Result {
        guard !Task.isCancelled else { throw StoreError.taskCancelled }
        // GRDB would let reads continue, which would keep the lock.
        if suspension?.isActive == true, database.isSuspended { throw StoreError.storeSuspended }
        do {
            return try body()
        } catch {
            throw StoreError.translating(
                error, in: schema, on: database, at: StoreError.file(of: database.sqliteConnection))
        }
    }
}
