import Foundation
import PostgresTestServer
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("The server's errors in the store's vocabulary", .needsServer)
struct ErrorTests {
    /// The error that a script provokes.
    private func error(
        _ script: String, options: SessionOptions = SessionOptions(), setUp: String = ""
    ) async throws -> StoreError {
        let error = try await TestServer.withSession(options: options) { session -> StoreError? in
            if !setUp.isEmpty { try session.script(setUp) }
            do {
                try session.script(script)
                return nil
            } catch { return error as? StoreError }
        }
        return try #require(error)
    }

    private static let tables = """
        CREATE TABLE parent (id int8 PRIMARY KEY);
        CREATE TABLE child (
            id int8 CONSTRAINT child_pk PRIMARY KEY, parent int8 CONSTRAINT child_parent REFERENCES parent,
            name text NOT NULL CONSTRAINT child_name CHECK (name <> 'bad'));
        INSERT INTO child VALUES (1, NULL, 'Mia')
        """

    @Test("the server's unique violation is a unique error")
    func unique() async throws {
        let error = try await error("INSERT INTO child VALUES (1, NULL, 'secret')", setUp: Self.tables)
        #expect(error.code == .unique)
        #expect(error.constraint == "child_pk")
        #expect(error.entity == "child")
        #expect(!error.isRetryable)
    }

    @Test("the server's foreign key violation is a foreign key error")
    func foreignKey() async throws {
        let error = try await error("INSERT INTO child VALUES (2, 7, 'Leo')", setUp: Self.tables)
        #expect(error.code == .foreignKey)
        #expect(error.constraint == "child_parent")
    }

    @Test("the server's not-null violation is a not-null error")
    func notNull() async throws {
        let error = try await error("INSERT INTO child VALUES (2, NULL, NULL)", setUp: Self.tables)
        #expect(error.code == .notNull)
        #expect(error.attribute == "name")
    }

    @Test("the server's check violation is a check error without the row's values")
    func check() async throws {
        let error = try await error("INSERT INTO child VALUES (4711, NULL, 'bad')", setUp: Self.tables)
        #expect(error.code == .check)
        #expect(error.constraint == "child_name")
        #expect(!error.description.contains("4711"))
        #expect(error.debugDescription.contains("4711"))
    }

