import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("The state of a session", .needsServer)
struct SessionStateTests {
    /// The code of the error of a step that is refused.
    private static func refusal(_ step: () throws -> Void) -> StoreError.Code? {
        #expect(throws: StoreError.self) { try step() }?.code
    }

    private static func row() throws -> WireBatch {
        var batch = WireBatch(types: [.int8])
        try withUnsafePointer(to: Cell(integer: 1)) { cell in
            try batch.append(UnsafeBufferPointer(start: cell, count: 1))
        }
        return batch
    }

    @Test("lets no transaction begin within another, which goes on", arguments: [false, true])
    func nested(isOpen: Bool) async throws {
        let rows = try await TestServer.withSession { session in
            try session.script("CREATE TABLE t (n int8)")
            try session.begin(.serializable)
            if isOpen { _ = try session.cell("SELECT 1") }
            #expect(Self.refusal { try session.begin(.snapshot) } == .invalidArgument)
            _ = try session.execute("INSERT INTO t VALUES (7)")
            try session.commit()
            return try session.rows("SELECT n FROM t")
        }
        #expect(rows == [[.integer(7)]])
    }

    @Test("without a transaction refuses its steps, and nothing else", arguments: [false, true])
    func outside(followsRead: Bool) async throws {
        let count = try await TestServer.withSession { session in
            try session.script("CREATE TABLE t (n int8)")
            if followsRead {
                try session.begin(.snapshot)
                _ = try session.cell("SELECT 1")
                try session.endRead()
            }
            #expect(Self.refusal { try session.commit() } == .invalidArgument)
            #expect(Self.refusal { try session.endRead() } == .invalidArgument)
            #expect(
                Self.refusal { _ = try session.insert("INSERT INTO t VALUES ($1)", Self.row()) }
                    == .invalidArgument)
            session.rollback()
            return try session.cell("SELECT count(*) FROM t")
        }
        #expect(count == .integer(0))
    }

    @Test("lets no statement in among the rows of another, which goes on")
    func amongRows() async throws {
        let (rows, next) = try await TestServer.withSession { session in
            var rows: [Int64] = []
            try session.forEachRow("SELECT generate_series(1, 3)::int8") { cells in
                rows.append(cells[0].word)
                #expect(Self.refusal { _ = try session.cell("SELECT 0") } == .invalidArgument)
                return true
            }
            return (rows, try session.cell("SELECT 4"))
        }
        #expect(rows == [1, 2, 3])
        #expect(next == .integer(4))
    }

    @Test("lets no statement in among the rows of a COPY to the server, which goes on")
    func amongCopiedRows() async throws {
        let count = try await TestServer.withSession { session in
            try session.script("CREATE TABLE t (n int8)")
            try session.begin(.serializable)
            _ = try session.copyIn("t (n)", types: [.int8]) { copy in
                try copy.write(Self.row())
                #expect(Self.refusal { _ = try session.cell("SELECT 0") } == .invalidArgument)
                try copy.write(Self.row())
            }
            try session.commit()
            return try session.cell("SELECT count(*) FROM t")
        }
        #expect(count == .integer(2))
    }

    @Test("is that of no transaction after a COMMIT that was refused")
    func refusedCommit() async throws {
        let rows = try await TestServer.withSession { session in
            try session.script(
                "CREATE TABLE t (n int8 CONSTRAINT t_n REFERENCES t (m) DEFERRABLE INITIALLY DEFERRED, m int8 UNIQUE)"
            )
            try session.begin(.serializable)
            _ = try session.execute("INSERT INTO t VALUES (1, 2)")
            #expect(Self.refusal { try session.commit() } == .foreignKey)
            try session.begin(.serializable)
            _ = try session.execute("INSERT INTO t VALUES (3, 3)")
            try session.commit()
            return try session.rows("SELECT n FROM t")
        }
        #expect(rows == [[.integer(3)]])
    }

    @Test("of a lost connection refuses every step as lost")
    func lost() async throws {
        try await TestServer.withSession { session in
            let pid = try session.backend
            try session.begin(.serializable)
            _ = try session.cell("SELECT 1")
            try TestServer.otherSession().terminate(pid)
            #expect(Self.refusal { _ = try session.cell("SELECT 2") } == .connectionLost)
            #expect(Self.refusal { _ = try session.cell("SELECT 3") } == .connectionLost)
            #expect(
                Self.refusal { _ = try session.insert("SELECT $1", Self.row()) } == .connectionLost)
            #expect(Self.refusal { try session.endRead() } == .connectionLost)
            #expect(Self.refusal { try session.commit() } == .connectionLost)
            session.rollback()
            #expect(Self.refusal { try session.begin(.snapshot) } == .connectionLost)
            #expect(!session.settle())
        }
    }
}
