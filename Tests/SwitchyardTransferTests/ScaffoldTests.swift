import Foundation
import GRDB
import PostgresStore
import PostgresTestServer
import SQLiteStore
import SwitchyardCore
import TestBackends
import Testing

@testable import SwitchyardTransfer

@Suite("Scaffolds of SQL databases")
struct ScaffoldTests {
    enum Source: String, CaseIterable {
        case sqlite, postgres

        static var available: [Source] { PostgresServer.url == nil ? [.sqlite] : allCases }
    }

    /// The same tables and rows in the words of each backend.
    private static func script(_ source: Source) -> String {
        let (time, key) = source == .sqlite ? ("TIMESTAMP", "INTEGER") : ("timestamptz", "bigint")
        return """
            CREATE TABLE author (id \(key) PRIMARY KEY, name text NOT NULL UNIQUE, born date, is_active boolean NOT NULL DEFAULT true,
                rank \(key) NOT NULL DEFAULT (-1));
            CREATE TABLE shelf (code varchar(8) NOT NULL PRIMARY KEY, title text DEFAULT 'it''s new', room text, place \(key),
                UNIQUE (room, place));
            CREATE UNIQUE INDEX titled ON shelf (title) WHERE room IS NOT NULL;
            CREATE TABLE book (id \(key) PRIMARY KEY, title text NOT NULL DEFAULT '', price numeric(12, 2) DEFAULT 9.50,
                added_at \(time) NOT NULL DEFAULT CURRENT_TIMESTAMP,
                author_id \(key) NOT NULL REFERENCES author ON DELETE CASCADE,
                editor_id \(key) REFERENCES author ON DELETE SET NULL,
                shelf_code varchar(8) REFERENCES shelf ON DELETE RESTRICT,
                sequel_id \(key) REFERENCES book);
            CREATE UNIQUE INDEX lowered ON book (lower(title));
            CREATE TABLE tag (id \(key) PRIMARY KEY, name text);
            CREATE TABLE book_tag (book_id \(key) NOT NULL REFERENCES book ON DELETE CASCADE,
                tag_id \(key) NOT NULL REFERENCES tag ON DELETE CASCADE, weight double precision, PRIMARY KEY (book_id, tag_id));
            CREATE TABLE log (words text);
            INSERT INTO author VALUES (1, 'Ada', '1815-12-10', true, 3), (2, 'Bo', NULL, false, -1);
            INSERT INTO shelf VALUES ('A1', 'Poems', 'north', 1), ('A2', NULL, 'north', NULL), ('A3', 'Poems', NULL, NULL);
            INSERT INTO book VALUES (1, 'One', 4.75, '2026-01-02T03:04:05.678Z', 1, 2, 'A1', 2),
                (2, 'Two', NULL, '2026-01-02T03:04:06Z', 1, NULL, NULL, NULL);
            INSERT INTO tag VALUES (1, 'new'), (2, NULL);
            INSERT INTO book_tag VALUES (1, 1, 0.5), (1, 2, NULL), (2, 1, -1);
            """
    }

    /// Lends a database with the tables.
    private static func with(
        _ source: Source, _ body: (any ForeignDatabase) async throws -> Void
    ) async throws {
        let registry = try PluginRegistry([SQLitePlugin.self, PostgresPlugin.self])
        switch source {
        case .sqlite:
            try await withDirectory { directory in
                let file = directory.appending(path: "library.db")
                let queue = try DatabaseQueue(path: file.path)
                try await queue.write { try $0.execute(sql: script(source)) }
                try queue.close()
                let before = try Data(contentsOf: file)
                try await body(try registry.foreignDatabase(url: "sqlite:" + file.path))
                #expect(try Data(contentsOf: file) == before)
            }
        case .postgres:
            try await PostgresServer.withSchemaName { schema in
                try await PostgresServer.administer(
                    "CREATE SCHEMA \(schema); SET search_path = \(schema); \(script(source))")
                try await body(try registry.foreignDatabase(url: try PostgresServer.url(schema: schema)))
            }
        }
    }

