import Foundation
import PostgresTestServer
import TableCopy
import Testing

@Suite("Names of a copy", .enabled(if: PostgresServer.url != nil, Comment(rawValue: PostgresServer.need)))
struct NameTests {
    @Test("a copy keeps names with reserved words, quotes, spaces and other letters")
    func odd() async throws {
        let script = """
            CREATE TABLE "select" ("from" INTEGER PRIMARY KEY, "a ""b\""" TEXT, 'c''d' TEXT, [e f] TEXT);
            INSERT INTO "select" VALUES (1, 'x', 'y', 'z');
            CREATE TABLE "Größe %s" ("Höhe" REAL, "user" INTEGER REFERENCES "select");
            INSERT INTO "Größe %s" VALUES (1.5, 1);
            CREATE INDEX "in dex" ON "Größe %s" ("Höhe");
            CREATE TABLE "Ärger" (x); CREATE TABLE "ärger" (x);
            """
        try await Bench.with(script) { bench in
            let report = try await bench.copy().run()
            #expect(
                report.findings.map(\.message) == [
                    "The tables Ärger and ärger differ in case alone; their names stay apart."
                ])
            #expect(
                try await bench.column(
                    ##"SELECT concat_ws(' ', "from", "a ""b""", "c'd", "e f") FROM "select""##)
                    == ["1 x y z"])
            #expect(
                try await bench.column(
                    #"SELECT concat_ws(' ', g."Höhe", s."e f") FROM "Größe %s" AS g JOIN "select" AS s ON s."from" = g."user""#
                )
                    == ["1.5 z"])
        }
    }

    @Test("a copy refuses a name that PostgreSQL would truncate or reserves")
    func refused() async throws {
        let long = String(repeating: "ü", count: 32)
        let script = """
            CREATE TABLE "\(long)" (x);
            CREATE TABLE t ("ctid" INTEGER, "\(long)" INTEGER, "" INTEGER);
            CREATE INDEX "i\(long)" ON t ("ctid");
            """
        try await Bench.with(script) { bench in
            let plan = try await bench.copy().plan()
            #expect(
                plan.findings(.refused) == [
                    "The column t.ctid has a name that PostgreSQL keeps for itself. Rename it.",
                    "The column t.\(long) has a name of 64 bytes; PostgreSQL keeps 63. Rename it.",
                    "The column t. has an empty name, which PostgreSQL does not take. Rename it.",
                    "The table \(long) has a name of 64 bytes; PostgreSQL keeps 63. Rename it.",
                ])
            #expect(
                plan.findings(.changed) == [
                    "The name of the index i\(long) is longer than PostgreSQL's, which chooses another."
                ])
        }
    }

    @Test("a copy reports views, triggers, virtual tables, checks and generated columns")
    func omitted() async throws {
        let script = """
            CREATE TABLE t (a INTEGER CHECK (a > 0), b INTEGER GENERATED ALWAYS AS (a * 2) STORED, c AS (a + 1));
            INSERT INTO t (a) VALUES (21);
            CREATE VIEW v AS SELECT * FROM t;
            CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; END;
            CREATE VIRTUAL TABLE f USING fts5(words); INSERT INTO f VALUES ('hello');
            """
        try await Bench.with(script) { bench in
            let report = try await bench.copy().run()
            #expect(report.tables.map(\.name) == ["t"])
            #expect(
                report.findings.map { "\($0.kind.rawValue) \($0.message)" } == [
                    "omitted The virtual table f is not copied.",
                    "omitted The table f_config \(Self.part): 1 row. Rename it if it is not.",
                    "omitted The table f_content \(Self.part): 1 row. Rename it if it is not.",
                    "omitted The table f_data \(Self.part): 3 rows. Rename it if it is not.",
                    "omitted The table f_docsize \(Self.part): 1 row. Rename it if it is not.",
                    "omitted The table f_idx \(Self.part): 1 row. Rename it if it is not.",
                    "omitted The view v is not copied.",
                    "omitted The trigger g is not copied.",
                    "changed The column t.b is generated; its values are copied, its expression is not.",
                    "changed The column t.c is generated; its values are copied, its expression is not.",
                    "omitted The CHECK constraints of t are not copied: 1.",
                ])
            #expect(report.findings.prefix(6).map(\.count) == [nil, 1, 1, 3, 1, 1])
            #expect(try await bench.column("SELECT t::text FROM t") == ["(21,42,22)"])
        }
    }

    @Test("a copy reports ON CONFLICT clauses and the collations of keys")
    func conflicts() async throws {
        let script = """
            CREATE TABLE t (id INTEGER PRIMARY KEY ON CONFLICT REPLACE, a TEXT UNIQUE ON CONFLICT IGNORE,
                b INTEGER NOT NULL ON CONFLICT ABORT, "ON CONFLICT FAIL" TEXT);
            CREATE TABLE u (a TEXT, b TEXT, PRIMARY KEY (a COLLATE NOCASE), UNIQUE (b COLLATE RTRIM));
            """
        try await Bench.with(script) { bench in
            let report = try await bench.copy().run()
            #expect(
                report.findings.map { "\($0.kind.rawValue) \($0.message)" } == [
                    "omitted The ON CONFLICT clauses of t are not copied: 2. A row that breaks a constraint "
                        + "is refused.",
                    "changed A unique constraint of u compares by RTRIM; in PostgreSQL it compares by bytes.",
                    "changed The primary key of u compares by NOCASE; in PostgreSQL it compares by bytes.",
                ])
        }
    }

    private static let part = "is part of a virtual table, by its name, and is not copied"

    @Test("a table that a virtual one indexes is copied, although its name resembles a part of that one")
    func indexed() async throws {
        let script = """
            CREATE TABLE docs_content (id INTEGER PRIMARY KEY, body TEXT); INSERT INTO docs_content VALUES (1, 'one'), (2, 'two');
            CREATE VIRTUAL TABLE docs USING fts5(body, content='Docs_content', content_rowid='id', columnsize=0);
            CREATE TABLE docs_docsize (mine TEXT); INSERT INTO docs_docsize VALUES ('x');
            """
        try await Bench.with(script) { bench in
            let report = try await bench.copy().run()
            #expect(report.tables.map { "\($0.name) \($0.rows)" } == ["docs_content 2"])
            #expect(try await bench.column("SELECT body FROM docs_content ORDER BY id") == ["one", "two"])
            // No declaration tells whose this one is.
            #expect(report.findings.first { $0.table == "docs_docsize" }?.count == 1)
        }
    }
}
