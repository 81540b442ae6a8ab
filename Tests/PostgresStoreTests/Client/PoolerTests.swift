import PostgresTestServer
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("A transaction-pooling PgBouncer", .needsPooler)
struct PoolerTests {
    private static let options = {
        var options = SessionOptions()
        options.pooling = .transaction
        return options
    }()

    private func withPool(_ body: (ConnectionPool, String) async throws -> Void) async throws {
        try await TestServer.withSchema(options: Self.options, url: PostgresServer.poolerURL, body)
    }

    @Test("settings travel with each transaction through a pooler")
    func settings() async throws {
        try await withPool { pool, schema in
            let rows = try await pool.run { session in
                try session.begin(.serializable)
                let row = try session.rows(
                    """
                    SELECT current_setting('search_path'), current_setting('TimeZone'), current_setting('lock_timeout'),
                    current_setting('transaction_isolation')
                    """)
                try session.commit()
                return row
            }
            #expect(
                rows == [
                    [.text(#""\#(schema)", pg_temp"#), .text("UTC"), .text("10s"), .text("serializable")]
                ])
        }
    }

    @Test("many users, statements, streams and COPY work through a pooler")
    func work() async throws {
        try await withPool { pool, _ in
            try await pool.run { session in
                try session.begin(.serializable)
                try session.script("CREATE TABLE t (n int8)")
                try session.commit()
            }
            try await withThrowingTaskGroup { group in
                for user in 0..<6 {
                    group.addTask {
                        for round in 0..<20 {
                            try await pool.run { session in
                                try session.begin(.snapshot)
                                let number = Int64(user * 100 + round)
                                let cell = try session.cell(
                                    "SELECT $1 + count(*) FROM t", [(.int(number), .int8)])
                                #expect(cell != .null)
                                try session.commit()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let sum = try await pool.run { session in
                try session.begin(.serializable)
                _ = try session.copyIn("t (n)", types: [.int8]) { copy in
                    for number in 1...1_000 as ClosedRange<Int64> {
                        try withUnsafePointer(to: Cell(integer: number)) {
                            try copy.write(UnsafeBufferPointer(start: $0, count: 1))
                        }
                    }
                }
                var sum: Int64 = 0
                try session.forEachRow("SELECT n FROM t") { cells in
                    sum += cells[0].word
                    return true
                }
                try session.commit()
                return sum
            }
            #expect(sum == 500_500)
        }
    }

    @Test("two reads through a pooler in one use of a connection have a snapshot each")
    func reads() async throws {
        try await withPool { pool, _ in
            try await pool.run { session in
                try session.begin(.serializable)
                try session.script("CREATE TABLE t (n int8)")
                try session.commit()
            }
            let counts = try await pool.run { session in
                try session.begin(.snapshot)
                let first = try session.cell("SELECT count(*) FROM t")
                try session.endRead()
                try session.begin(.serializable)
                _ = try session.execute("INSERT INTO t VALUES (1)")
                try session.commit()
                try session.begin(.snapshot)
                let second = try session.cell("SELECT count(*) FROM t")
                try session.endRead()
                return [first, second]
            }
            #expect(counts == [.integer(0), .integer(1)])
        }
    }

    @Test("cancellation through a pooler ends the statement and discards the connection")
    func cancellation() async throws {
        try await withPool { pool, _ in
            let task = Task {
                try await pool.run { session in
                    try session.begin(.snapshot)
                    _ = try session.rows("SELECT pg_sleep(600), 'to be cancelled'")
                }
            }
            try await TestServer.waitForSession(
                where: "wait_event = 'PgSleep' AND query LIKE '%to be cancelled%'")
            task.cancel()
            #expect(await #expect(throws: StoreError.self) { try await task.value }?.code == .cancelled)
            #expect(pool.count == 0)
            let next = try await pool.run { try $0.cell("SELECT 1") }
            #expect(next == .integer(1))
        }
    }
}
