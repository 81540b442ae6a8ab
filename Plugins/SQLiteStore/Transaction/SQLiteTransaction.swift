internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import SwitchyardCore
internal import SwitchyardSQL

/// One transaction on a connection of GRDB's.
final class SQLiteTransaction: TransactionDriver {
    let database: Database
    let plan: StorePlan
    let statements: StatementCache
    /// Whether GRDB's observers are told of changes.
    private let isObservable: Bool
    /// Whether the lock of this transaction must be let go; nil for one that takes none.
    private let suspension: Suspension?
    private var changedTables: Set<String> = []

    init(
        _ database: Database, plan: StorePlan, statements: StatementCache, isObservable: Bool = false,
        suspension: Suspension? = nil
    ) {
        self.database = database
        self.plan = plan
        self.statements = statements
        self.isObservable = isObservable
        self.suspension = suspension
    }

    /// Runs a statement that gives no rows.
    ///
    /// - Returns: The number of rows that it changed.
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

    func update(_ entity: Entity, set assignments: [Assignment], where condition: Condition) throws -> Int {
        if assignments.isEmpty {
            return try count(of: entity, where: condition)
        }
        try noteChange(of: entity)
        return try run(try plan.sql.update(entity.name, set: assignments, where: condition))
    }

    func delete(from entity: Entity, where condition: Condition) throws -> Int {
        try noteChange(of: entity)
        return try run(try plan.sql.delete(from: entity.name, where: condition))
    }

    func savepoint(_ depth: Int) throws { try run(SQLStatement(text: "SAVEPOINT switchyard_\(depth)")) }

    func release(savepoint depth: Int) throws {
        try run(SQLStatement(text: "RELEASE SAVEPOINT switchyard_\(depth)"))
    }

    func rollback(toSavepoint depth: Int) throws {
        try run(SQLStatement(text: "ROLLBACK TO SAVEPOINT switchyard_\(depth)"))
        try release(savepoint: depth)
    }

    func record(_ operation: OperationID) throws {
        let now = Int64(Date().timeIntervalSince1970 * 1_000_000)
        do {
            try run(plan.sql.recordOperation(operation, at: now))
        } catch let error as StoreError where error.code == .unique {
            throw StoreError.operationCommitted(operation)
        }
        if operation.forgetsOthers { try run(plan.sql.forgetOperations(at: now)) }
    }

    /// Tells GRDB's observers of a change: SQLite does not report changes of tables without rowid by itself.
    func noteChange(of entity: Entity) throws {
        guard isObservable, changedTables.insert(entity.name).inserted else { return }
        try translating { try database.notifyChanges(in: Table(entity.name)) }
    }

    func require(_ code: CInt) throws {
        guard code == SQLITE_OK else {
            throw StoreError(sqlite: code, on: database.sqliteConnection, in: plan.schema)
        }
    }

    func translating<Result>(_ body: () throws -> Result) throws -> Result {
        // GRDB lets reads go on, which would keep the lock.
        if suspension?.isActive == true, database.isSuspended { throw StoreError.storeSuspended }
        do {
            return try body()
        } catch {
            throw StoreError.translating(
                error, in: plan.schema, on: database, at: StoreError.file(of: database.sqliteConnection))
        }
    }
}
