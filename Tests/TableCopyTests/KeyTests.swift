import Foundation
import PostgresTestServer
import TableCopy
import Testing

@Suite(
    "Keys and indexes of a copy",
    .enabled(if: PostgresServer.url != nil, Comment(rawValue: PostgresServer.need)))
struct KeyTests {
    @Test("keys of all kinds are copied")
    func keys() async throws {
        let script = """
            CREATE TABLE number (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE);
            INSERT INTO number VALUES (7, 'seven'), (90, 'ninety'); DELETE FROM number WHERE id = 90;
            CREATE TABLE negative (id INTEGER PRIMARY KEY); INSERT INTO negative VALUES (-5);
            CREATE TABLE pair (b TEXT, a INTEGER, c, UNIQUE (c, a), PRIMARY KEY (a, b)) WITHOUT ROWID;
            INSERT INTO pair VALUES ('x', 1, 1), ('y', 1, 2);
            CREATE TABLE none (a, b); INSERT INTO none VALUES (1, 2), (1, 2), (1, 2);
            CREATE TABLE loose (code TEXT PRIMARY KEY); INSERT INTO loose VALUES ('a'), (NULL), (NULL);
            CREATE TABLE "last" (id INTEGER PRIMARY KEY); INSERT INTO "last" VALUES (9223372036854775807);
            CREATE TABLE tight (id INT PRIMARY KEY, kept TEXT NOT NULL); INSERT INTO tight VALUES (1, 'x');
            """
        try await Bench.with(script) { bench in
            let report = try await bench.copy().run()
            #expect(
                report.findings.map(\.message) == [
                    "The numbers of last.id are used up, so that new rows get none.",
                    "The primary key of loose holds NULL, and becomes a unique constraint.",
                ])
            #expect(report.findings.map(\.count) == [nil, 2])
            #expect(report.tables.first { $0.name == "none" }?.rows == 3)
            #expect(
                try await bench.constraints() == [
                    "last PRIMARY KEY (id)", "loose UNIQUE (code)", "negative PRIMARY KEY (id)",
                    "number PRIMARY KEY (id)", "number UNIQUE (name)", "pair PRIMARY KEY (a, b)",
                    "pair UNIQUE (c, a)",
                    "tight PRIMARY KEY (id)",
                ])
            // After the largest number that was ever given.
            #expect(
                try await bench.column("INSERT INTO number (name) VALUES ('next') RETURNING id::text") == [
                    "91"
                ])
            #expect(
                try await bench.column("INSERT INTO negative DEFAULT VALUES RETURNING id::text") == ["1"])
            // A number of one's own is still possible.
            #expect(
                try await bench.column("INSERT INTO number VALUES (5, 'five') RETURNING id::text") == ["5"])
            #expect(
                try await bench.column(
                    "SELECT is_nullable::text FROM information_schema.columns WHERE table_schema = current_schema() "
                        + "AND table_name = 'tight'") == ["NO", "NO"])
        }
    }

    @Test("foreign keys are copied with their actions, however the tables refer to each other")
    func foreignKeys() async throws {
        let script = """
            CREATE TABLE tree (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES tree ON DELETE CASCADE);
            INSERT INTO tree VALUES (1, NULL), (2, 1), (3, 4), (4, 3);
            CREATE TABLE egg (id INTEGER PRIMARY KEY, hen INTEGER NOT NULL REFERENCES hen (id) DEFERRABLE INITIALLY DEFERRED);
            CREATE TABLE hen (id INTEGER PRIMARY KEY, egg INTEGER NOT NULL REFERENCES egg (id) ON UPDATE RESTRICT);
            INSERT INTO egg VALUES (1, 1); INSERT INTO hen VALUES (1, 1);
            CREATE TABLE mixed (a INTEGER REFERENCES hen DEFERRABLE INITIALLY DEFERRED, b INTEGER CHECK (b <> 2) REFERENCES egg
                NOT DEFERRABLE INITIALLY DEFERRED, c INTEGER REFERENCES hen, d INTEGER REFERENCES egg DEFERRABLE INITIALLY IMMEDIATE);
            CREATE TABLE flight (airline TEXT, number INTEGER, PRIMARY KEY (airline, number));
            CREATE TABLE seat (id INTEGER PRIMARY KEY, n INTEGER, a TEXT, label TEXT UNIQUE,
                FOREIGN KEY (a, n) REFERENCES Flight (AIRLINE, number) ON UPDATE CASCADE ON DELETE SET NULL);
            CREATE TABLE guest (seat TEXT REFERENCES seat (label) ON DELETE SET DEFAULT DEFAULT 'none');
            INSERT INTO flight VALUES ('LH', 1); INSERT INTO seat VALUES (1, 1, 'LH', '1A'), (2, 9, NULL, '1B');
            INSERT INTO guest VALUES ('1A'), (NULL);
            """
        try await Bench.with(script) { bench in
            let report = try await bench.copy().run()
            #expect(report.findings(.changed) == [])
            #expect(
                try await bench.constraints("k.contype = 'f'") == [
                    "egg FOREIGN KEY (hen) REFERENCES hen(id) DEFERRABLE INITIALLY DEFERRED",
                    "guest FOREIGN KEY (seat) REFERENCES seat(label) ON DELETE SET DEFAULT",
                    "hen FOREIGN KEY (egg) REFERENCES egg(id) ON UPDATE RESTRICT",
                    "mixed FOREIGN KEY (a) REFERENCES hen(id) DEFERRABLE INITIALLY DEFERRED",
                    "mixed FOREIGN KEY (b) REFERENCES egg(id)", "mixed FOREIGN KEY (c) REFERENCES hen(id)",
                    "mixed FOREIGN KEY (d) REFERENCES egg(id)",
                    "seat FOREIGN KEY (a, n) REFERENCES flight(airline, number) ON UPDATE CASCADE ON DELETE SET NULL",
                    "tree FOREIGN KEY (parent) REFERENCES tree(id) ON DELETE CASCADE",
                ])
        }
    }

    @Test("a copy counts rows without a parent, and their foreign key holds for new rows")
    func orphans() async throws {
        let script = """
            CREATE TABLE artist (id INTEGER PRIMARY KEY); INSERT INTO artist VALUES (1);
            CREATE TABLE album (id INTEGER PRIMARY KEY, artist INTEGER REFERENCES artist, ghost INTEGER REFERENCES ghosts,
                loose INTEGER REFERENCES label (code), word TEXT REFERENCES artist (id));
            INSERT INTO album VALUES (1, 1, 1, 1, NULL), (2, 5, NULL, NULL, NULL), (3, 6, NULL, NULL, NULL);
            CREATE TABLE label (code INTEGER);
            """
        try await Bench.with(script) { bench in
            let report = try await bench.copy().run()
            #expect(
                report.findings.map { "\($0.kind.rawValue) \($0.message)" } == [
                    "changed No row of artist belongs to 2 rows of album (artist); the foreign key is NOT VALID, which holds for new rows.",
                    "omitted The foreign key of album (ghost) to ghosts is not copied: there is no such "
                        + "table.",
                    "omitted The foreign key of album (loose) to label is not copied: no key of that table "
                        + "has these columns.",
                    "omitted The foreign key of album (word) to artist is not copied: the types of the "
                        + "columns differ.",
                ])
            #expect(report.findings.first?.count == 2)
            #expect(
                try await bench.constraints("k.contype = 'f'") == [
                    "album FOREIGN KEY (artist) REFERENCES artist(id) NOT VALID"
                ])
            await #expect(throws: (any Error).self) {
                try await bench.column("INSERT INTO album (id, artist) VALUES (9, 9) RETURNING ''::text")
            }
        }
    }

    @Test("indexes with equivalent conditions and expressions are copied; the others are reported")
    func indexes() async throws {
        let script = """
            CREATE TABLE t (a INTEGER, "B b" TEXT, c BOOLEAN, d DATETIME, e TEXT COLLATE NOCASE);
            INSERT INTO t VALUES (1, 'x', 1, '2024-01-01 00:00:00', 'E');
            CREATE UNIQUE INDEX u ON t (a, "B b" DESC);
            CREATE INDEX p1 ON t (a) WHERE "B b" IS NOT NULL AND (c = 1 OR a NOT IN (1, -2)) AND t.a > 0;
            CREATE INDEX p2 ON t (a) WHERE [B b] IS NOT NULL /* , */ AND (c == 1 OR a NOT IN (1, -2)) -- WHERE
              AND NOT `B b` <> 'it''s';
            CREATE INDEX p3 ON t (a) WHERE d >= '2024-01-01 00:00:00';
            CREATE INDEX p4 ON t (a) WHERE d >= '2024';
            CREATE INDEX p5 ON t (a) WHERE e = 'e';
            CREATE INDEX x1 ON t (lower("B b") DESC, a);
            CREATE INDEX x2 ON t (a + 1);
            CREATE INDEX n ON t (e, "B b" COLLATE NOCASE);
            CREATE TABLE t_pkey (id INTEGER); CREATE TABLE s (id INTEGER PRIMARY KEY); CREATE INDEX s_pkey ON s (id);
            """
        try await Bench.with(script) { bench in
            let report = try await bench.copy().run()
            #expect(
                Set(report.findings.map(\.message)) == [
                    "The column t.e compares by NOCASE; in PostgreSQL it compares by bytes.",
                    "The index n compares by NOCASE; in PostgreSQL it compares by bytes.",
                    "The index p1 is not copied, because of its condition.",
                    "The index p4 is not copied, because of its condition.",
                    "The index p5 is not copied, because of its condition.",
                    "The index x2 is not copied, because of an expression.",
                ])
            #expect(
                try await bench.column(
                    "SELECT indexdef::text FROM pg_indexes WHERE schemaname = current_schema() ORDER BY indexname"
                ).map { $0.replacing("\(bench.schema).", with: "") } == [
                    #"CREATE INDEX n ON t USING btree (e, "B b")"#,
                    #"CREATE INDEX p2 ON t USING btree (a) WHERE (("B b" IS NOT NULL) AND ((c = true) OR (a <> ALL (ARRAY[(1)::bigint, ('-2'::integer)::bigint]))) AND (NOT ("B b" <> 'it''s'::text)))"#,
                    #"CREATE INDEX p3 ON t USING btree (a) WHERE (d >= '2024-01-01 00:00:00'::timestamp without time zone)"#,
                    "CREATE INDEX s_pkey ON s USING btree (id)",
                    "CREATE UNIQUE INDEX s_pkey1 ON s USING btree (id)",
                    #"CREATE UNIQUE INDEX u ON t USING btree (a, "B b" DESC)"#,
                    #"CREATE INDEX x1 ON t USING btree (lower("B b") DESC, a)"#,
                ])
        }
    }

    @Test("a copied row number has no default, which SQLite ignores")
    func defaultOfRowNumber() async throws {
        let script = "CREATE TABLE t (id INTEGER PRIMARY KEY DEFAULT 7, a); INSERT INTO t (a) VALUES (5), (6)"
        try await Bench.with(script) { bench in
            let report = try await bench.copy().run()
            #expect(report.findings == [])
            #expect(try await bench.column("INSERT INTO t (a) VALUES (7) RETURNING id::text") == ["3"])
        }
    }

    @Test("a copied unnamed index takes no name of another one")
    func chosenNames() async throws {
        let long = String(repeating: "l", count: 70)
        let script = """
            CREATE TABLE t (a); CREATE INDEX \(long) ON t (a); CREATE INDEX t_a_idx ON t (a);
            CREATE TABLE u (a); CREATE INDEX t_a_idx1 ON u (a);
            """
        try await Bench.with(script) { bench in
            let report = try await bench.copy().run()
            #expect(
                report.findings.map(\.message) == [
                    "The name of the index \(long) is longer than PostgreSQL's, which chooses another."
                ])
            #expect(
                try await bench.column(
                    "SELECT indexname::text FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1")
                    == ["t_a_idx", "t_a_idx1", "t_a_idx2"])
        }
    }

    @Test("a copy does not compare numbers that became texts as texts")
    func numbersAsText() async throws {
        let script = """
            CREATE TABLE t (a INTEGER, b INTEGER, c DATETIME); INSERT INTO t VALUES (10, 1, 'May'), (20, 1, '2024'), ('n/a', 2, 'June');
            CREATE UNIQUE INDEX u1 ON t (b) WHERE a < 5;
            CREATE INDEX u2 ON t (b) WHERE a < 'n';
            CREATE INDEX i1 ON t (b) WHERE a IS NOT NULL;
            CREATE TABLE s (a TEXT, n, d DATETIME); INSERT INTO s VALUES ('5', 5, 'May'), ('x', 6, 'June');
            CREATE INDEX i2 ON s (a) WHERE a = 5;
            CREATE INDEX i3 ON s (a) WHERE n = '5';
            CREATE INDEX i4 ON s (a) WHERE d > 'A';
            CREATE INDEX i5 ON s (a) WHERE d > '5';
            CREATE TABLE parent (k REAL UNIQUE, n NUMERIC UNIQUE); INSERT INTO parent VALUES (5.0, 5), ('x', 'x');
            CREATE TABLE child (k NUMERIC REFERENCES parent (k), n NUMERIC REFERENCES parent (n));
            INSERT INTO child VALUES (5, 5), ('x', 'x');
            """
        try await Bench.with(script) { bench in
            let report = try await bench.copy().run()
            #expect(
                report.findings(.omitted) == [
                    "The index i3 is not copied, because of its condition.",
                    "The index i5 is not copied, because of its condition.",
                    "The index u1 is not copied, because of its condition.",
                    "The index u2 is not copied, because of its condition.",
                    "The foreign key of child (k) to parent is not copied: numbers became texts, which are "
                        + "not the same in both columns.",
                ])
            #expect(
                try await bench.column(
                    "SELECT indexname::text FROM pg_indexes WHERE schemaname = current_schema() AND indexname ~ '^[iu]' "
                        + "ORDER BY 1") == ["i1", "i2", "i4"])
            #expect(
                try await bench.constraints("k.contype = 'f'") == [
                    "child FOREIGN KEY (n) REFERENCES parent(n)"
                ])
        }
    }

    @Test("a copied column that holds NULL despite its declaration becomes nullable, with a finding")
    func nullsInSpite() async throws {
        let script = """
            CREATE TABLE t (a INTEGER, b INTEGER NOT NULL); INSERT INTO t VALUES (NULL, 1), (2, 2), (NULL, 3);
            PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET sql = 'CREATE TABLE t (a INTEGER NOT NULL, b INTEGER NOT NULL)' WHERE name = 't';
            PRAGMA writable_schema = OFF;
            """
        try await Bench.with(script) { bench in
            let report = try await bench.copy().run()
            #expect(
                report.findings.map(\.message) == [
                    "The column t.a is NOT NULL and holds NULL in 2 rows; in PostgreSQL it is nullable."
                ])
            #expect(report.findings.map(\.count) == [2])
            #expect(report.findings.map(\.kind) == [.changed])
        }
    }

    @Test("constant defaults are copied, and the others are reported")
    func defaults() async throws {
        let script = """
            CREATE TABLE d (id INTEGER PRIMARY KEY, a INTEGER DEFAULT -5, b TEXT DEFAULT 'it''s', c BOOLEAN DEFAULT 1, d REAL DEFAULT 1.5,
                e NUMERIC(6,2) DEFAULT 0.10, f BLOB DEFAULT x'00ff', g TEXT DEFAULT NULL, h INTEGER DEFAULT 'none',
                i TEXT DEFAULT (lower('X')), j TEXT DEFAULT CURRENT_TIMESTAMP, k INTEGER DEFAULT (7), l NUMERIC(3,1) DEFAULT 123.45,
                m TEXT DEFAULT 5, n INTEGER DEFAULT '42', o BOOLEAN DEFAULT '0', p BLOB DEFAULT 1);
            INSERT INTO d (id, f, h, l, n, p) VALUES (1, x'01', 5, 1.5, 1, NULL);
            """
        try await Bench.with(script) { bench in
            let report = try await bench.copy().run()
            #expect(
                report.findings(.omitted) == [
                    "The default of the column d.h is not copied: 'none'",
                    "The default of the column d.i is not copied: lower('X')",
                    "The default of the column d.l is not copied: 123.45",
                    "The default of the column d.p is not copied: 1",
                ])
            #expect(
                try await bench.column(
                    "INSERT INTO d DEFAULT VALUES RETURNING concat_ws(' ', id, a, b, c, d, e, f, g, h, i, k, l, m, n, o, p, length(j))"
                ) == ["2 -5 it's t 1.5 0.10 \\x00ff 7 5 42 f 19"])
        }
    }
}

extension Bench {
    /// The constraints of the schema, each after its table.
    func constraints(_ condition: String = "k.contype IN ('p', 'u')") async throws -> [String] {
        try await server(
            """
            SELECT c.relname::text, pg_get_constraintdef(k.oid)::text FROM pg_constraint AS k
            JOIN pg_class AS c ON c.oid = k.conrelid
            WHERE c.relnamespace = current_schema()::regnamespace AND \(condition) ORDER BY 1, 2
            """
        ).map { $0.joined(separator: " ").replacing("\(schema).", with: "") }
    }
}

extension TableCopyReport {
    func findings(_ kind: TableCopyFinding.Kind) -> [String] {
        findings.filter { $0.kind == kind }.map(\.message)
    }
}
