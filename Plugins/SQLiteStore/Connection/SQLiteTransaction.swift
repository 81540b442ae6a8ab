internal import GRDB
internal import SwitchyardCore
internal import SwitchyardSQL

/// A transaction on a connection of GRDB's.
typealias SQLiteTransaction = SQLTransaction<SQLiteConnection>

extension SQLiteTransaction {
    convenience init(
        _ database: Database, plan: SQLPlan, scopes: [StoreScope] = [], statements: StatementCache,
        historyEnd: HistoryEnd? = nil, isObservable: Bool = false, suspension: Suspension? = nil,
        telemetry: TransactionTelemetry? = nil
    ) {
        self.init(
            SQLiteConnection(
                database, schema: plan.schema, statements: statements, isObservable: isObservable,
                suspension: suspension),
            plan: plan, scopes: scopes, telemetry: telemetry, historyEnd: historyEnd)
    }

    /// Throws if foreign keys are off on the connection.
    func requireForeignKeys() throws {
        guard try connection.values(SQLStatement(text: "PRAGMA foreign_keys")) == [["1"]] else {
            throw StoreError(
                .configuration,
                "The connection has foreign keys off; turn them on in its configuration, and leave them on.")
        }
    }

    /// Throws if the transaction leaves a dangling reference, and names it; SQLite's own error at the commit would not.
    func requireReferencesAtCommit() throws {
        try requireReferences()
        if try connection.checkForeignKeys() { try requireNoneDangling() }
    }
}
