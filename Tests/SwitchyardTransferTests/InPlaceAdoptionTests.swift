import Foundation
import GRDB
import PostgresStore
import PostgresTestServer
import SQLiteStore
import Switchyard
import SwitchyardCore
import Testing

private enum Library1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Author.self, Book.self]

    @Model
    struct Author {
        #Unique<Author>([\.name])
        let id: ID
        var name: String
    }

    @Model
    struct Book {
        let id: ID
        var title: String
        var author: Author.ID?
        var kind: BookKind
    }
}

private enum Library2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Author.self, Library1.Book.self]

    @Model
    struct Author {
        #Unique<Author>([\.name])
        let id: ID
        var name: String
        var born: CalendarDay?
    }
}

private enum BookKind: String, Codable, Sendable, CaseIterable {
    case novel, poem
}

private enum LibraryPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Library1.self, Library2.self]
    static let stages: [MigrationStage] = [.lightweight(fromVersion: Library1.self, toVersion: Library2.self)]
}

/// A database that a test has made by SQL.
private struct HandMade {
    enum Backend: String, CaseIterable {
        case sqlite, postgres

        static var available: [Backend] { PostgresServer.url == nil ? [.sqlite] : allCases }
    }

    static let tables: [Backend: String] = [
        .sqlite: """
        CREATE TABLE Author (id blob NOT NULL CONSTRAINT "check_Author_id" CHECK (length(id) = 16), name TEXT NOT NULL,
            CONSTRAINT "primary_Author" PRIMARY KEY (id)) STRICT, WITHOUT ROWID;
        CREATE TABLE Book (id BLOB NOT NULL CONSTRAINT "check_Book_id" CHECK (length(id) = 16), title TEXT NOT NULL,
            author BLOB CONSTRAINT "check_Book_author" CHECK (length(author) = 16),
            kind TEXT NOT NULL CONSTRAINT "check_Book_kind" CHECK (kind IN ('novel', 'poem')),
            CONSTRAINT "primary_Book" PRIMARY KEY (id),
            CONSTRAINT "reference_Book_author" FOREIGN KEY (author) REFERENCES Author (id) DEFERRABLE INITIALLY DEFERRED)
            STRICT, WITHOUT ROWID;
        CREATE TABLE notes (id INTEGER PRIMARY KEY, "text" TEXT);
        INSERT INTO Author VALUES (x'01910000000070008000000000000001', 'Ada');
        INSERT INTO Book VALUES (x'01910000000070008000000000000002', 'One', x'01910000000070008000000000000001', 'poem');
        INSERT INTO notes VALUES (1, 'mine');
        """,
        .postgres: """
        CREATE TABLE "Author" (id uuid NOT NULL, name text COLLATE "C" NOT NULL, CONSTRAINT "primary_Author" PRIMARY KEY (id));
        CREATE TABLE "Book" (id uuid NOT NULL, title text COLLATE "C" NOT NULL, author uuid,
            kind text COLLATE "C" NOT NULL CONSTRAINT "check_Book_kind" CHECK (kind IN ('novel', 'poem')),
            CONSTRAINT "primary_Book" PRIMARY KEY (id));
        CREATE TABLE notes (id serial PRIMARY KEY, "text" text);
        INSERT INTO "Author" VALUES ('01910000-0000-7000-8000-000000000001', 'Ada');
        INSERT INTO "Book" VALUES
            ('01910000-0000-7000-8000-000000000002', 'One', '01910000-0000-7000-8000-000000000001', 'poem');
        INSERT INTO notes VALUES (1, 'mine');
        """,
    ]

    let url: String
    /// The file; nil in PostgreSQL.
    let file: URL?
    let run: (String) async throws -> Void

    /// Lends a database that a script has filled.
    static func with(
        _ backend: Backend, _ sql: String? = nil, _ body: (HandMade, PluginRegistry) async throws -> Void
    ) async throws {
        let registry = try PluginRegistry([SQLitePlugin.self, PostgresPlugin.self])
        let script = sql ?? tables[backend, default: ""]
        switch backend {
        case .sqlite:
            try await withDirectory { directory in
                let file = directory.appending(path: "bücher 1.db")
                let made = HandMade(url: "sqlite:" + file.path, file: file) { sql in
                    let queue = try DatabaseQueue(path: file.path)
                    try await queue.writeWithoutTransaction { try $0.execute(sql: sql) }
                    try queue.close()
                }
                try await made.run("PRAGMA foreign_keys = OFF; " + script)
                try await body(made, registry)
            }
        case .postgres:
            try await PostgresServer.withSchemaName { schema in
                let made = HandMade(url: try PostgresServer.url(schema: schema), file: nil) { sql in
                    try await PostgresServer.administer("SET search_path = \(schema); \(sql)")
                }
                try await PostgresServer.administer("CREATE SCHEMA \(schema)")
                try await made.run(script)
                try await body(made, registry)
            }
        }
    }

