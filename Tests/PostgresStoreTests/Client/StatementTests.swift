import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("Prepared statements", .needsServer)
struct StatementTests {
    private static let prepared = "SELECT count(*) FROM pg_prepared_statements"

    @Test("a statement is prepared once for each set of parameter types")
    func once() async throws {
        try await TestServer.withSession { session in
            for _ in 0..<5 { _ = try session.rows("SELECT $1", [(.int(1), .int8)]) }
            #expect(session.statements.count == 1)
            _ = try session.rows("SELECT $1", [(.text("a"), .text)])
            #expect(session.statements.count == 2)
        }
    }

    @Test("the least recently used statement leaves the full cache, on the server as well")
    func eviction() async throws {
        var options = SessionOptions()
        options.statementCacheCapacity = 2
        try await TestServer.withSession(options: options) { session in
            for sql in ["SELECT 1", "SELECT 2", "SELECT 1", "SELECT 3"] { _ = try session.cell(sql) }
            var names: [TestCell] = []
            try session.execute("SELECT statement FROM pg_prepared_statements ORDER BY 1", isCached: false)
                .forEachRow { names.append(TestCell($0[0])) }
            #expect(names == [.text("SELECT 1"), .text("SELECT 3")])
            for n in 0..<20 { #expect(try session.cell("SELECT \(n)") == .integer(Int64(n))) }
            #expect(try session.cell(Self.prepared) == .integer(2))
        }
    }

    @Test("a statement that cannot be prepared leaves the cache as it was")
    func failure() async throws {
        try await TestServer.withSession { session in
            #expect(
                #expect(throws: StoreError.self) { _ = try session.cell("SELECT nonsense") }?.code
                    == .schemaMismatch)
            #expect(session.statements.count == 0)
            let next = try session.cell("SELECT 1")
            #expect(next == .integer(1))
        }
    }

    @Test("a stale plan outside a transaction is prepared again without the caller noticing")
    func stale() async throws {
        try await TestServer.withSession { session in
            try session.script("CREATE TABLE t (n int4); INSERT INTO t VALUES (7)")
            #expect(try session.cell("SELECT n FROM t") == .integer(7))
            try session.script("ALTER TABLE t ALTER n TYPE text")
            #expect(try session.cell("SELECT n FROM t") == .text("7"))
        }
    }

    @Test("a stale plan inside a transaction asks for another run, which succeeds")
    func staleInTransaction() async throws {
        try await TestServer.withSchema(limits: ConnectionPool.Limits(size: 1)) { pool, _ in
            try await pool.run { session in
                try session.script("CREATE TABLE t (n int4); INSERT INTO t VALUES (7)")
                _ = try session.cell("SELECT n FROM t")
                try session.script("ALTER TABLE t ALTER n TYPE text")
            }
            let read: @Sendable (Session) throws -> TestCell = { session in
                try session.begin(.snapshot)
                let cell = try session.cell("SELECT n FROM t")
                try session.commit()
                return cell
            }
            let error = await #expect(throws: StoreError.self) { try await pool.run(read) }
            #expect(error?.isRetryable == true)
            #expect(try await pool.run(read) == .text("7"))
        }
    }

    @Test("a deallocated statement is prepared again")
    func deallocated() async throws {
        try await TestServer.withSession { session in
            #expect(try session.cell("SELECT 1") == .integer(1))
            try session.script("DEALLOCATE ALL")
            #expect(try session.cell("SELECT 1") == .integer(1))
        }
    }
}
