import SwitchyardCore
import SwitchyardSQL
import Testing

@testable import PostgresStore

@Suite("Large results by COPY", .needsServer)
struct CopyOutTests {
    @Test("COPY returns every type as a result does, including null and empty values")
    func types() async throws {
        let rows = try await TestServer.withSession { session in
            var rows: [[TestCell]] = []
            try session.forEachCopiedRow(
                """
                SELECT * FROM (VALUES
                    (1::int8, true, 1.5::float8, 12.50::numeric, 'Mia'::text, '\\x0102'::bytea,
                     '00000000-0000-0000-0000-000000000001'::uuid, '1970-01-01 00:00:01Z'::timestamptz,
                     '1970-01-02'::date),
                    (2, NULL, NULL, NULL, '', '', NULL, NULL, NULL)) AS v (a, b, c, d, e, f, g, h, i) ORDER BY a
                """,
                types: [.int8, .bool, .float8, .numeric, .text, .bytea, .uuid, .timestamptz, .date]
            ) {
                rows.append($0.map(TestCell.init))
                return true
            }
            return rows
        }
        let id: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
        #expect(
            rows == [
                [
                    .integer(1), .integer(1), .double(1.5), .text("12.5"), .text("Mia"), .blob([1, 2]),
                    .blob(id), .integer(1_000_000), .integer(1),
                ],
                [.integer(2), .null, .null, .null, .text(""), .blob([]), .null, .null, .null],
            ])
    }

    @Test("COPY returns rows in order, from the transaction's snapshot and its own writes")
    func transaction() async throws {
        let (numbers, isOpen) = try await TestServer.withSession { session in
            try session.script("CREATE TABLE t (n int8)")
            try session.begin(.serializable)
            _ = try session.execute("INSERT INTO t SELECT generate_series(1, 20000)")
            var numbers: [Int64] = []
            try session.forEachCopiedRow("SELECT n FROM t ORDER BY n DESC", types: [.int8]) {
                numbers.append($0[0].word)
                return true
            }
            session.rollback()
            return (numbers, try session.cell("SELECT count(*) FROM t"))
        }
        #expect(numbers.count == 20_000)
        #expect(numbers.first == 20_000)
        #expect(numbers.last == 1)
        #expect(numbers == numbers.sorted(by: >))
        #expect(isOpen == .integer(0))
    }

    @Test("a transaction can begin with a COPY, after a read whose end is unsent")
    func begins() async throws {
        let found = try await TestServer.withSession { session in
            try session.script("CREATE TABLE t (n int8)")
            let other = try TestServer.otherSession(options: session.options)
            try session.begin(.snapshot)
            _ = try session.cell("SELECT count(*) FROM t")
            try session.endRead()
            try other.script("INSERT INTO t VALUES (7)")
            try session.begin(.snapshot)
            var found: [Int64] = []
            try session.forEachCopiedRow("SELECT n FROM t", types: [.int8]) {
                found.append($0[0].word)
                return true
            }
            try session.endRead()
            return found
        }
        #expect(found == [7])
    }

    @Test("cancelling the task stops a COPY")
    func cancelled() async throws {
        try await TestServer.withSchema { pool, _ in
            let (ready, signal) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                try await pool.run { session in
                    try session.forEachCopiedRow(
                        "SELECT generate_series(1, 1000000000000)::int8", types: [.int8]
                    ) { _ in
                        signal.finish()
                        return true
                    }
                }
            }
            for await _ in ready {}
            task.cancel()
            #expect(await #expect(throws: StoreError.self) { try await task.value }?.code == .cancelled)
        }
    }

    @Test("COPY is not used for statements that change rows and return them")
    func returning() async throws {
        let (deleted, left) = try await TestServer.withSession { session in
            try session.script("CREATE TABLE t (n int8)")
            var deleted: [Int] = []
            // The second time, the first one's number of rows is known.
            for round in 0..<2 {
                _ = try session.execute("INSERT INTO t SELECT generate_series(1, 20000)")
                deleted.append(0)
                try session.query(
                    SQLStatement(text: "DELETE FROM t RETURNING n"), types: [.int],
                    context: ErrorContext(entity: "t", attributes: ["n"])
                ) { _ in
                    deleted[round] += 1
                    return true
                }
            }
            return (deleted, try session.cell("SELECT count(*) FROM t"))
        }
        #expect(deleted == [20_000, 20_000])
        #expect(left == .integer(0))
    }

    @Test("COPY is used for results that were large the last time the session read all of them")
    func choice() async throws {
        let large = try await TestServer.withSession { session in
            try session.script("CREATE TABLE t (n int8); INSERT INTO t SELECT generate_series(1, 20000)")
            let all = SQLStatement(text: "SELECT n FROM t")
            func count(upTo limit: Int = .max) throws -> Int {
                var count = 0
                try session.query(all, types: [.int], context: ErrorContext(entity: "t", attributes: ["n"])) {
                    _ in
                    count += 1
                    return count < limit
                }
                return count
            }
            var large = [session.gaveManyRows(all.text)]
            #expect(try count() == 20_000)
            large.append(session.gaveManyRows(all.text))
            #expect(try count(upTo: 3) == 3)
            large.append(session.gaveManyRows(all.text))
            try session.script("DELETE FROM t WHERE n > 2")
            #expect(try count() == 2)
            large.append(session.gaveManyRows(all.text))
            #expect(try count() == 2)
            return large
        }
        #expect(large == [false, true, true, false])
    }
}
