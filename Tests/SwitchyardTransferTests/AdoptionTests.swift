import Foundation
import GRDB
import SQLiteStore
import Switchyard
import SwitchyardCore
import SwitchyardTransfer
import TestBackends
import Testing

/// What the tables of a small library become.
private enum ShelfSchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Author.self, Book.self, Tag.self]

    @Model
    struct Author {
        let id: ID
        var legacyID: Int
        var name: String
    }

    @Model
    struct Book {
        let id: ID
        var title: String
        var author: Author.ID
        var sequel: Book.ID?
        var addedAt: Date
        var isRead: Bool
        var price: Decimal?
    }

    @Model
    struct Tag {
        let id: ID
        var book: Book.ID
        var label: String
    }
}

@Suite("Adoption of a foreign database")
struct AdoptionTests {
    private static let tables = """
        CREATE TABLE author (author_id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE Book (id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER REFERENCES author,
            sequel_id INTEGER, added_at TEXT, is_read BOOLEAN, price NUMERIC, cover BLOB);
        CREATE TABLE tag (book_id INTEGER REFERENCES book (id), label TEXT, PRIMARY KEY (book_id, label)) WITHOUT ROWID;
        CREATE TABLE grdb_migrations (identifier TEXT PRIMARY KEY);
        INSERT INTO author VALUES (1, 'Ada'), (2, 'Bo');
        INSERT INTO book VALUES (10, 'One', 1, 11, '2024-07-01 10:00:00', 1, 0.99, x'00'),
            (11, 'Two', 1, NULL, '2024-01-01 10:00:00', 0, NULL, NULL),
            (12, 'Three', 2, 99, '2024-01-01 10:00:00', 0, 12, NULL);
        INSERT INTO tag VALUES (10, 'new'), (10, 'red'), (11, 'new');
        """

    private static func plan() throws -> AdoptionPlan {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        return try AdoptionPlan(
            ShelfSchema.self,
            .table("author", as: ShelfSchema.Author.self, .column("author_id", to: \.legacyID)),
            .table(
                "book", as: ShelfSchema.Book.self, .reference("sequel_id", to: \.sequel, whenMissing: .orNil),
                .column("added_at", to: \.addedAt, .date(.iso8601(in: berlin))), .ignored("cover")),
            .ignored("grdb_migrations"))
    }

