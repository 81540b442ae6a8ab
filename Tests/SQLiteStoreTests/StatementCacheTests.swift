import GRDB
import GRDBSQLite
import Testing

@testable import SQLiteStore

@Suite("Prepared statements are used again")
struct StatementCacheTests {
    private let rows = "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3"

    private struct Stop: Error {}

    @Test("a prepared statement is reused for the same text")
    func reuse() throws {
        try DatabaseQueue().inDatabase { database in
            let statements = StatementCache()
            let first = try statements.withStatement(rows, on: database) { $0 }
            #expect(try statements.withStatement(rows, on: database) { $0 === first })
            #expect(try statements.withStatement("SELECT 4", on: database) { $0 !== first })
            statements.removeAll()
        }
    }

    @Test("a prepared statement is not reused while a loop over its rows is running")
    func nestedLoops() throws {
        var pairs: [[CInt]] = []
        try DatabaseQueue().inDatabase { database in
            let statements = StatementCache()
            for _ in 0..<2 {
                try statements.withStatement(rows, on: database) { outer in
                    try outer.forEach { row in
                        // A loop that was reset would never end.
                        guard pairs.count < 18 else { throw Stop() }
                        let first = sqlite3_column_int(row, 0)
                        try statements.withStatement(rows, on: database) { inner in
                            try inner.forEach { pairs.append([first, sqlite3_column_int($0, 0)]) }
                        }
                    }
                }
            }
            statements.removeAll()
        }
        let all: [[CInt]] = [[1, 1], [1, 2], [1, 3], [2, 1], [2, 2], [2, 3], [3, 1], [3, 2], [3, 3]]
        #expect(pairs == all + all)
    }

    @Test("a prepared statement is not reused after its loop has failed")
    func failure() throws {
        try DatabaseQueue().inDatabase { database in
            let statements = StatementCache()
            var failed: CellCursor?
            #expect(throws: Stop.self) {
                try statements.withStatement(rows, on: database) { cursor in
                    failed = cursor
                    try cursor.forEach { _ in throw Stop() }
                }
            }
            var count = 0
            try statements.withStatement(rows, on: database) { cursor in
                #expect(cursor !== failed)
                try cursor.forEach { _ in count += 1 }
            }
            #expect(count == 3)
            statements.removeAll()
        }
    }
}
