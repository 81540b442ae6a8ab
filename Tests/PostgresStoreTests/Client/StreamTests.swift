import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("Streams of rows", .needsServer)
struct StreamTests {
    private struct Stop: Error {}

    @Test("all rows come, in order")
    func all() async throws {
        let sum = try await TestServer.withSession { session in
            session.begin(.snapshot)
            var parameters = Parameters()
            try parameters.append(.int(10_000), as: .int8)
            var (count, sum) = (0 as Int64, 0 as Int64)
            try session.forEachRow("SELECT n, n::text FROM generate_series(1, $1) AS n", parameters) {
                cells in
                count += 1
                #expect(cells[0].word == count)
                sum += cells[0].word
            }
            try session.commit()
            return sum
        }
        #expect(sum == 50_005_000)
    }

    @Test("no row")
    func none() async throws {
        try await TestServer.withSession { session in
            try session.forEachRow("SELECT 1 WHERE false") { _ in Issue.record("a row came") }
        }
    }

    @Test("an error after the first rows is thrown, and the session stays usable")
    func lateError() async throws {
        let result = try await TestServer.withSession { session in
            var count = 0
            let failed = code {
                try session.forEachRow("SELECT 1 / (5 - n) FROM generate_series(1, 10) AS n") { _ in
                    count += 1
                }
            }
            #expect(failed == .arithmetic)
            #expect(count == 4)
            return try session.cell("SELECT 1")
        }
        #expect(result == .integer(1))
    }

    @Test("a body that throws ends the statement on the server, and the session stays usable")
    func thrown() async throws {
        let result = try await TestServer.withSession { session in
            session.begin(.snapshot)
            #expect(throws: Stop.self) {
                try session.forEachRow("SELECT n FROM generate_series(1, 1000000000000) AS n") { cells in
                    if cells[0].word == 3 { throw Stop() }
                }
            }
            session.rollback()
            return try session.cell("SELECT 1")
        }
        #expect(result == .integer(1))
    }

    @Test("a cursor leaves room for other statements between its rows")
    func cursor() async throws {
        let sum = try await TestServer.withSession { session in
            session.begin(.snapshot)
            var parameters = Parameters()
            try parameters.append(.int(3_000), as: .int8)
            let cursor = try Cursor(session, "SELECT n FROM generate_series(1, $1) AS n", parameters)
            var (count, sum) = (0, 0 as Int64)
            while let cells = try cursor.next() {
                sum += cells[0].word
                count += 1
                if count.isMultiple(of: 500) {
                    #expect(try session.cell("SELECT \(count)") == .integer(Int64(count)))
                }
            }
            #expect(try cursor.next() == nil)
            #expect(count == 3_000)
            try cursor.close()
            let early = try Cursor(
                session, "SELECT n FROM generate_series(1, 1000000000000) AS n", Parameters())
            #expect(try early.next()?[0].word == 1)
            try early.close()
            try session.commit()
            return sum
        }
        #expect(sum == 4_501_500)
    }

    @Test("a cursor over exactly one batch, and over none")
    func cursorEdges() async throws {
        let counts = try await TestServer.withSession { session in
            session.begin(.snapshot)
            var counts: [Int] = []
            for size in [0, 1, 1_023, 1_024, 1_025, 2_048] {
                let cursor = try Cursor(
                    session, "SELECT n FROM generate_series(1, \(size)) AS n", Parameters())
                var count = 0
                while try cursor.next() != nil { count += 1 }
                counts.append(count)
            }
            try session.commit()
            return counts
        }
        #expect(counts == [0, 1, 1_023, 1_024, 1_025, 2_048])
    }
}
