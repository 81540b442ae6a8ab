import Foundation
import PostgresTestServer
import SwitchyardCore
import TableCopy
import Testing

@Suite(
    "Limits of the server that a plan knows",
    .enabled(if: PostgresServer.url != nil, Comment(rawValue: PostgresServer.need)))
struct LimitTests {
    private func columns(_ count: Int, _ type: String) -> String {
        (1...count).map { "c\($0) \(type)" }.joined(separator: ", ")
    }

    private func row(_ count: Int, _ value: String) -> String {
        [String](repeating: value, count: count).joined(separator: ", ")
    }

    @Test("a copy omits an index or a key of more columns than PostgreSQL allows")
    func indexColumns() async throws {
        let list = (1...33).map { "c\($0)" }.joined(separator: ", ")
        let fewer = (1...32).map { "c\($0)" }.joined(separator: ", ")
        let script = """
            CREATE TABLE t (\(columns(33, "INTEGER")), PRIMARY KEY (\(list)));
            CREATE INDEX i ON t (\(list)); CREATE INDEX kept ON t (\(fewer));
            CREATE TABLE u (\(columns(33, "INTEGER")), UNIQUE (\(list)), FOREIGN KEY (\(list)) REFERENCES t);
            INSERT INTO t VALUES (\(row(33, "1"))); INSERT INTO u VALUES (\(row(33, "1")));
            """
        try await Bench.with(script) { bench in
            let report = try await bench.copy().run()
            #expect(
                report.findings.map { "\($0.kind.rawValue) \($0.message)" } == [
                    "omitted The primary key of t is not copied: it has 33 columns; PostgreSQL takes 32.",
                    "omitted The index i is not copied: it has 33 columns; PostgreSQL takes 32.",
                    "omitted A unique constraint of u is not copied: it has 33 columns; PostgreSQL takes 32.",
                    "omitted The foreign key of u (\(list)) to t is not copied: it has 33 columns; "
                        + "PostgreSQL takes 32.",
                ])
            #expect(
                try await bench.column(
                    "SELECT indexname::text FROM pg_indexes WHERE schemaname = current_schema()") == ["kept"])
        }
    }

    @Test(
        "a copy accepts rows that fill a page, and refuses wider ones before anything is created",
        arguments: [
            ("INTEGER", "1", 1_017, 8_168), ("TEXT", "hex(randomblob(50))", 452, 8_184),
            ("TEXT", "'twenty bytes of text'", 387, 8_176), ("NUMERIC", "12345678.12345678", 739, 8_168),
            ("DATETIME", "'2024-01-01 00:00:00'", 1_017, 8_168), ("DATE", "'2024-01-01'", 1_600, 0),
        ])
    func rowWidth(type: String, value: String, count: Int, next: Int) async throws {
        func script(_ count: Int) -> String {
            "CREATE TABLE t (\(columns(count, type))); INSERT INTO t VALUES (\(row(count, value)))"
        }
        try await Bench.with(script(count)) { bench in
            let report = try await bench.copy().run()
            #expect(report.findings == [])
            #expect(report.tables.map(\.rows) == [1])
        }
        guard next > 0 else { return }
        try await Bench.with(script(count + 1)) { bench in
            let plan = try await bench.copy().plan()
            #expect(!plan.isPossible)
            #expect(
                plan.findings.map(\.message) == [
                    "The table t has 1 row of up to \(next) bytes, without long values; PostgreSQL takes 8160. Split the table."
                ])
        }
    }

    @Test("a copy that needs too many locks is refused, with the setting that would suffice")
    func locks() async throws {
        // A table, its row type, the table of its long values, their index, the key, its index, the sequence.
        let script = (1...4_000).map { "CREATE TABLE t\($0) (id INTEGER PRIMARY KEY, name TEXT);" }.joined()
        try await Bench.with("BEGIN; \(script) COMMIT") { bench in
            let plan = try await bench.copy().plan()
            #expect(!plan.isPossible)
            #expect(plan.findings.map(\.count) == [28_001])
            let message = try #require(plan.findings.first?.message)
            #expect(
                message.hasPrefix(
                    "The copy creates 4000 tables at once, with their indexes and keys: 28001 locks, but the "
                        + "server has room for "))
            #expect(message.contains(" Set max_locks_per_transaction to more than "))
            let error = await #expect(throws: StoreError.self) { try await bench.copy().run() }
            #expect(error?.code == .valueNotRepresentable)
            #expect(try await !bench.hasSchema())
        }
    }

    @Test("a copy reports long index values as uncertain, since the server compresses them first")
    func longValues() async throws {
        let script = """
            CREATE TABLE t (a TEXT PRIMARY KEY, b TEXT, c BLOB UNIQUE);
            CREATE INDEX i ON t (lower(b)); CREATE INDEX l ON t (length(b));
            INSERT INTO t VALUES (printf('%.4000c', 'a'), printf('%.5000c', 'b'), zeroblob(2000));
            """
        try await Bench.with(script) { bench in
            let report = try await bench.copy().run()
            #expect(
                report.findings.map { "\($0.kind.rawValue) \($0.message)" }
                    == [
                        "The primary key of t holds up to 4000 bytes", "The index i holds up to 5000 bytes",
                    ].map {
                        "uncertain \($0) for a row; PostgreSQL takes about 2704, after compression. If it refuses them, "
                            + "nothing is created."
                    })
            #expect(report.findings.map(\.count) == [4_000, 5_000])
        }
    }
}
