import EntryModel
import SwitchyardCore
import SwitchyardSQL

@testable import PostgresStore

/// Notes what is selected.
final class NotingDriver: InterceptingDriver {
    private(set) var selections: [Selection] = []

    override func select(
        _ selection: Selection, onlyDoubtful: Bool, _ body: (inout RowReader) throws -> Bool
    ) throws {
        selections.append(selection)
        try super.select(selection, onlyDoubtful: onlyDoubtful, body)
    }
}

/// The tables of entries in a schema of their own, on one connection.
struct EntryTables {
    let session: Session
    let plan: SQLPlan
    /// The scope of the transactions; none where the tables have none.
    var scopes: [StoreScope] = []

    /// Lends tables with 30,000 rows; three in ten have no `first`, and two in seven no `second`.
    ///
    /// With a scope, as many rows of another one lie beside them.
    static func with(
        scope: StoreScope? = nil, _ body: @escaping @Sendable (EntryTables) throws -> Void
    ) async throws {
        try await TestServer.withSchema { pool, namespace in
            try await pool.run { session in
                let schema = try Schema(version: SchemaVersion(1), models: [Entry.self])
                let plan = try SQLPlan(schema, namespace: namespace, isScoped: scope != nil)
                for statement in try plan.sql.createStore() { try session.script(statement) }
                let scopes = scope.map { [$0.uuid, StoreScope().uuid] } ?? []
                let column = scopes.isEmpty ? "" : "\"switchyard_scope\", "
                let values = scopes.map { "'\($0)', " }
                for value in values.isEmpty ? [""] : values {
                    try session.script(
                        """
                        INSERT INTO "Entry" (\(column)"id", "first", "second", "rank", "title", "title_search", "code")
                        SELECT \(value)gen_random_uuid(), CASE WHEN g % 10 < 3 THEN NULL ELSE g % 1000 END,
                            CASE WHEN g % 7 < 2 THEN NULL ELSE g % 50 END, g / 10, 'É' || g, 'e' || g, g::text
                        FROM generate_series(1, 30000) AS g
                        """)
                }
                try session.script(#"ANALYZE "Entry""#)
                try body(EntryTables(session: session, plan: plan, scopes: scope.map { [$0] } ?? []))
            }
        }
    }

    /// What a read transaction selects.
    func selections(of work: (ReadTransaction) throws -> Void) throws -> [Selection] {
        let driver = NotingDriver(PostgresTransaction(session, plan: plan, scopes: scopes))
        try ReadTransaction.run(schema: plan.schema, driver: driver, work)
        return driver.selections
    }

    /// The plan of each selection of a read transaction, a line for each step and each of its properties.
    func plans(of work: (ReadTransaction) throws -> Void) throws -> [[String]] {
        try selections(of: work).map { selection in
            let statement = try plan.sql.confined(to: scopes).select(selection)
            let result = try session.execute(
                "EXPLAIN (COSTS OFF) " + statement.text, Parameters(statement), isCached: false)
            var lines: [String] = []
            try result.forEachRow { lines.append(String(decoding: $0[0].bytes, as: UTF8.self)) }
            return lines
        }
    }
}