    /// Lends a file with these tables.
    private static func withFile<Value>(
        _ sql: String = tables, _ body: (any ForeignDatabase, URL) async throws -> Value
    ) async throws -> Value {
        try await withDirectory { directory in
            let file = directory.appending(path: "a büro #1?.db")
            let queue = try DatabaseQueue(path: file.path)
            try await queue.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA foreign_keys = OFF")
                try database.execute(sql: sql)
            }
            try queue.close()
            let registry = try PluginRegistry([SQLitePlugin.self])
            let escaped = file.path.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["/"]))
            return try await body(
                try registry.foreignDatabase(url: "sqlite://" + (try #require(escaped))), file)
        }
    }

    private static func bytes(_ file: URL) throws -> Data { try Data(contentsOf: file) }

    @Test(
        "an adopted database becomes a store: keys become ids, references stay intact, and the file is unchanged",
        arguments: TestBackend.available)
    func adopted(backend: TestBackend) async throws {
        try await Self.withFile { database, file in
            let before = try Self.bytes(file)
            try await backend.withPlace(of: ShelfSchema.schema) { place in
                let report = try await Self.plan().run(from: database, into: place)
                #expect(
                    report.tables.map { "\($0.name) \($0.rows) \($0.derivedIDs) \($0.removedReferences)" }
                        == ["Book 3 3 1", "author 2 2 0", "tag 3 3 0"])
                #expect(report.ignoredTables == ["grdb_migrations"])
                try await place.with { store in
                    let (authors, books, tags) = try await store.read { tx in
                        (
                            try tx.fetch(ShelfSchema.Author.all.sorted(by: \.legacyID)),
                            try tx.fetch(ShelfSchema.Book.all.sorted(by: \.title)),
                            try tx.fetch(ShelfSchema.Tag.all.sorted(by: \.label))
                        )
                    }
                    #expect(authors.map(\.name) == ["Ada", "Bo"])
                    #expect(authors.map(\.legacyID) == [1, 2])
                    #expect(authors[0].id.description == "67cdc6a1-eb91-557c-8ac3-2b055fef7e5d")
                    #expect(books.map(\.title) == ["One", "Three", "Two"])
                    #expect(books[0].id.description == "22359750-4c5d-531a-9529-a8a797d9bb7e")
                    #expect(books[0].author == authors[0].id && books[1].author == authors[1].id)
                    #expect(books[0].sequel == books[2].id && books[1].sequel == nil)
                    // Summer time, and then not.
                    #expect(books[0].addedAt == Date(timeIntervalSince1970: 1_719_820_800))
                    #expect(books[2].addedAt == Date(timeIntervalSince1970: 1_704_099_600))
                    #expect(books.map(\.isRead) == [true, false, false])
                    #expect(books.map(\.price) == [Decimal(string: "0.99"), 12, nil])
                    #expect(tags.map(\.label) == ["new", "new", "red"])
                    #expect(
                        tags.contains {
                            $0.id.description == "6fca6779-bf78-5960-854d-d29a660002bf"
                                && $0.book == books[0].id
                        })
                    #expect(try await store.check() == [])
                    _ = try await store.write {
                        try $0.insert(ShelfSchema.Tag(book: books[0].id, label: "x"))
                    }
                }
                await #expect { try await Self.plan().run(from: database, into: place) } throws: {
                    ($0 as? StoreError)?.code == .placeTaken
                }
            }
            #expect(try Self.bytes(file) == before)
        }
    }

    @Test("an adoption detects SQLite's text conversions, and reads UTF-16 unchanged")
    func utf16() async throws {
        for encoding in ["UTF-16le", "UTF-16be"] {
            // Half of a pair and then an A; an umlaut.
            let texts = encoding == "UTF-16le" ? ["00d84100", "fc00"] : ["d8000041", "00fc"]
            let rows = texts.enumerated().map { "(\($0 + 1), CAST(x'\($1)' AS TEXT))" }.joined(
                separator: ", ")
            let sql = """
                PRAGMA encoding = '\(encoding)'; CREATE TABLE author (author_id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                INSERT INTO author VALUES \(rows);
                """
            try await Self.withFile(sql) { database, _ in
                let plan = try AdoptionPlan(
                    ShelfSchema.self,
                    .table("author", as: ShelfSchema.Author.self, .column("author_id", to: \.legacyID)))
                let preview = try await plan.preview(database)
                #expect(
                    preview.faults.map(\.description) == [
                        "author.name: a text in no valid encoding is not of type text; in 1 rows, the first of them "
                            + "the row with the key 1"
                    ])
                let values = try database.read { snapshot in
                    var values: [ForeignValue] = []
                    try snapshot.forEachRow(of: try snapshot.tables()[0], ["name"]) { values += $0 }
                    return values
                }
                #expect(values[1] == .text("ü"))
            }
        }
    }

    @Test("an adoption names tables that look like parts of a virtual one, and omits none that it indexes")
    func shadows() async throws {
        let more = """
            CREATE TABLE docs_content (id INTEGER PRIMARY KEY, body TEXT);
            CREATE VIRTUAL TABLE docs USING fts5(body, content='docs_content', content_rowid='id');
            """
        try await Self.withFile(Self.tables + more) { database, _ in
            let preview = try await Self.plan().preview(database)
            #expect(
                preview.faults.map(\.description) == ["docs_content: the plan does not mention the table"])
            #expect(
                preview.ignoredTables == [
                    "docs", "docs_config", "docs_data", "docs_docsize", "docs_idx", "grdb_migrations",
                ])
        }
    }

    @Test("an adoption with values that cannot be converted lists them all and creates nothing")
    func refused() async throws {
        let more = """
            INSERT INTO book VALUES (20, NULL, 7, NULL, 'secret', 2, 'x', NULL), (21, CAST(x'ff' AS TEXT), 1, NULL, 'secret', 0,
            NULL, NULL);
            """
        try await Self.withFile(Self.tables + more) { database, _ in
            let preview = try await Self.plan().preview(database)
            #expect(
                preview.faults.map(\.description) == [
                    "Book.added_at: a text is not a time in the declared form; in 2 rows, the first of them "
                        + "the row with the key 20",
                    "Book.author_id: the row that it refers to does not exist; in 1 rows, the first of them "
                        + "the row with the key 20",
                    "Book.is_read: an integer is not of type bool; in 1 rows, the first of them the row with the key "
                        + "20",
                    "Book.price: a text is not of type decimal; in 1 rows, the first of them the row with the key 20",
                    "Book.title: the attribute needs a value; in 1 rows, the first of them the row with the key 20",
                    "Book.title: a text in no valid encoding is not of type text; in 1 rows, the first of them the "
                        + "row with the key 21",
                ])
            try await TestBackend.sqlite.withPlace(of: ShelfSchema.schema) { place in
                await #expect { try await Self.plan().run(from: database, into: place) } throws: {
                    ($0 as? StoreError)?.code == .valueNotRepresentable
                }
                await #expect { try await place.markerThere() } throws: {
                    ($0 as? StoreError)?.code == .notFound
                }
            }
        }
    }

    @Test("an adoption needs a declaration for every table and column")
    func gaps() async throws {
        try await Self.withFile { database, _ in
            let preview = try await AdoptionPlan(ShelfSchema.self).preview(database)
            #expect(
                Set(preview.faults.map(\.description)) == [
                    "grdb_migrations: the plan does not mention the table",
                    "author: it has no column for Author.legacyID, which needs a value",
                    "Book.sequel_id: the plan does not mention it",
                    "Book.cover: the plan does not mention it",
                ])
        }
    }

    @Test("an adoption reuses the empty copy of an interrupted one")
    func again() async throws {
        try await Self.withFile { database, _ in
            try await TestBackend.sqlite.withPlace(of: ShelfSchema.schema) { place in
                try await place.with(OpenOptions(role: .copying)) { _ in }
                try await Self.plan().run(from: database, into: place)
                #expect(try await place.markerThere().role == .active)
            }
        }
    }

    @Test("an adoption refuses a missing file, a file that is not a database, and a store")
    func noDatabase() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "file.db")
            let registry = try PluginRegistry([SQLitePlugin.self])
            let database = try registry.foreignDatabase(url: "sqlite:" + file.path)
            func code() async throws -> StoreError.Code? {
                do { _ = try await Self.plan().preview(database) } catch let error as StoreError {
                    return error.code
                }
                return nil
            }
            #expect(try await code() == .notFound)
            for path in [":memory:", "//\(file.path)%00"] {
                #expect {
                    try registry.foreignDatabase(url: "sqlite:" + path)
                } throws: {
                    ($0 as? StoreError)?.code == .configuration
                }
            }
            try Data(
                "This is no database, but long enough for one: it has a hundred bytes and more, like a header has."
                    .utf8
            )
            .write(to: file)
            #expect(try await code() == .notAStore)
            try FileManager.default.removeItem(at: file)
            try await registry.open(url: "sqlite:" + file.path, schema: ShelfSchema.self).close()
            #expect(try await code() == .invalidArgument)
        }
    }

    @Test("an adoption of a table without a key needs one declared, and finds rows with the same key")
    func keys() async throws {
        let sql = """
            CREATE TABLE "au""thor" (code TEXT, legacy_id INTEGER, NAME TEXT);
            INSERT INTO "au""thor" VALUES ('a', 1, 'Ada'), ('b', 2, 'Bo'), ('a', 3, 'Cy'), (NULL, 4, 'Di');
            """
        try await Self.withFile(sql) { database, _ in
            let silent = try AdoptionPlan(
                ShelfSchema.self, .table("au\"thor", as: ShelfSchema.Author.self, .ignored("code")))
            #expect(
                try await silent.preview(database).faults.map(\.description) == [
                    "au\"thor: it has no primary key: name the columns that tell its rows apart"
                ])
            let plan = try AdoptionPlan(
                ShelfSchema.self, .table("AU\"THOR", as: ShelfSchema.Author.self, .key("code")))
            #expect(
                try await plan.preview(database).faults.map(\.description) == [
                    "au\"thor: another row has the same key; in 1 rows, the first of them row 3",
                    "au\"thor.code: the key has no value, or a text in no valid encoding; in 1 rows, the first of them row 4",
                ])
        }
    }
}