    func bytes() throws -> Data? { try file.map { try Data(contentsOf: $0) } }
}

@Suite("Adoption in place")
struct InPlaceAdoptionTests {
    private static func code(_ work: () async throws -> Void) async -> StoreError.Code? {
        do { try await work() } catch { return (error as? StoreError)?.code }
        return nil
    }

    @Test(
        "an in-place adoption has the newest matching version, keeps its rows, and migrates when opened",
        arguments: HandMade.Backend.available)
    private func adopted(backend: HandMade.Backend) async throws {
        try await HandMade.with(backend) { made, registry in
            let before = try made.bytes()
            let preview = try await registry.previewAdoption(url: made.url, as: LibraryPlan.self)
            #expect(preview.differences == [])
            #expect(preview.version == SchemaVersion(1))
            let indexes = ["unique_Author_name", "reference_Book_author"]
            #expect(preview.additions == indexes + (backend == .postgres ? ["reference_Book_author"] : []))
            #expect(preview.otherTables == ["notes"])
            #expect(preview.rows == ["Author": 1, "Book": 1])
            #expect(try made.bytes() == before)
            let report = try await registry.adopt(
                url: made.url, as: LibraryPlan.self, options: OpenOptions(keepsHistory: true))
            #expect((report.backup == nil) == (backend == .postgres))
            if let backup = report.backup {
                #expect(backup == "\(made.file?.path ?? "").original.backup")
                #expect(FileManager.default.fileExists(atPath: backup))
            }
            try await registry.open(url: made.url, migrating: LibraryPlan.self).closing { store in
                #expect(try await store.marker().schema.version == SchemaVersion(2))
                let (authors, books) = try await store.read { tx in
                    (try tx.fetch(Library2.Author.all), try tx.fetch(Library1.Book.all))
                }
                #expect(authors.map(\.name) == ["Ada"])
                #expect(authors[0].id.description == "01910000-0000-7000-8000-000000000001")
                #expect(books.map(\.author) == [Library1.Author.ID(authors[0].id.uuid)])
                #expect(books.map(\.kind) == [.poem])
                let code = await Self.code {
                    try await store.write { try $0.insert(Library2.Author(name: "Ada")) }
                }
                #expect(code == .unique)
                try await store.write { try $0.insert(Library2.Author(name: "Bo")) }
                #expect(try await store.check() == [])
            }
            try await made.run("UPDATE notes SET \"text\" = 'still mine' WHERE \"text\" = 'mine'")
            #expect(
                await Self.code { try await registry.adopt(url: made.url, as: LibraryPlan.self) }
                    == .invalidArgument)
        }
    }

    @Test(
        "an in-place adoption reports each difference and changes nothing",
        arguments: HandMade.Backend.available)
    private func refused(backend: HandMade.Backend) async throws {
        let sql: [HandMade.Backend: String] = [
            .sqlite: """
            CREATE TABLE Author (id BLOB NOT NULL PRIMARY KEY, name INTEGER, age INTEGER UNIQUE) STRICT;
            CREATE TABLE Book (id BLOB NOT NULL CONSTRAINT "check_Book_id" CHECK (length(id) = 16), title TEXT NOT NULL,
                author BLOB CONSTRAINT "check_Book_author" CHECK (length(author) = 16),
                CONSTRAINT "primary_Book" PRIMARY KEY (id),
                CONSTRAINT "reference_Book_author" FOREIGN KEY (author) REFERENCES Author (id) ON DELETE CASCADE)
                STRICT, WITHOUT ROWID;
            CREATE TRIGGER t AFTER INSERT ON Book BEGIN DELETE FROM Author; END;
            CREATE INDEX "unique_Author_name" ON Author (name);
            CREATE TABLE switchyard_history (id INTEGER);
            """,
            .postgres: """
            CREATE TABLE "Author" (id uuid NOT NULL PRIMARY KEY, name int, age int);
            CREATE TABLE "Book" (id uuid NOT NULL, title text COLLATE "C" NOT NULL, author uuid,
                CONSTRAINT "primary_Book" PRIMARY KEY (id),
                CONSTRAINT "reference_Book_author" FOREIGN KEY (author) REFERENCES "Author" (id) ON DELETE CASCADE);
            CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
            CREATE TRIGGER t AFTER INSERT ON "Book" EXECUTE FUNCTION f();
            CREATE INDEX "unique_Author_name" ON "Author" (name);
            CREATE TABLE switchyard_history (id int);
            """,
        ]
        let expected: [HandMade.Backend: [String]] = [
            .sqlite: [
                "the column Author.name is INTEGER instead of TEXT NOT NULL",
                "the schema has no column Author.age",
                "the table Author is not made with STRICT, WITHOUT ROWID",
                "the constraint primary_Author is missing", "the constraint check_Author_id is missing",
                "the unique index unique_Author_name is another one",
                "the schema has no constraint sqlite_autoindex_Author_2 of the table Author",
                "the column Book.kind, TEXT NOT NULL, is missing",
                "the constraint check_Book_kind is missing",
                "the table Book has the trigger t", "a foreign key of the table Book has an action",
                "a foreign key of the table Book is not deferred",
                "the table switchyard_history has the name of one that a store adds",
            ],
            .postgres: [
                "the column Author.name is of another type (object id 23) instead of text COLLATE C NOT NULL",
                "the schema has no column Author.age",
                "the constraint primary_Author is missing",
                "the unique index unique_Author_name is another one",
                "the schema has no constraint Author_pkey of the table Author",
                "the column Book.kind, text COLLATE C NOT NULL, is missing",
                "the constraint check_Book_kind is missing",
                "the foreign key reference_Book_author is not deferred", "the table Book has the trigger t",
                "the table switchyard_history has the name of one that a store adds",
            ],
        ]
        try await HandMade.with(backend, sql[backend]) { made, registry in
            let before = try made.bytes()
            let preview = try await registry.previewAdoption(url: made.url, as: LibraryPlan.self)
            #expect(preview.version == SchemaVersion(1))
            #expect(preview.differences == expected[backend])
            #expect(
                await Self.code { try await registry.adopt(url: made.url, as: LibraryPlan.self) }
                    == .schemaMismatch)
            #expect(try made.bytes() == before)
            #expect(
                await Self.code {
                    try await registry.open(url: made.url, migrating: LibraryPlan.self).close()
                } == .notAStore)
        }
    }

    @Test(
        "an in-place adoption with rows that a store does not accept changes nothing",
        arguments: HandMade.Backend.available)
    private func rows(backend: HandMade.Backend) async throws {
        try await HandMade.with(backend) { made, registry in
            let id = { (last: Int) in
                backend == .sqlite
                    ? "x'0191000000007000800000000000000\(last)'"
                    : "'01910000-0000-7000-8000-00000000000\(last)'"
            }
            try await made.run(
                "PRAGMA foreign_keys = OFF;".prefix(backend == .sqlite ? 100 : 0) + """
                    INSERT INTO "Book" VALUES (\(id(3)), 'Two', \(id(9)), 'poem'), (\(id(4)), 'Three', \(id(9)), 'poem');
                    INSERT INTO "Author" VALUES (\(id(5)), 'Ada')
                    """)
            let preview = try await registry.previewAdoption(url: made.url, as: LibraryPlan.self)
            #expect(preview.differences == ["2 rows of Book refer by author to rows that are not there"])
            #expect(
                await Self.code { try await registry.adopt(url: made.url, as: LibraryPlan.self) }
                    == .schemaMismatch)
            try await made.run("DELETE FROM \"Book\" WHERE title <> 'One'")
            let before = try made.bytes()
            #expect(try await registry.previewAdoption(url: made.url, as: LibraryPlan.self).isPossible)
            // Found when the index is made, after the copy.
            #expect(
                await Self.code { try await registry.adopt(url: made.url, as: LibraryPlan.self) } == .unique)
            #expect(try made.bytes() == before)
            try await made.run("DELETE FROM \"Author\" WHERE id = \(id(5))")
            try await registry.adopt(url: made.url, as: LibraryPlan.self)
        }
    }

    @Test("an in-place adoption reports the faults of all rows if the tables match a version")
    private func manyFaults() async throws {
        try await HandMade.with(.sqlite) { made, registry in
            try await made.run(
                """
                INSERT INTO Book VALUES (x'01910000000070008000000000000003', 'a' || char(0), NULL, 'poem'),
                    (x'01910000000070008000000000000004', 'b' || char(0), NULL, 'poem'),
                    (x'01910000000070008000000000000005', 'c' || char(0), NULL, 'poem');
                """)
            let preview = try await registry.previewAdoption(url: made.url, as: LibraryPlan.self)
            #expect(preview.version == SchemaVersion(1))
            #expect(preview.differences.count == 3, "\(preview.differences)")
            #expect(
                preview.differences.allSatisfy {
                    $0.hasPrefix("Row 01910000-0000-7000-8000-00000000000") && !$0.contains("\0")
                })
        }
    }

    @Test("an in-place adoption includes rows in the WAL, and leaves the WAL of a refused one unchanged")
    private func log() async throws {
        try await HandMade.with(.sqlite) { made, registry in
            let file = try #require(made.file)
            let copy = file.deletingLastPathComponent().appending(path: "copy.db")
            let pool = try DatabasePool(path: file.path)
            func copied(_ sql: String) async throws -> [Data] {
                try await pool.write { try $0.execute(sql: sql) }
                for suffix in ["", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: copy.path + suffix)
                }
                for suffix in ["", "-wal"] {
                    try FileManager.default.copyItem(atPath: file.path + suffix, toPath: copy.path + suffix)
                }
                return try bytes()
            }
            func bytes() throws -> [Data] {
                try ["", "-wal"].map { try Data(contentsOf: URL(filePath: copy.path + $0)) }
            }
            let url = "sqlite:" + copy.path
            let before = try await copied(
                "CREATE TRIGGER t AFTER INSERT ON Book BEGIN DELETE FROM Author; END")
            #expect(
                await Self.code { try await registry.adopt(url: url, as: LibraryPlan.self) }
                    == .schemaMismatch)
            #expect(try bytes() == before)
            _ = try await copied(
                "DROP TRIGGER t; INSERT INTO Author VALUES (x'01910000000070008000000000000009', 'Late')")
            let report = try await registry.adopt(url: url, as: LibraryPlan.self)
            #expect(report.rows == ["Author": 2, "Book": 1])
            try pool.close()
            try await registry.open(url: url, migrating: LibraryPlan.self).closing { store in
                let names = try await store.read {
                    try $0.fetch(Library2.Author.all.sorted(by: \.name)).map(\.name)
                }
                #expect(names == ["Ada", "Late"])
            }
        }
    }

    @Test("an in-place adoption refuses texts in UTF-16, whose order differs")
    private func utf16() async throws {
        try await HandMade.with(.sqlite, "PRAGMA encoding = 'UTF-16'; CREATE TABLE Author (id)") {
            made, registry in
            #expect(
                await Self.code { try await registry.adopt(url: made.url, as: LibraryPlan.self) }
                    == .unsupported)
        }
    }

    @Test("of several concurrent in-place adoptions one succeeds", arguments: HandMade.Backend.available)
    private func several(backend: HandMade.Backend) async throws {
        try await HandMade.with(backend) { made, registry in
            let url = made.url
            let codes = await withTaskGroup { group in
                for _ in 0..<3 {
                    group.addTask {
                        await Self.code { try await registry.adopt(url: url, as: LibraryPlan.self) }
                    }
                }
                return await group.reduce(into: [StoreError.Code?]()) { $0.append($1) }
            }
            #expect(codes.count { $0 == nil } == 1)
            let others: Set<StoreError.Code?> = [nil, .invalidArgument, .serialization, .busy]
            #expect(codes.allSatisfy { others.contains($0) }, "\(codes)")
            try await registry.open(url: url, migrating: LibraryPlan.self).closing { store in
                let faults = try await store.check()
                #expect(faults == [])
            }
        }
    }

    @Test("an in-place adoption is refused without foreign databases, with scopes, or without a file")
    private func others() async throws {
        let registry = try PluginRegistry([SQLitePlugin.self])
        try await withDirectory { directory in
            let url = "sqlite:" + directory.appending(path: "no.db").path
            #expect(
                await Self.code { try await registry.adopt(url: url, as: LibraryPlan.self) } == .notFound)
            let scoped = OpenOptions(scope: StoreScope(UUID()))
            #expect(
                await Self.code { try await registry.adopt(url: url, as: LibraryPlan.self, options: scoped) }
                    == .unsupported)
            try Data(
                "no database, but a text that is longer than the hundred bytes which the header of a file has, so it is."
                    .utf8
            ).write(to: directory.appending(path: "no.db"))
            #expect(
                await Self.code { try await registry.adopt(url: url, as: LibraryPlan.self) } == .notAStore)
            #expect(
                await Self.code {
                    _ = try await registry.previewAdoption(url: url, as: LibraryPlan.self)
                } == .notAStore)
        }
    }
}