    /// The source of the models and the plan that this module is built with.
    private static var builtSource: String {
        get throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "ScaffoldedLibrary.swift")
            let text = try String(contentsOf: file, encoding: .utf8)
            return String(text.drop { $0 != "\n" }.dropFirst(2))
        }
    }

    @Test(
        "a scaffold has the references, delete rules, unique constraints and defaults of the catalogue, and compiles as it is",
        arguments: Source.available)
    func compiles(source: Source) async throws {
        try await Self.with(source) { database in
            let scaffold = try await AdoptionScaffold(of: database, named: "library")
            #expect(try scaffold.source == Self.builtSource)
            #expect(scaffold.preview.faults == [])
        }
    }

    @Test("the built source adopts the database, alike from and to each backend")
    func adopts() async throws {
        var digests: [[String: RowsDigest]] = []
        for source in Source.available {
            try await Self.with(source) { database in
                for backend in TestBackend.available {
                    try await backend.withPlace(of: try LibrarySchema.schema) { place in
                        digests.append(try await adoptionPlan().run(from: database, into: place).digests)
                        try await place.withStore(OpenOptions(createsIfMissing: false)) { store in
                            #expect(try await store.check() == [])
                            try await check(store)
                        }
                    }
                }
            }
        }
        #expect(digests.count >= 2 && digests.allSatisfy { $0 == digests[0] })
        #expect(
            digests[0].mapValues(\.count) == ["Author": 2, "Book": 2, "BookTag": 3, "Shelf": 3, "Tag": 2])
    }

    /// Looks at the rows, and at what the delete rules do.
    private func check(_ store: any Store) async throws {
        typealias Library = LibrarySchema
        let (books, authors) = try await store.read { tx in
            (try tx.fetch(Library.Book.sorted(by: \.title)), try tx.fetch(Library.Author.sorted(by: \.name)))
        }
        try #require(books.map(\.title) == ["One", "Two"] && authors.map(\.name) == ["Ada", "Bo"])
        #expect(books[0].price == Decimal(string: "4.75") && books[1].price == nil)
        #expect(books[0].addedAt == Date(timeIntervalSince1970: 1_767_323_045.678))
        #expect(books[0].sequel == books[1].id)
        #expect(authors.map(\.isActive) == [true, false] && authors.map(\.rank) == [3, -1])
        #expect(authors[0].born == CalendarDay("1815-12-10"))
        #expect(
            books.map(\.author) == [authors[0].id, authors[0].id]
                && books.map(\.editor) == [authors[1].id, nil])
        try await store.write { try $0.delete(authors[1].id) }
        #expect(try await store.read { try $0.fetch(Library.Book.all) }.allSatisfy { $0.editor == nil })
        await #expect(throws: StoreError.self) {
            try await store.write { try $0.delete(Library.Shelf.where(#Predicate { $0.code == "A1" })) }
        }
        try await store.write { try $0.delete(authors[0].id) }
        let left = try await store.read { tx in
            [try tx.count(Library.Book.all), try tx.count(Library.BookTag.all)]
        }
        #expect(left == [0, 0])
    }

    @Test("texts of digits stay texts where no declared type says that they are numbers")
    func digits() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "shop.db")
            let queue = try DatabaseQueue(path: file.path)
            try await queue.write {
                try $0.execute(
                    sql: """
                        CREATE TABLE shop (id INTEGER PRIMARY KEY, zip, code BLOB, share, rate REAL);
                        INSERT INTO shop VALUES (1, '00123', '007', 0.5, 2), (2, '12345', '12345678901234567890.123', 2, '0.1');
                        CREATE TABLE part (id INTEGER PRIMARY KEY, mark ANY) STRICT;
                        INSERT INTO part VALUES (1, '1.50'), (2, '2');
                        """)
            }
            try queue.close()
            let database = try PluginRegistry([SQLitePlugin.self]).foreignDatabase(url: "sqlite:" + file.path)
            let scaffold = try await AdoptionScaffold(of: database, named: "shop")
            let types = scaffold.schema.entities.map { entity in
                entity.attributes.dropFirst().map { "\(entity.name).\($0.name): \($0.type.rawValue)" }
            }
            #expect(
                types.flatMap(\.self).sorted() == [
                    "Part.mark: text", "Shop.code: text", "Shop.rate: double", "Shop.share: double",
                    "Shop.zip: text",
                ])
            try await TestBackend.memory.withPlace(of: scaffold.schema) { place in
                try await scaffold.plan.run(from: database, into: place)
                let values = try await place.with { store in
                    try await store.read { tx in
                        var values: Set<StoredValue> = []
                        try tx.forEachRow(of: "Shop", sortedBy: []) { values.formUnion($0.dropFirst()) }
                        return values
                    }
                }
                #expect(
                    values == [
                        .text("00123"), .text("12345"), .text("007"), .text("12345678901234567890.123"),
                        .double(0.5), .double(2), .double(0.1),
                    ])
            }
        }
    }

    @Test(
        "a text becomes a double only with all of its digits",
        arguments: [
            ("0.10", 0.1), ("007", 7), ("-0.0", 0), ("12345678901234567000", 1.2345678901234567e19),
            ("12345678901234567890.123", nil), ("0.1000000000000000055", nil), ("1e3", nil), ("", nil),
        ] as [(String, Double?)])
    func doubles(text: String, value: Double?) {
        let attribute = Attribute("value", type: .double)
        for form in [AdoptedForm.asIs, .number] {
            #expect((try? form.value(.text(text), for: attribute)) == value.map { .double($0) })
        }
    }

    @Test(
        "a default is known if it is a literal",
        arguments: [
            ("0", ForeignValue.integer(0)), ("(-1.5)", .real(-1.5)), ("'it''s'", .text("it's")),
            ("TRUE", .integer(1)), ("'red'::character varying", .text("red")), ("'-1'::integer", .text("-1")),
            ("'x\u{301}'", .text("x\u{301}")), ("''", .text("")), ("'a::b'", .text("a::b")), ("now()", nil),
            ("CURRENT_TIMESTAMP", nil), ("'a' || 'b'", nil), ("'open", nil), ("", nil), ("NULL", nil),
            ("nextval('s'::regclass)", nil), ("9e999", nil), ("0x10", nil), ("inf", nil), ("1 + 1", nil),
        ])
    func defaults(sql: String, value: ForeignValue?) {
        #expect(ForeignValue(literal: sql) == value)
    }
}
