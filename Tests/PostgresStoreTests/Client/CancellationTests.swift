import Foundation
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("Cancellation", .needsServer)
struct CancellationTests {
    /// Runs `body` in a task that is cancelled once `body` has called its argument.
    private func cancelled(
        _ pool: ConnectionPool, _ body: @escaping @Sendable (Session, _ ready: () -> Void) throws -> Void
    ) async -> StoreError.Code? {
        let (ready, signal) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await pool.run { session in try body(session) { signal.finish() } }
        }
        for await _ in ready {}
        task.cancel()
        return await #expect(throws: StoreError.self) { try await task.value }?.code
    }

    @Test("cancellation ends a statement in mid-run; the same connection stays usable")
    func midRun() async throws {
        try await TestServer.withSchema(limits: ConnectionPool.Limits(size: 1)) { pool, _ in
            let before = try await pool.run { try $0.backend }
            let code = await cancelled(pool) { session, ready in
                try session.begin(.serializable)
                _ = try session.cell("SELECT 1")
                ready()
                _ = try session.rows("SELECT pg_sleep(600)")
            }
            #expect(code == .cancelled)
            #expect(try await pool.run { try $0.backend } == before)
        }
    }

    @Test("cancellation ends a stream and a COPY; the same connection stays usable")
    func bulk() async throws {
        try await TestServer.withSchema(limits: ConnectionPool.Limits(size: 1)) { pool, _ in
            try await pool.run { try $0.script("CREATE TABLE t (n int8)") }
            let before = try await pool.run { try $0.backend }
            let stream = await cancelled(pool) { session, ready in
                try session.forEachRow("SELECT generate_series(1, 1000000000000)") { cells in
                    if cells[0].word == 1_000 { ready() }
                    return true
                }
            }
            #expect(stream == .cancelled)
            let copy = await cancelled(pool) { session, ready in
                _ = try session.copyIn("t (n)", types: [.int8]) { copy in
                    let cell = [Cell(integer: 1)]
                    try cell.withUnsafeBufferPointer { cells in
                        for _ in 0..<1_000 { try copy.write(cells) }
                        ready()
                        while true { try copy.write(cells) }
                    }
                }
            }
            #expect(copy == .cancelled)
            #expect(try await pool.run { try $0.backend } == before)
            #expect(try await pool.run { try $0.cell("SELECT count(*) FROM t") } == .integer(0))
        }
    }

    @Test("cancellation between statements refuses the next one, and the commit")
    func between() async throws {
        try await TestServer.withSchema(limits: ConnectionPool.Limits(size: 1)) { pool, _ in
            try await pool.run { try $0.script("CREATE TABLE t (n int8)") }
            let code = await cancelled(pool) { session, ready in
                try session.begin(.serializable)
                _ = try session.execute("INSERT INTO t VALUES (1)")
                ready()
                while !session.canceller.isCancelled {}
                try session.commit()
            }
            #expect(code == .cancelled)
            #expect(try await pool.run { try $0.cell("SELECT count(*) FROM t") } == .integer(0))
        }
    }

    @Test("cancellation of a task before it starts runs nothing")
    func before() async throws {
        try await TestServer.withSchema { pool, _ in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await pool.run { _ = try $0.cell("SELECT 1") }
            }
            #expect(await #expect(throws: StoreError.self) { try await task.value }?.code == .cancelled)
        }
    }

    @Test("cancellation reaches a task that waits for the previous read's unanswered end")
    func owedAnswer() async throws {
        try await TestServer.withSchema(limits: ConnectionPool.Limits(size: 1)) { pool, _ in
            let silent = try await pool.run { session in
                let backend = try session.backend
                try session.begin(.snapshot)
                _ = try session.cell("SELECT 1")
                kill(pid_t(backend), SIGSTOP)
                try session.endRead()
                return backend
            }
            defer { kill(pid_t(silent), SIGCONT) }
            let task = Task { try await pool.run { try $0.backend } }
            task.cancel()
            #expect(await #expect(throws: StoreError.self) { try await task.value }?.code == .cancelled)
            #expect(try await pool.run { try $0.backend } != silent)
        }
    }

    @Test("a connection whose ROLLBACK is not answered is dropped without a cancel request")
    func unansweredRollback() async throws {
        struct Stop: Error {}
        try await TestServer.withSchema(limits: ConnectionPool.Limits(size: 1)) { pool, _ in
            let silent = try await pool.run { try $0.backend }
            defer { kill(pid_t(silent), SIGCONT) }
            await #expect(throws: Stop.self) {
                try await pool.run { session in
                    try session.begin(.serializable)
                    _ = try session.cell("SELECT 1")
                    kill(pid_t(silent), SIGSTOP)
                    throw Stop()
                }
            }
            #expect(try await pool.run { try $0.backend } != silent)
        }
    }

    @Test("cancellation never hits the statement after the one it was meant for")
    func late() async throws {
        try await TestServer.withSchema(limits: ConnectionPool.Limits(size: 1)) { pool, _ in
            for round in 0..<300 {
                let (ready, signal) = AsyncStream.makeStream(of: Void.self)
                let task = Task {
                    try await pool.run { session in
                        signal.finish()
                        for _ in 0..<(round % 7) { _ = try session.rows("SELECT 1") }
                    }
                }
                for await _ in ready {}
                task.cancel()
                _ = await task.result
                let next = try await pool.run { try $0.cell("SELECT count(*) FROM generate_series(1, 100)") }
                #expect(next == .integer(100))
            }
            #expect(pool.count == 1)
        }
    }
}
