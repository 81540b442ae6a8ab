import Foundation
import GRDB
import PostgresTestServer
import SwitchyardCore
import Synchronization
import TableCopy
import Testing

@Suite("Files of a copy", .enabled(if: PostgresServer.url != nil, Comment(rawValue: PostgresServer.need)))
struct FileTests {
    /// Copies, which must fail and leave nothing.
    private func fails(
        _ bench: Bench, from path: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> StoreError {
        let copy = TableCopy(from: path ?? bench.file.path, to: try bench.url)
        let error = await #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
            try await copy.run()
        }
        let isThere = try await bench.hasSchema()
        #expect(!isThere, sourceLocation: sourceLocation)
        return try #require(error)
    }

    private func contents(_ bench: Bench) throws -> [String: Data?] {
        let names = try FileManager.default.contentsOfDirectory(atPath: bench.directory.path)
        return Dictionary(
            uniqueKeysWithValues: names.filter { !$0.hasSuffix("-shm") }.map {
                ($0, FileManager.default.contents(atPath: bench.directory.appending(path: $0).path))
            })
    }

    @Test("a copied file that nobody has open is unchanged, and nothing appears beside it")
    func unchanged() async throws {
        for mode in ["DELETE", "WAL"] {
            try await Bench.with(
                "PRAGMA journal_mode = \(mode); CREATE TABLE t (a); INSERT INTO t VALUES (1)"
            ) { bench in
                let before = try contents(bench)
                #expect(before.keys.sorted() == ["source.sqlite"])
                _ = try await bench.copy().plan()
                _ = try await bench.copy().run()
                #expect(try contents(bench) == before)
                #expect(try FileManager.default.contentsOfDirectory(atPath: bench.directory.path).count == 1)
            }
        }
    }

