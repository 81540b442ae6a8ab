import EntryModel
import SwitchyardCore
import SwitchyardSQL

@testable import PostgresStore

/// Hands the work of a transaction on to PostgreSQL, and notes what is selected.
final class NotingDriver: TransactionDriver {
    let base: PostgresTransaction
    private(set) var selections: [Selection] = []

    init(_ base: PostgresTransaction) { self.base = base }

    var scopes: [StoreScope] { base.scopes }

    func select(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws {
        selections.append(selection)
        try base.select(selection, body)
    }

    func insert(
        into entity: Entity, onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int {
        try base.insert(into: entity, onConflict: conflict, next: next, stored: stored)
    }

    func update(
        _ entity: Entity, set assignments: [Assignment], where condition: Condition, report: ChangeReport?
    ) throws -> Int {
        try base.update(entity, set: assignments, where: condition, report: report)
    }

    func delete(from entity: Entity, where condition: Condition, report: ChangeReport?) throws -> Int {
        try base.delete(from: entity, where: condition, report: report)
    }

    func view(of schema: Schema) throws -> any TransactionDriver { try base.view(of: schema) }
    func savepoint(_ depth: Int) throws { try base.savepoint(depth) }
    func release(savepoint depth: Int) throws { try base.release(savepoint: depth) }
    func rollback(toSavepoint depth: Int) throws { try base.rollback(toSavepoint: depth) }
    func record(_ operation: OperationID) throws { try base.record(operation) }
    func operations(after last: OperationID?, limit: Int) throws -> [CommittedOperation] {
        try base.operations(after: last, limit: limit)
    }
    func scopes(after last: StoreScope?, limit: Int) throws -> [HeldScope] {
        try base.scopes(after: last, limit: limit)
    }
    func adopt(_ operations: [CommittedOperation]) throws { try base.adopt(operations) }
    func marker() throws -> StoreMarker { try base.marker() }
    func setMarker(_ marker: StoreMarker) throws { try base.setMarker(marker) }
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
