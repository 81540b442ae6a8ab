import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("Statements that share a round trip", .needsServer)
struct PipelineTests {
    private static let insert = "INSERT INTO t SELECT n FROM unnest($1) AS n RETURNING n"

    private static func batch(_ numbers: ClosedRange<Int64>) throws -> WireBatch {
        var batch = WireBatch(types: [.int8])
        for number in numbers { try add(number, to: &batch) }
        return batch
    }

    private static func add(_ number: Int64, to batch: inout WireBatch) throws {
        try withUnsafePointer(to: Cell(integer: number)) { cell in
            try batch.append(UnsafeBufferPointer(start: cell, count: 1))
        }
    }

    private static func numbers(_ result: borrowing QueryResult) throws -> [Int64] {
        var numbers: [Int64] = []
        try result.forEachRow { numbers.append($0[0].word) }
        return numbers
    }

    @Test("a read that follows another on its connection has a snapshot of its own")
    func snapshots() async throws {
        let counts = try await TestServer.withSession { session in
            try session.script("CREATE TABLE t (n int8)")
            let other = try TestServer.otherSession(options: session.options)
            try session.begin(.snapshot)
            let first = try session.cell("SELECT count(*) FROM t")
            try session.endRead()
            try other.script("INSERT INTO t VALUES (1)")
            try session.begin(.snapshot)
            let second = try session.cell("SELECT count(*) FROM t")
            try session.endRead()
            return [first, second]
        }
        #expect(counts == [.integer(0), .integer(1)])
    }

    @Test(
        "a write that follows a read on its connection is a transaction of its own",
        arguments: [false, true])
    func writeAfterRead(beginsWithCommand: Bool) async throws {
        let rows = try await TestServer.withSession { session in
            try session.script("CREATE TABLE t (n int8)")
            try session.begin(.snapshot)
            _ = try session.cell("SELECT count(*) FROM t")
            try session.endRead()
            try session.begin(.serializable)
            if beginsWithCommand { try session.command("SAVEPOINT a") }
            _ = try session.execute("INSERT INTO t VALUES (1)")
            try session.commit()
            return try session.rows("SELECT n FROM t")
        }
        #expect(rows == [[.integer(1)]])
    }

    @Test("a statement outside a transaction is not part of the previous read")
    func outside() async throws {
        let rows = try await TestServer.withSession { session in
            try session.begin(.snapshot)
            _ = try session.cell("SELECT 1")
            try session.endRead()
            // A read-only transaction would refuse this.
            try session.script("CREATE TABLE t AS SELECT 7::int8 AS n")
            return try TestServer.otherSession(options: session.options).rows("SELECT n FROM t")
        }
        #expect(rows == [[.integer(7)]])
    }

    @Test("a read's locks end with it even if no transaction follows")
    func idle() async throws {
        try await TestServer.withSchema { pool, _ in
            try await pool.run { try $0.script("CREATE TABLE t (n int8)") }
            try await pool.run { session in
                try session.begin(.snapshot)
                _ = try session.cell("SELECT count(*) FROM t")
                try session.endRead()
            }
            // Waits for the read's lock; its own timeout would end it.
            let options = try await pool.run { $0.options }
            try TestServer.otherSession(options: options).script("DROP TABLE t")
        }
    }

    @Test("batches sent ahead run in order, and each result is returned")
    func ahead() async throws {
        let found = try await TestServer.withSession { session -> [[Int64]] in
            try session.script("CREATE TABLE t (n int8 PRIMARY KEY)")
            try session.begin(.serializable)
            var rest: [ClosedRange<Int64>] = [3...4, 5...5]
            var results: [[Int64]] = []
            try session.executeAhead(Self.insert, Self.batch(1...2)) { batch in
                guard !rest.isEmpty else { return }
                for number in rest.removeFirst() { try Self.add(number, to: &batch) }
            } _: {
                results.append(try Self.numbers($0))
            }
            try session.commit()
            return results + [try session.rows("SELECT count(*) FROM t").count == 1 ? [] : [-1]]
        }
        #expect(found == [[1, 2], [3, 4], [5], []])
    }

    @Test(
        "a batch that is refused ends the transaction, with another batch on its way or not",
        arguments: [1, 4])
    func refused(last: Int64) async throws {
        let (code, rows) = try await TestServer.withSession { session in
            try session.script("CREATE TABLE t (n int8 PRIMARY KEY)")
            try session.begin(.serializable)
            var next: Int64 = 0
            var code: StoreError.Code?
            do {
                try session.executeAhead(Self.insert, Self.batch(1...1)) { batch in
                    next += 1
                    // The row of the first batch again, and others after it.
                    if next <= last { try Self.add(next, to: &batch) }
                } _: { _ in
                }
            } catch let error as StoreError { code = error.code }
            session.rollback()
            return (code, try session.rows("SELECT n FROM t"))
        }
        #expect(code == .unique)
        #expect(rows == [])
    }

    @Test("a closure that throws between batches leaves the connection usable", arguments: [true, false])
    func closures(isNext: Bool) async throws {
        struct Stop: Error {}
        let rows = try await TestServer.withSession { session in
            try session.script("CREATE TABLE t (n int8 PRIMARY KEY)")
            try session.begin(.serializable)
            #expect(throws: Stop.self) {
                try session.executeAhead(Self.insert, Self.batch(1...1)) { batch in
                    if isNext { throw Stop() }
                    try Self.add(2, to: &batch)
                } _: { _ in
                    if !isNext { throw Stop() }
                }
            }
            session.rollback()
            return try session.rows("SELECT n FROM t")
        }
        #expect(rows == [])
    }
}
