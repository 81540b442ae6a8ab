import PostgresTestServer
import TableCopy
import Testing

@Suite(
    "Constants of a copy", .enabled(if: PostgresServer.url != nil, Comment(rawValue: PostgresServer.need)))
struct ConstantTests {
    @Test("copied defaults have the value and the text that SQLite gives new rows")
    func defaults() async throws {
        let script = """
            CREATE TABLE d (id INTEGER PRIMARY KEY, a TEXT DEFAULT 1.0, b TEXT DEFAULT 1E2, c TEXT DEFAULT 0x10, d TEXT DEFAULT -0.5,
                e TEXT DEFAULT 1e300, f INTEGER DEFAULT 1E2, g REAL DEFAULT 9e999, h NUMERIC DEFAULT '1e2', i INTEGER DEFAULT 2.5,
                j TEXT DEFAULT TRUE, k TEXT DEFAULT .5, l REAL DEFAULT 1e300, m DEFAULT 1.0, n INTEGER DEFAULT (+7));
            INSERT INTO d DEFAULT VALUES; DELETE FROM d;
            """
        try await Bench.with(script) { bench in
            let report = try await bench.copy().run()
            #expect(
                report.findings.map(\.message) == [
                    "The default of the column d.i is not copied: 2.5",
                    "The default of the column d.m is not copied: 1.0",
                ])
            #expect(
                try await bench.column(
                    "INSERT INTO d DEFAULT VALUES RETURNING concat_ws(' ', a, b, c, d, e, f, g, h, j, k, l, n)"
                )
                    == ["1.0 100.0 16 -0.5 1.0e+300 100 Infinity 100 1 0.5 1e+300 7"])
        }
    }

    @Test("a copied numeric column that became text has its default in the form of its rows")
    func numbersAsText() async throws {
        let script = """
            CREATE TABLE t (a INTEGER DEFAULT 5, b NUMERIC DEFAULT 2.50);
            INSERT INTO t VALUES (1, 2.5), ('none', 'none');
            """
        try await Bench.with(script) { bench in
            _ = try await bench.copy().run()
            #expect(
                try await bench.column("INSERT INTO t DEFAULT VALUES RETURNING concat_ws(' ', a, b)") == [
                    "5 2.5"
                ])
            #expect(try await bench.column("SELECT b FROM t WHERE a = '1'") == ["2.5"])
        }
    }

    @Test("conditions of copied partial indexes compare with the same text as SQLite")
    func conditions() async throws {
        let script = """
            CREATE TABLE t (a INTEGER, v TEXT, w INTEGER, r REAL);
            INSERT INTO t VALUES (1, '2.0', 2, 2.0), (1, '2', 3, 2.5), (2, '100.0', 4, 1);
            CREATE UNIQUE INDEX i1 ON t (a) WHERE v = 2.0;
            CREATE INDEX i2 ON t (a) WHERE v IN (1E2, 7);
            CREATE INDEX i3 ON t (a) WHERE w = 2.0;
            CREATE INDEX i4 ON t (a) WHERE w < 2.5;
            CREATE INDEX i5 ON t (a) WHERE r = 2;
            CREATE INDEX i6 ON t (a) WHERE v BETWEEN 1.50 AND 0x10;
            """
        try await Bench.with(script) { bench in
            let report = try await bench.copy().run()
            #expect(
                report.findings.map(\.message) == ["The index i4 is not copied, because of its condition."])
            #expect(
                try await bench.column(
                    "SELECT indexdef::text FROM pg_indexes WHERE schemaname = current_schema() ORDER BY indexname"
                ).map { String($0.split(separator: " WHERE ").last ?? "") } == [
                    "(v = '2.0'::text)", "(v = ANY (ARRAY['100.0'::text, '7'::text]))", "(w = 2)",
                    "(r = (2)::double precision)", "((v >= '1.5'::text) AND (v <= '16'::text))",
                ])
        }
    }
}
