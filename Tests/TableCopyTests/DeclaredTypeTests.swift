import PostgresTestServer
import TableCopy
import Testing

@Suite(
    "Declared types of a copy",
    .enabled(if: PostgresServer.url != nil, Comment(rawValue: PostgresServer.need)))
struct DeclaredTypeTests {
    @Test("empty columns become numbers and times only if declared so, and keep a zone")
    func withoutValues() async throws {
        let script = """
            CREATE TABLE t (a UUID, b JSON, c STRING(20), d ENUM, e POINT, f TIMESTAMPTZ DEFAULT CURRENT_TIMESTAMP,
                g TIMESTAMP WITH TIME ZONE, h TIMESTAMP WITHOUT TIME ZONE, i TIME, j INTERVAL, k UNSIGNED BIG INT, l INT8, m MONEY,
                n INET, o DATETIME, p NUMBER(5), q DEC(3,1), r FLOATING POINT, s BIT);
            """
        try await Bench.with(script) { bench in
            let report = try await bench.copy().run()
            #expect(
                try await bench.copyTypes(of: "t") == [
                    "text", "text", "text", "text", "text", "timestamp with time zone",
                    "timestamp with time zone", "timestamp without time zone", "text", "text", "bigint",
                    "bigint", "numeric", "text", "timestamp without time zone", "numeric", "numeric", "text",
                    "text",
                ])
            #expect(
                report.findings.map(\.message)
                    == [
                        "a, declared UUID", "b, declared JSON", "c, declared STRING(20)", "d, declared ENUM",
                        "e, declared POINT", "j, declared INTERVAL", "n, declared INET",
                        "r, declared FLOATING POINT", "s, declared BIT",
                    ].map { "The column t.\($0), holds no values, and becomes text." })
            #expect(
                try await bench.column(
                    "INSERT INTO t DEFAULT VALUES RETURNING (f > now() - interval '1 day')::text")
                    == ["true"])
        }
    }

    @Test("a copy reports a column whose type differs from the declared one")
    func told() async throws {
        let script = """
            CREATE TABLE t (day DATETIME, forms TIMESTAMP, words DATETIME, bare TIMESTAMPTZ, time DATE, unix DATETIME, julian DATE,
                flag BOOLEAN, half BOOLEAN, note BLOB, code STRING, number UUID, spot POINT, zulu TIMESTAMPTZ, id UUID);
            INSERT INTO t VALUES ('2024-01-01', '2024-01-01', 'May', '2024-01-01 00:00:00', '2024-01-01 10:00:00', 5, 2460000.5,
                'yes', 0.5, 'text', 12, 5, 7, '2024-01-01T00:00:00Z', 'c0ffee00-0000-4000-8000-000000000000');
            INSERT INTO t VALUES ('2024-01-02', '2024-01-01 10:00:00', 'June', '2024-01-02 00:00:00', '2024-01-02 10:00:00', 6, 1.5,
                'no', 1, 'more', 13, 6, 8, '2024-01-02T00:00:00Z', 'c0ffee00-0000-4000-8000-000000000001');
            """
        try await Bench.with(script) { bench in
            let plan = try await bench.copy().plan()
            #expect(plan.isPossible)
            #expect(
                plan.findings(.changed)
                    == [
                        "day, declared DATETIME, holds days alone, and becomes date.",
                        "forms, declared TIMESTAMP, holds texts that are not all times of one form, and becomes text.",
                        "words, declared DATETIME, holds texts that are not all times of one form, and becomes text.",
                        "bare, declared TIMESTAMPTZ, holds times without a zone, and becomes timestamp.",
                        "time, declared DATE, holds times without a zone, and becomes timestamp.",
                        "unix, declared DATETIME, holds integers alone, and becomes bigint.",
                        "julian, declared DATE, holds reals alone, and becomes double precision.",
                        "flag, declared BOOLEAN, holds texts alone, and becomes text.",
                        "half, declared BOOLEAN, holds integers and reals, and becomes double precision.",
                        "note, declared BLOB, holds texts alone, and becomes text.",
                        "code, declared STRING, holds integers alone, and becomes numeric.",
                        "number, declared UUID, holds integers alone, and becomes numeric.",
                        "spot, declared POINT, holds integers alone, and becomes bigint.",
                    ].map { "The column t.\($0)" })
            #expect(plan.findings.map(\.count) == [Int?](repeating: 2, count: 13))
            let report = try await bench.copy().run()
            #expect(report.tables.map(\.rows) == [2])
        }
    }
}
