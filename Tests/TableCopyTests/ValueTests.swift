import Foundation
import PostgresTestServer
import SwitchyardCore
import SwitchyardTransfer
import TableCopy
import Testing

@Suite(
    "Values of a copy", .enabled(if: PostgresServer.url != nil, Comment(rawValue: PostgresServer.need)))
struct ValueTests {
    @Test("a copy keeps numbers exactly, whatever was declared")
    func numbers() async throws {
        let script = """
            CREATE TABLE n (i INTEGER, r REAL, d NUMERIC(10,2), e DECIMAL, narrow NUMERIC(4,1), f, b BOOLEAN, t TINYINT(1));
            INSERT INTO n VALUES (9223372036854775807, 0.1, 0.99, 12345678901234567, 12.25, 1, 1, 5);
            INSERT INTO n VALUES (-9223372036854775808, 1e300, 12345678.9, 1e-7, 1000, 2.5, 0, -5);
            INSERT INTO n VALUES (NULL, 9e999, -0.01, 1e-37, 0, NULL, NULL, 0);
            INSERT INTO n VALUES (0, -2.5, 7, 1e20, -1, -1e-300, 0, 1);
            """
        try await Bench.with(script) { bench in
            let plan = try await bench.copy().plan()
            #expect(
                plan.types(of: "n") == [
                    "bigint", "double precision", "numeric(10,2)", "numeric", "numeric", "double precision",
                    "boolean", "bigint",
                ])
            #expect(
                plan.findings.map(\.message) == [
                    "The column n.narrow, declared NUMERIC(4,1), holds numbers of more digits than it declares, and becomes numeric."
                ])
            let report = try await bench.copy().run()
            #expect(report.tables.map(\.rows) == [4])
            #expect(
                try await bench.column("SELECT n::text FROM n") == [
                    "(9223372036854775807,0.1,0.99,12345678901234567,12.25,1,t,5)",
                    "(-9223372036854775808,1e+300,12345678.90,0.0000001,1000,2.5,f,-5)",
                    "(,Infinity,-0.01,0.0000000000000000000000000000000000001,0,,,0)",
                    "(0,-2.5,7.00,100000000000000000000,-1,-1e-300,f,1)",
                ])
        }
    }

    @Test("a copied column of mixed types becomes text or is refused, with the counts")
    func mixed() async throws {
        let script = """
            CREATE TABLE age (years INTEGER);
            INSERT INTO age VALUES (3), (41), ('unknown'), (2.5), (NULL);
            """
        try await Bench.with(script) { bench in
            let report = try await bench.copy().run()
            #expect(
                report.findings.map(\.message) == [
                    "The column age.years, declared INTEGER, holds 1 text beside 3 numbers, and becomes text."
                ])
            #expect(report.findings.map(\.count) == [1])
            #expect(
                try await bench.column("SELECT coalesce(years, '-') FROM age") == [
                    "3", "41", "unknown", "2.5", "-",
                ])
        }
        for (script, message) in [
            (
                "CREATE TABLE a (x); INSERT INTO a VALUES (5), ('5')",
                "The column a.x, without a type, holds 1 text beside 1 number, which text could not tell apart."
            ),
            (
                "CREATE TABLE a (x TEXT); INSERT INTO a VALUES ('one'), ('two'), (x'00ff')",
                "The column a.x, declared TEXT, holds 1 blob beside 2 values of other types, which no type of PostgreSQL does."
            ),
            (
                "CREATE TABLE a (x TEXT); INSERT INTO a VALUES ('ok'), (CAST(x'610062' AS TEXT))",
                "The column a.x, declared TEXT, holds 1 text with U+0000, which PostgreSQL does not store."
            ),
            (
                "CREATE TABLE a (x TEXT); INSERT INTO a VALUES (CAST(x'c328' AS TEXT)), (CAST(x'ff' AS TEXT))",
                "The column a.x, declared TEXT, holds 2 texts in no valid encoding."
            ),
            (
                "PRAGMA encoding = 'UTF-16le'; CREATE TABLE a (x TEXT); INSERT INTO a VALUES ('ok'), (CAST(x'00d84100' AS TEXT))",
                "The column a.x, declared TEXT, holds 1 text in no valid encoding."
            ),
            (
                "CREATE TABLE a (x REAL); INSERT INTO a VALUES (9e999), ('none')",
                "The column a.x, declared REAL, holds 1 text beside 1 number, which text could not tell apart."
            ),
            (
                "CREATE TABLE a (x); INSERT INTO a VALUES (9007199254740993), (1e300)",
                "The column a.x, without a type, holds 1 integer that no double holds, beside reals that no decimal of 38 digits does."
            ),
        ] {
            try await Bench.with("\(script); CREATE TABLE fine (y)") { bench in
                let plan = try await bench.copy().plan()
                #expect(plan.findings(.refused) == [message])
                #expect(!plan.isPossible)
                let error = await #expect(throws: StoreError.self) { try await bench.copy().run() }
                #expect(error?.code == .valueNotRepresentable)
                #expect(error?.message == "\(message) Nothing was created.")
                #expect(try await !bench.hasSchema())
            }
        }
    }

    @Test("a copy keeps every byte of blobs and texts")
    func bytes() async throws {
        let script = """
            CREATE TABLE b (blob BLOB, misfiled TEXT, text VARCHAR(3), empty TEXT, n INTEGER);
            INSERT INTO b VALUES (x'0001ff', x'c328', 'Grüße, 世界 👶', '', 'a'), (x'', NULL, char(10) || '\\N' || char(9), NULL, 'b');
            """
        try await Bench.with(script) { bench in
            let report = try await bench.copy().run()
            #expect(
                report.findings.map(\.message) == [
                    "The column b.misfiled, declared TEXT, holds blobs, and becomes bytea.",
                    "The column b.n, declared INTEGER, holds texts alone, and becomes text.",
                ])
            #expect(
                try await bench.server(
                    "SELECT blob::text, coalesce(misfiled::text, '-'), text, coalesce(empty, '-') FROM b")
                    == [
                        ["\\x0001ff", "\\xc328", "Grüße, 世界 👶", ""], ["\\x", "-", "\n\\N\t", "-"],
                    ])
        }
    }

    @Test("copied times of one form become times, and stay texts otherwise")
    func times() async throws {
        let script = """
            CREATE TABLE t (day DATE, second DATETIME, milli TIMESTAMP, zulu DATETIME, two DATETIME, leap DATE, unix DATETIME);
            INSERT INTO t VALUES ('2024-02-29', '2024-02-29 23:59:59', '0001-01-01T00:00:00.001', '1969-12-31T23:59:59Z',
                '2024-01-01', '2023-02-29', 1700000000);
            INSERT INTO t VALUES ('9999-12-31', '1900-01-01 00:00:00', '2024-06-01T12:00:00.500', '2024-01-01T00:00:00Z',
                '2024-01-01 00:00:00', '2023-03-01', 1);
            """
        try await Bench.with(script) { bench in
            let report = try await bench.copy().run()
            #expect(
                report.findings.map(\.message) == [
                    "The column t.two, declared DATETIME, holds texts that are not all times of one form, and becomes text.",
                    "The column t.leap, declared DATE, holds texts that are not all times of one form, and becomes text.",
                    "The column t.unix, declared DATETIME, holds integers alone, and becomes bigint.",
                ])
            #expect(
                try await bench.copyTypes(of: "t") == [
                    "date", "timestamp without time zone", "timestamp without time zone",
                    "timestamp with time zone",
                    "text", "text", "bigint",
                ])
            #expect(
                try await bench.column("SELECT t::text FROM t") == [
                    #"(2024-02-29,"2024-02-29 23:59:59","0001-01-01 00:00:00.001","1969-12-31 23:59:59+00",2024-01-01,2023-02-29,1700000000)"#,
                    #"(9999-12-31,"1900-01-01 00:00:00","2024-06-01 12:00:00.5","2024-01-01 00:00:00+00","2024-01-01 00:00:00",2023-03-01,1)"#,
                ])
        }
    }

    @Test("copied empty columns get their declared types")
    func withoutValues() async throws {
        let script = """
            CREATE TABLE empty (a INTEGER, b TEXT, c BLOB, d REAL, e NUMERIC(8,3), f BOOLEAN, g DATE, h DATETIME, i, j DECIMAL);
            CREATE TABLE nulls (a INTEGER, g DATE); INSERT INTO nulls VALUES (NULL, NULL), (NULL, NULL);
            """
        try await Bench.with(script) { bench in
            let plan = try await bench.copy().plan()
            #expect(
                plan.types(of: "empty") == [
                    "bigint", "text", "bytea", "double precision", "numeric(8,3)", "boolean", "date",
                    "timestamp",
                    "text", "numeric",
                ])
            let report = try await bench.copy().run()
            #expect(report.tables.map(\.rows) == [0, 2])
            #expect(report.tables[0].digest.description == "00000000000000000000000000000000")
        }
    }
}

extension Bench {
    /// The types of a table's columns, as the server has them.
    func copyTypes(of table: String) async throws -> [String] {
        try await column(
            "SELECT data_type::text FROM information_schema.columns WHERE table_schema = current_schema() "
                + "AND table_name = '\(table)' ORDER BY ordinal_position")
    }
}
