import Foundation
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("Transactions", .needsServer)
struct TransactionTests {
    @Test("a write is serializable, a read is one read-only snapshot")
    func isolation() async throws {
        let rows = try await TestServer.withSession { session in
            let sql =
                "SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only')"
            try session.begin(.serializable)
            let write = try session.rows(sql)
            try session.commit()
            try session.begin(.snapshot)
            let read = try session.rows(sql)
            try session.commit()
            return write + read
        }
        #expect(rows == [[.text("serializable"), .text("off")], [.text("repeatable read"), .text("on")]])
    }

    @Test("a commit persists, a rollback and an open transaction do not")
    func outcome() async throws {
        try await TestServer.withSchema(limits: ConnectionPool.Limits(size: 1)) { pool, _ in
            try await pool.run { session in
                try session.script("CREATE TABLE t (n int8)")
                try session.begin(.serializable)
                _ = try session.execute("INSERT INTO t VALUES (1)")
                try session.commit()
                try session.begin(.serializable)
                _ = try session.execute("INSERT INTO t VALUES (2)")
                session.rollback()
                try session.begin(.serializable)
                _ = try session.execute("INSERT INTO t VALUES (3)")
            }
            #expect(try await pool.run { try $0.rows("SELECT n FROM t") } == [[.integer(1)]])
        }
    }

    @Test("a transaction without statements sends nothing")
    func empty() async throws {
        try await TestServer.withSession { session in
            try session.begin(.serializable)
            try session.commit()
            try session.begin(.serializable)
            session.rollback()
            #expect(!session.isPending)
        }
    }

    @Test("a deferred constraint is checked at the commit and named")
    func deferred() async throws {
        let error = try await TestServer.withSession { session -> StoreError? in
            try session.script(
                """
                CREATE TABLE t (
                    id int8 PRIMARY KEY,
                    other int8 CONSTRAINT t_other REFERENCES t DEFERRABLE INITIALLY DEFERRED)
                """)
            try session.begin(.serializable)
            _ = try session.execute("INSERT INTO t VALUES (1, 2)")
            do {
                try session.commit()
                return nil
            } catch { return error as? StoreError }
        }
        #expect(error?.code == .foreignKey)
        #expect(error?.constraint == "t_other")
    }

    @Test("a server that dies in mid-transaction is a lost connection, and the pool stays usable")
    func death() async throws {
        try await TestServer.withSchema(limits: ConnectionPool.Limits(size: 1)) { pool, _ in
            try await pool.run { try $0.script("CREATE TABLE t (n int8)") }
            let error = await #expect(throws: StoreError.self) {
                try await pool.run { session in
                    try session.begin(.serializable)
                    _ = try session.execute("INSERT INTO t VALUES (1)")
                    try TestServer.otherSession().terminate(session.backend)
                    _ = try session.execute("INSERT INTO t VALUES (2)")
                }
            }
            #expect(error?.code == .connectionLost)
            #expect(try await pool.run { try $0.cell("SELECT count(*) FROM t") } == .integer(0))
        }
    }

    @Test("a server that has died before COMMIT is sent is a lost connection")
    func deathBeforeCommit() async throws {
        try await TestServer.withSchema(limits: ConnectionPool.Limits(size: 1)) { pool, _ in
            try await pool.run { try $0.script("CREATE TABLE t (n int8)") }
            let error = await #expect(throws: StoreError.self) {
                try await pool.run { session in
                    try session.begin(.serializable)
                    _ = try session.execute("INSERT INTO t VALUES (1)")
                    try TestServer.otherSession().terminate(session.backend)
                    try session.commit()
                }
            }
            #expect(error?.code == .connectionLost)
            #expect(try await pool.run { try $0.cell("SELECT count(*) FROM t") } == .integer(0))
        }
    }

    @Test("a server that dies during COMMIT leaves the outcome unknown")
    func deathDuringCommit() async throws {
        try await TestServer.withSchema(limits: ConnectionPool.Limits(size: 1)) { pool, _ in
            try await pool.run { session in
                // The trigger runs within COMMIT and ends the session it runs in.
                try session.script(
                    """
                    CREATE TABLE t (n int8);
                    CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
                        $$BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END$$;
                    CREATE CONSTRAINT TRIGGER t_die AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED
                        FOR EACH ROW EXECUTE FUNCTION die()
                    """)
            }
            let error = await #expect(throws: StoreError.self) {
                try await pool.run { session in
                    try session.begin(.serializable)
                    _ = try session.execute("INSERT INTO t VALUES (1)")
                    try session.commit()
                }
            }
            #expect(error?.code == .outcomeUnknown)
            #expect(try await pool.run { try $0.cell("SELECT count(*) FROM t") } == .integer(0))
        }
    }
}