    @Test("a deadlock is a serialization failure, and so is a lost conflict")
    func serialization() async throws {
        let code = try await TestServer.withSchema { pool, schema in
            try await pool.run { session -> StoreError.Code? in
                try session.script(
                    "CREATE TABLE counter (id int8 PRIMARY KEY, n int8); INSERT INTO counter VALUES (1, 0)")
                try session.begin(.serializable)
                _ = try session.cell("SELECT n FROM counter")
                var options = SessionOptions()
                options.schema = schema
                let other = try TestServer.otherSession(options: options)
                try other.script("UPDATE counter SET n = n + 1")
                return #expect(throws: StoreError.self) {
                    try session.script("UPDATE counter SET n = n + 1")
                }?.code
            }
        }
        #expect(code == .serialization)
        #expect(StoreError(PostgresError(sqlState: "40P01", message: "")).isRetryable)
        #expect(
            StoreError(PostgresError(sqlState: "42501", message: "permission denied for schema public"))
                .message
                == "The database user lacks a privilege: permission denied for schema public. Grant it, or "
                + "give another user or schema.")
    }

    @Test("a lock held by another is busy")
    func lock() async throws {
        let options = {
            var options = SessionOptions()
            options.lockTimeout = .milliseconds(1)
            return options
        }()
        let code = try await TestServer.withSchema(options: options) { pool, schema in
            try await pool.run { session -> StoreError.Code? in
                try session.script("CREATE TABLE locked ()")
                let other = try TestServer.otherSession()
                try other.begin(.serializable)
                try other.script("LOCK TABLE \(schema).locked")
                try session.begin(.serializable)
                return #expect(throws: StoreError.self) { try session.script("LOCK TABLE locked") }?.code
            }
        }
        #expect(code == .busy)
    }

    @Test("a statement timeout is not a cancellation")
    func statementTimeout() async throws {
        var options = SessionOptions()
        options.statementTimeout = .milliseconds(1)
        let error = try await error("SELECT pg_sleep(60)", options: options)
        #expect(error.code == .timedOut)
        #expect(error.message.contains("statementTimeout"))
    }

    @Test("an idle transaction that the server has ended is aborted, and its connection leaves the pool")
    func idleTransaction() async throws {
        var options = SessionOptions()
        options.idleInTransactionTimeout = .milliseconds(1)
        try await TestServer.withSchema(options: options, limits: ConnectionPool.Limits(size: 1)) { pool, _ in
            let code = try await pool.run { session -> StoreError.Code? in
                try session.begin(.snapshot)
                let pid = try session.backend
                let other = try TestServer.otherSession()
                while try other.cell("SELECT count(*) FROM pg_stat_activity WHERE pid = \(pid)")
                    != .integer(0)
                {}
                return #expect(throws: StoreError.self) { _ = try session.cell("SELECT 1") }?.code
            }
            #expect(code == .transactionAborted)
            #expect(try await pool.run { try $0.cell("SELECT 1") } == .integer(1))
        }
    }

    @Test(
        "a rejected statement carries the server's reason",
        arguments: [
            ("SELECT 9223372036854775807 + 1", StoreError.Code.arithmetic),
            ("SELECT 1 / 0", .arithmetic),
            ("SELECT missing FROM pg_class", .schemaMismatch),
            ("SELECT 1 FROM missing", .schemaMismatch),
            ("BEGIN READ ONLY; CREATE TABLE t ()", .readOnly),
            ("CREATE TABLE missing.t ()", .configuration),
            ("SELECT count(*) FROM pg_class FOR UPDATE", .unsupported),
            ("SELECT 'x'::xml IS DOCUMENT FROM", .backend),
            ("SELECT convert_from('\\xff', 'UTF8')", .valueNotRepresentable),
            (
                "CREATE TABLE t (a text PRIMARY KEY); INSERT INTO t SELECT string_agg(gen_random_uuid()::text, '') "
                    + "FROM generate_series(1, 1000)", .valueNotRepresentable
            ),
        ])
    func statement(sql: String, expected: StoreError.Code) async throws {
        #expect(try await error(sql).code == expected)
    }

    @Test("an expression that is too deep for the server is unsupported")
    func tooDeep() async throws {
        let sql = "SELECT 1" + String(repeating: " + 1", count: 100_000)
        #expect(try await error(sql).code == .unsupported)
    }

    @Test("a transaction that has failed takes no further statement")
    func aborted() async throws {
        let codes = try await TestServer.withSession { session in
            try session.begin(.serializable)
            return [
                #expect(throws: StoreError.self) { _ = try session.cell("SELECT 1 / 0") }?.code,
                #expect(throws: StoreError.self) { _ = try session.cell("SELECT 1") }?.code,
                #expect(throws: StoreError.self) { try session.commit() }?.code,
            ]
        }
        #expect(codes == [.arithmetic, .transactionAborted, .transactionAborted])
    }

    @Test("a missing privilege is a configuration error")
    func privilege() async throws {
        let pool = try TestServer.pool(TestServer.parameters(PostgresServer.passwordURL))
        let error = await #expect(throws: StoreError.self) {
            try await pool.run { try $0.script("CREATE ROLE another") }
        }
        #expect(error?.code == .configuration)
        await pool.close()
    }

    @Test("a server without a free connection is busy")
    func tooManyConnections() async throws {
        let pool = try TestServer.pool()
        try await pool.run { try $0.script("CREATE ROLE crowded LOGIN CONNECTION LIMIT 0") }
        var parameters = try TestServer.parameters()
        parameters["user"] = "crowded"
        let crowded = try TestServer.pool(parameters)
        #expect(await #expect(throws: StoreError.self) { try await crowded.run { _ in } }?.code == .busy)
        try await pool.run { try $0.script("DROP ROLE crowded") }
        await pool.close()
    }

    @Test("foreign prepared statements reveal a pooler, and the error names its setting")
    func pooler() async throws {
        let message =
            "The server session has changed: a pooler, such as PgBouncer in transaction mode, gives each "
            + "transaction another one. Set store.postgres.pooling to transaction; the transaction was not "
            + "carried out."
        let error = try await TestServer.withSession { session in
            // As another client would have left them.
            for number in 1...9 { try session.script("PREPARE switchyard_\(number) AS SELECT 1") }
            return #expect(throws: StoreError.self) { try session.cell("SELECT 2") }
        }
        #expect(error?.code == .configuration)
        #expect(error?.message == message)
        let missing = StoreError(PostgresError(sqlState: "26000", message: ""))
        #expect(missing.code == .serialization)
        #expect(missing.afterAttempts(10).code == .configuration)
        #expect(missing.afterAttempts(10).message == message)
    }

    @Test("a full disk on the server is reported with what to do")
    func full() {
        #expect(
            StoreError(PostgresError(sqlState: "53100", message: "")).message
                == "The server's disk is full. Make room on it, then run the transaction again.")
    }

    @Test(
        "SQLSTATEs that tests cannot provoke have codes",
        arguments: [
            ("53100", StoreError.Code.full), ("40003", .outcomeUnknown), ("57P03", .connectionLost),
            ("08006", .connectionLost),
            ("28000", .authentication), ("57P04", .configuration), ("XX001", .corrupted),
            ("58030", .inputOutput),
            ("99999", .backend), ("", .backend),
        ])
    func table(sqlState: String, expected: StoreError.Code) {
        #expect(StoreError(PostgresError(sqlState: sqlState, message: "")).code == expected)
    }
}