    @Test("a copy includes rows in the WAL, and the WAL stays")
    func wal() async throws {
        try await Bench.with("PRAGMA journal_mode = WAL; CREATE TABLE t (a)") { bench in
            let queue = try DatabaseQueue(path: bench.file.path)
            try await queue.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA wal_autocheckpoint = 0; INSERT INTO t VALUES (1), (2)")
            }
            let before = try contents(bench)
            #expect(before.keys.sorted() == ["source.sqlite", "source.sqlite-wal"])
            _ = try await bench.copy().run()
            #expect(try await bench.column("SELECT a::text FROM t") == ["1", "2"])
            #expect(try contents(bench) == before)
            try queue.close()
        }
    }

    @Test("a copy detects a WAL that appears during it")
    func writtenMeanwhile() async throws {
        try await Bench.with("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)") {
            bench in
            let writer = Mutex<DatabaseQueue?>(nil)
            let copy = try bench.copy()
            let error = await #expect(throws: StoreError.self) {
                try await copy.run { progress in
                    guard case .copying = progress else { return }
                    writer.withLock { writer in
                        writer = try? DatabaseQueue(path: bench.file.path)
                        try? writer?.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
                    }
                }
            }
            #expect(error?.code == .busy)
            #expect(try await !bench.hasSchema())
            // Now there is a WAL to read.
            _ = try await copy.run()
            #expect(try await bench.column("SELECT a::text FROM t") == ["1", "2"])
            try writer.withLock { try $0?.close() }
        }
    }

    @Test("an interrupted change is rolled back in a copy of the file, which stays unchanged")
    func interrupted() async throws {
        let script = """
            PRAGMA journal_mode = DELETE; CREATE TABLE t (a, b);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            INSERT INTO t SELECT i, 'before' FROM n;
            """
        try await Bench.with(script) { bench in
            let left = bench.directory.appending(path: "left.sqlite")
            let queue = try DatabaseQueue(path: bench.file.path)
            // What a killed process leaves: changed pages in the file, and the old ones in the journal.
            try await queue.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA cache_size = 1; BEGIN; UPDATE t SET b = 'after'")
                for suffix in ["", "-journal"] {
                    try FileManager.default.copyItem(
                        atPath: bench.file.path + suffix, toPath: left.path + suffix)
                }
                try database.execute(sql: "ROLLBACK")
            }
            try queue.close()
            #expect(try Data(contentsOf: left).range(of: Data("after".utf8)) != nil)
            let before = try contents(bench)
            _ = try await TableCopy(from: left.path, to: bench.url).run()
            #expect(
                try await bench.server("SELECT b, count(*)::text FROM t GROUP BY b") == [["before", "2000"]])
            #expect(try contents(bench) == before)
        }
    }

    @Test("a read-only file and directory can be copied")
    func readOnly() async throws {
        try await Bench.with("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)") {
            bench in
            let manager = FileManager.default
            try manager.setAttributes([.posixPermissions: 0o400], ofItemAtPath: bench.file.path)
            try manager.setAttributes([.posixPermissions: 0o500], ofItemAtPath: bench.directory.path)
            defer {
                try? manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: bench.directory.path)
            }
            _ = try await bench.copy().run()
            #expect(try await bench.column("SELECT a::text FROM t") == ["1"])
        }
    }

    @Test("a copied file's path may contain spaces, umlauts and URL characters")
    func oddPath() async throws {
        try await Bench.with { bench in
            let path = bench.directory.appending(path: "ä b%20?#.db").path
            try await DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t (a)") }
            let report = try await TableCopy(from: path, to: bench.url).run()
            #expect(report.tables.map(\.name) == ["t"])
        }
    }

    @Test("a copy refuses a missing, damaged or foreign file")
    func refused() async throws {
        try await Bench.with { bench in
            let missing = try await fails(bench)
            #expect(missing.code == .notFound)
            #expect(missing.message == "There is no file at \(bench.file.path). Check its name.")
            #expect(try await fails(bench, from: bench.directory.path).code == .notAStore)

            try Data("this is a letter and no database, however long it may be".utf8).write(to: bench.file)
            let letter = try await fails(bench)
            #expect(letter.code == .notAStore)
            #expect(letter.message == "The file \(bench.file.path) is not an SQLite database.")
        }
        try await Bench.with(
            "CREATE TABLE t (a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO t SELECT i FROM n"
        ) { bench in
            let whole = try Data(contentsOf: bench.file)
            try whole.prefix(whole.count / 2).write(to: bench.file)
            #expect(try await fails(bench).code == .corrupted)
            var broken = whole
            broken.replaceSubrange(20 * 4_096..<20 * 4_096 + 200, with: Data(repeating: 0xFF, count: 200))
            try broken.write(to: bench.file)
            #expect(try await fails(bench).code == .corrupted)
        }
    }

    @Test("a copy reads a file whose constraints need an app's functions and collations")
    func foreignFunctions() async throws {
        try await Bench.with { bench in
            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            let queue = try DatabaseQueue(path: bench.file.path, configuration: configuration)
            try await queue.write { database in
                database.add(function: DatabaseFunction("twice", argumentCount: 1, pure: true) { _ in 2 })
                database.add(collation: DatabaseCollation("apps") { $0.compare($1) })
                try database.execute(
                    sql: """
                        CREATE TABLE t (a TEXT COLLATE apps PRIMARY KEY, b INTEGER CHECK (twice(b) > 0));
                        CREATE INDEX i ON t (twice(b)); INSERT INTO t VALUES ('x', 1);
                        CREATE TABLE u (a TEXT REFERENCES t); INSERT INTO u VALUES ('x'), ('y');
                        """)
            }
            try queue.close()
            let report = try await bench.copy().run()
            #expect(report.tables.map(\.rows) == [1, 2])
            #expect(
                report.findings.map(\.message) == [
                    "The column t.a compares by apps; in PostgreSQL it compares by bytes.",
                    "The CHECK constraints of t are not copied: 1.",
                    "The index i is not copied, because of an expression.",
                    "No row of t belongs to 1 row of u (a); the foreign key is NOT VALID, which holds for new rows.",
                ])
        }
    }

    @Test(
        "a copy reads tables with an app's collation, and reports columns that only the app can compute"
    )
    func foreignColumns() async throws {
        try await Bench.with { bench in
            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            let queue = try DatabaseQueue(path: bench.file.path, configuration: configuration)
            try await queue.write { database in
                database.add(function: DatabaseFunction("twice", argumentCount: 1, pure: true) { _ in 2 })
                // The reverse of the order of bytes.
                database.add(collation: DatabaseCollation("apps") { $1.compare($0) })
                try database.execute(
                    sql: """
                        CREATE TABLE g (a INTEGER, b AS (twice(a)), c AS (a + 1), d AS (CAST(a AS TEXT) > '2' COLLATE apps),
                            e INTEGER AS (twice(a)) STORED, f TEXT);
                        CREATE INDEX gb ON g (b); CREATE INDEX gf ON g (f);
                        INSERT INTO g VALUES (1, 'x');
                        CREATE TABLE w (k TEXT COLLATE apps PRIMARY KEY, m AS (k < 'b'), n INTEGER, o AS (k || '!')) WITHOUT ROWID;
                        INSERT INTO w VALUES ('b', 1), ('a', 2), ('c', 3);
                        CREATE TABLE v (k TEXT REFERENCES w); INSERT INTO v VALUES ('a'), ('d');
                        """)
            }
            try queue.close()
            let report = try await bench.copy().run()
            #expect(report.tables.map { "\($0.name) \($0.rows)" } == ["g 1", "v 2", "w 3"])
            #expect(
                report.findings.map(\.message) == [
                    "The column g.b is generated by a function or collation of the file's app, and is not copied.",
                    "The column g.d is generated by a function or collation of the file's app, and is not copied.",
                    "The column w.m is generated by a function or collation of the file's app, and is not copied.",
                    "The column g.c is generated; its values are copied, its expression is not.",
                    "The column g.e is generated; its values are copied, its expression is not.",
                    "The index gb is not copied, because of an expression.",
                    "The column w.k compares by apps; in PostgreSQL it compares by bytes.",
                    "The column w.o is generated; its values are copied, its expression is not.",
                    "No row of w belongs to 1 row of v (k); the foreign key is NOT VALID, which holds for new rows.",
                ])
            #expect(try await bench.column("SELECT g::text FROM g") == ["(1,2,2,x)"])
            #expect(
                try await bench.column("SELECT w::text FROM w ORDER BY k") == [
                    "(a,2,a!)", "(b,1,b!)", "(c,3,c!)",
                ])
        }
    }

    @Test("an empty file is copied as a database without tables")
    func empty() async throws {
        try await Bench.with { bench in
            try Data().write(to: bench.file)
            #expect(try await bench.copy().run().tables == [])
        }
    }

    @Test("a copy refuses a Switchyard store, which needs a switch")
    func store() async throws {
        try await Bench.with("CREATE TABLE switchyard_store (marker TEXT); CREATE TABLE t (a)") { bench in
            let error = try await fails(bench)
            #expect(error.code == .invalidArgument)
            #expect(error.message.hasPrefix("The file is a store of Switchyard."))
        }
    }
}
