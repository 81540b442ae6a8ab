import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("Streams of rows", .needsServer)
struct StreamTests {
    private struct Stop: Error {}

    /// The two ways in which rows come from the server.
    enum Way: CaseIterable {
        case query, copy

        func forEachRow(
            _ sql: String, types: [WireType] = [.int8], of session: Session,
            _ body: (UnsafeBufferPointer<Cell>) throws -> Bool
        ) throws {
            switch self {
            case .query: try session.forEachRow(sql, types: types, body)
            case .copy: try session.forEachCopiedRow(sql, types: types, body)
            }
        }
    }

    @Test("a stream returns all rows in order")
    func all() async throws {
        let sum = try await TestServer.withSession { session in
            try session.begin(.snapshot)
            var parameters = Parameters()
            try parameters.append(.int(10_000), as: .int8)
            var (count, sum) = (0 as Int64, 0 as Int64)
            try session.forEachRow("SELECT n, n::text FROM generate_series(1, $1) AS n", parameters) {
                cells in
                count += 1
                #expect(cells[0].word == count)
                sum += cells[0].word
                return true
            }
            try session.commit()
            return sum
        }
        #expect(sum == 50_005_000)
    }

    @Test("a stream of no rows ends at once", arguments: Way.allCases)
    func none(way: Way) async throws {
        try await TestServer.withSession { session in
            try way.forEachRow("SELECT 1::int8 WHERE false", of: session) { _ in
                Issue.record("a row came")
                return true
            }
        }
    }

    @Test("a stream stops when its body has enough, and the transaction goes on", arguments: Way.allCases)
    func enough(way: Way) async throws {
        let rest = try await TestServer.withSession { session in
            try session.begin(.snapshot)
            var seen = 0
            try way.forEachRow("SELECT generate_series(1, 5000)::int8", of: session) { _ in
                seen += 1
                return seen < 3
            }
            #expect(seen == 3)
            let rest = try session.cell("SELECT 1")
            try session.commit()
            return rest
        }
        #expect(rest == .integer(1))
    }

    @Test(
        "a stream throws an error after the first rows, and the session stays usable", arguments: Way.allCases
    )
    func lateError(way: Way) async throws {
        let result = try await TestServer.withSession { session in
            var count = 0
            let quotients = "SELECT (1 / (5 - n))::int8 FROM generate_series(1, 10) AS n"
            let failed = #expect(throws: StoreError.self) {
                try way.forEachRow(quotients, of: session) { _ in
                    count += 1
                    return true
                }
            }
            #expect(failed?.code == .arithmetic)
            // A copy's rows come in groups, and the last one is lost.
            #expect(way == .copy ? count <= 4 : count == 4)
            return try session.cell("SELECT 1")
        }
        #expect(result == .integer(1))
    }

    @Test(
        "a stream's body that throws ends the statement on the server, and the session stays usable",
        arguments: Way.allCases)
    func thrown(way: Way) async throws {
        let result = try await TestServer.withSession { session in
            try session.begin(.snapshot)
            #expect(throws: Stop.self) {
                try way.forEachRow("SELECT generate_series(1, 1000000000000)::int8", of: session) { cells in
                    if cells[0].word == 3 { throw Stop() }
                    return true
                }
            }
            session.rollback()
            return try session.cell("SELECT 1")
        }
        #expect(result == .integer(1))
    }

    @Test("a stream's column of an unexpected type is corrupted, and named", arguments: Way.allCases)
    func unexpectedType(way: Way) async throws {
        let error = await #expect(throws: StoreError.self) {
            try await TestServer.withSession { session in
                try way.forEachRow("SELECT 1::int8 AS start", types: [.timestamptz], of: session) {
                    _ in true
                }
            }
        }
        #expect(error?.code == .corrupted)
        #expect(error?.attribute == "start")
    }
}
