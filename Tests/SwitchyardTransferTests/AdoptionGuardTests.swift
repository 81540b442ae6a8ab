import Foundation
import GRDB
import SQLiteStore
import Switchyard
import SwitchyardCore
import SwitchyardTransfer
import Synchronization
import TestBackends
import Testing

private enum StockSchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Article.self, Part.self]

    @Model
    struct Article {
        #Unique<Article>([\.code], where: { $0.isActive })
        let id: ID
        var code: String
        var isActive: Bool
        var kind: ArticleKind
        var total: Int
        var day: CalendarDay?
        var soldAt: Date?
    }

    @Model
    struct Part {
        let id: ID
        var article: Article.ID
        var name: String
    }
}

private enum ArticleKind: String, Codable, Sendable, CaseIterable {
    case whole, spare
}

/// Counts, and fails from a number on.
private final class Fuse: Sendable {
    private let calls = Mutex(0)
    private let last: Int

    init(after last: Int) { self.last = last }

    func pass(_ value: ForeignValue) throws -> String {
        let count = calls.withLock { calls in
            calls += 1
            return calls
        }
        guard count <= last, case .text(let text) = value else { throw CancellationError() }
        return text
    }
}

/// A database that is changed after each look.
private struct ChangingDatabase: ForeignDatabase {
    let base: any ForeignDatabase
    let change: @Sendable () throws -> Void

    var location: String { base.location }

    func read<Value>(_ body: (any ForeignSnapshot) throws -> Value) throws -> Value {
        let value = try base.read(body)
        try change()
        return value
    }
}

@Suite("Adoptions that meet trouble")
struct AdoptionGuardTests {
    private static let tables = """
        CREATE TABLE article (key BLOB PRIMARY KEY, code TEXT NOT NULL, is_active BOOLEAN NOT NULL, kind TEXT NOT NULL,
            price INTEGER, pieces INTEGER, total INTEGER GENERATED ALWAYS AS (price * pieces) STORED, day TEXT, sold_at TEXT);
        CREATE TABLE part (id INTEGER PRIMARY KEY, article BLOB NOT NULL REFERENCES article, name TEXT NOT NULL);
        CREATE VIEW spares AS SELECT key, code FROM article WHERE kind = 'spare';
        INSERT INTO article VALUES (x'67cdc6a1eb91557c8ac32b055fef7e5d', 'a', 1, 'whole', 2, 3, '24/12/2024', '01.07.2024 10:00'),
            (x'01', 'a', 0, 'spare', 2, 2, NULL, '01.01.2024 10:00');
        INSERT INTO part VALUES (1, x'01', 'lid'), (2, x'67cdc6a1eb91557c8ac32b055fef7e5d', 'pot');
        """

    private static func plan(_ fuse: Fuse? = nil) throws -> AdoptionPlan {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        let code: AdoptedColumn<StockSchema.Article> =
            fuse.map { fuse in .column("code", to: \.code, converting: { try fuse.pass($0) }) }
            ?? .column("code", to: \.code)
        return try AdoptionPlan(
            StockSchema.self,
            .table(
                "article", as: StockSchema.Article.self, code, .ignored("price", "pieces"),
                .column("day", to: \.day, .date(format: "dd/MM/yyyy", timeZone: berlin)),
                .column("sold_at", to: \.soldAt, .date(format: "dd.MM.yyyy HH:mm", timeZone: berlin))))
    }

    /// Lends a file that a script has filled.
    private static func withFile(
        _ more: String = "", settings: String = "", _ body: (any ForeignDatabase, URL) async throws -> Void
    ) async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "stock.db")
            let queue = try DatabaseQueue(path: file.path)
            try await queue.writeWithoutTransaction {
                try $0.execute(sql: "PRAGMA foreign_keys = OFF; \(tables) \(more)")
            }
            try queue.close()
            try await body(try database(file, settings), file)
        }
    }

    private static func database(_ file: URL, _ settings: String = "") throws -> any ForeignDatabase {
        try PluginRegistry([SQLitePlugin.self]).foreignDatabase(url: "sqlite://\(file.path)\(settings)")
    }

    private static func code(_ work: () async throws -> Void) async -> StoreError.Code? {
        do { try await work() } catch { return (error as? StoreError)?.code }
        return nil
    }

    private static func requireWhole(_ place: StorePlace, scope: StoreScope? = nil) async throws {
        try await place.with(OpenOptions(scope: scope)) { store in
            let (articles, parts) = try await store.read { tx in
                (
                    try tx.fetch(StockSchema.Article.all.sorted(by: \.total)),
                    try tx.fetch(StockSchema.Part.all.sorted(by: \.name))
                )
            }
            #expect(articles.map(\.code) == ["a", "a"])
            #expect(articles.map(\.total) == [4, 6])
            #expect(articles.map(\.day?.description) == [nil, "2024-12-24"])
            #expect(
                articles.map(\.soldAt) == [
                    Date(timeIntervalSince1970: 1_704_099_600), Date(timeIntervalSince1970: 1_719_820_800),
                ])
            #expect(articles[1].id.description == "67cdc6a1-eb91-557c-8ac3-2b055fef7e5d")
            #expect(parts.map(\.article) == articles.map(\.id))
            let faults = try await store.check()
            #expect(faults == [])
        }
    }

    @Test(
        "an adoption that fails in its transaction leaves no usable store, and works when repeated",
        arguments: TestBackend.available)
    func interrupted(backend: TestBackend) async throws {
        try await Self.withFile { database, _ in
            try await backend.withPlace(of: StockSchema.schema) { place in
                // Two rows are looked at, and the second one fails when it is to be written.
                let failing = try Self.plan(Fuse(after: 3))
                #expect(await Self.code { try await failing.run(from: database, into: place) } == .busy)
                #expect(await Self.code { try await place.with { _ in } } == .incompleteCopy)
                try await Self.plan().run(from: database, into: place)
                try await Self.requireWhole(place)
            }
        }
    }

    @Test(
        "an adoption of a database that changes during it leaves no usable store",
        arguments: [
            "INSERT INTO part SELECT max(id) + 1, x'01', 'new' FROM part", "DELETE FROM part",
            "UPDATE part SET name = name || '!'", "UPDATE part SET article = x'99'",
        ])
    func changed(sql: String) async throws {
        try await Self.withFile { database, file in
            try await TestBackend.sqlite.withPlace(of: StockSchema.schema) { place in
                let changing = ChangingDatabase(base: database) {
                    var configuration = Configuration()
                    configuration.foreignKeysEnabled = false
                    let queue = try DatabaseQueue(path: file.path, configuration: configuration)
                    try queue.write { try $0.execute(sql: sql) }
                    try queue.close()
                }
                #expect(await Self.code { try await Self.plan().run(from: changing, into: place) } == .busy)
                #expect(await Self.code { try await place.with { _ in } } == .incompleteCopy)
            }
        }
    }

    @Test("an adoption on a full disk leaves no usable store, and works when there is room")
    func fullDisk() async throws {
        let more = """
            WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
            INSERT INTO part SELECT i, x'01', 'a name that is long enough to fill some pages ' || i FROM n
            """
        try await Self.withFile(more) { database, file in
            let url = "sqlite:\(file.path).new"
            let registry = try PluginRegistry([SQLitePlugin.self])
            let schema = try StockSchema.schema
            let narrow = StorePlace(url) { options in
                let store = try await registry.open(url: url, schema: schema, options: options)
                if options.access == .readWrite {
                    try await (store as? SQLiteStore)?.connection?.writeWithoutTransaction {
                        try $0.execute(sql: "PRAGMA max_page_count = 60")
                    }
                }
                return store
            }
            #expect(await Self.code { try await Self.plan().run(from: database, into: narrow) } == .full)
            let place = StorePlace(url: url, registry: registry, schema: schema)
            #expect(await Self.code { try await place.with { _ in } } == .incompleteCopy)
            let report = try await Self.plan().run(from: database, into: place)
            #expect(report.tables.map(\.rows) == [2, 2_903])
            #expect(try await place.markerThere().role == .active)
        }
    }

    @Test(
        "of two concurrent adoptions into one place, one is refused",
        arguments: TestBackend.shared)
    func several(backend: TestBackend) async throws {
        try await Self.withFile { database, _ in
            try await backend.withPlace(of: StockSchema.schema) { place in
                let plan = try Self.plan()
                let codes = await withTaskGroup { group in
                    for _ in 0..<3 {
                        group.addTask {
                            await Self.code { try await plan.run(from: database, into: place) }
                        }
                    }
                    return await group.reduce(into: [StoreError.Code?]()) { $0.append($1) }
                }
                #expect(codes.count { $0 == nil } == 1, "\(codes)")
                #expect(
                    codes.allSatisfy { $0 == nil || $0 == .placeTaken || $0 == .carriedOutElsewhere },
                    "\(codes)")
                try await Self.requireWhole(place)
            }
        }
    }

    @Test("an adoption reads rows in the WAL, and leaves file and WAL identical to the byte")
    func log() async throws {
        try await Self.withFile { _, file in
            let copy = file.deletingLastPathComponent().appending(path: "copy.db")
            let pool = try DatabasePool(path: file.path)
            try await pool.write { try $0.execute(sql: "INSERT INTO part VALUES (3, x'01', 'late')") }
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: file.path + suffix, toPath: copy.path + suffix)
            }
            try pool.close()
            func bytes() throws -> [Data] {
                try ["", "-wal"].map { try Data(contentsOf: URL(filePath: copy.path + $0)) }
            }
            let before = try bytes()
            try await TestBackend.memory.withPlace(of: StockSchema.schema) { place in
                let report = try await Self.plan().run(from: try Self.database(copy), into: place)
                #expect(report.tables.map(\.rows) == [2, 3])
            }
            #expect(try bytes() == before)
        }
    }

    @Test("an adoption reports a locked file")
    func locked() async throws {
        try await Self.withFile(settings: "?busyTimeout=0.05") { database, file in
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let queue = try DatabaseQueue(path: file.path, configuration: configuration)
            try await queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
            #expect(await Self.code { _ = try await Self.plan().preview(database) } == .busy)
            try await queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            try queue.close()
            #expect(try await Self.plan().preview(database).isPossible)
        }
    }

    @Test(
        "an adoption reports unknown cases, numbers and times, and rows that a filtered constraint refuses"
    )
    func values() async throws {
        let more = """
            INSERT INTO article VALUES (x'02', 'a', 1, 'other', 1, 1, '5/6/2024', '31.03.2024 02:30'),
                (x'03', 'a', 1, 'spare', 1, 1, NULL, '1.7.2024 10:00'), (x'04', 'a', 1, 'whole', 1, 1, '30/02/2024', NULL),
                (x'05', 'a', 1, 'whole', 1, 1, NULL, NULL), (x'06', 'a', 0, 'whole', 1, 1, NULL, NULL);
            """
        try await Self.withFile(more) { database, _ in
            let preview = try await Self.plan().preview(database)
            #expect(
                preview.faults.map(\.description) == [
                    "article.day: a text is not a time in the declared form; in 2 rows, the first of them "
                        + "row 2",
                    "article.kind: the attribute does not allow the value; in 1 rows, the first of them row 2",
                    "article.sold_at: the clocks skip the time; in 1 rows, the first of them row 2",
                    "article.sold_at: a text is not a time in the declared form; in 1 rows, the first of "
                        + "them row 3",
                    "article: another row has the same values in code; in 1 rows, the first of them row 7",
                ])
            #expect(preview.ignoredTables == ["spares"])
            #expect(preview.tables.map { "\($0.name) \($0.derivedIDs)" } == ["article 6", "part 2"])
        }
    }

    @Test("an adoption takes a view whose key is named, with its references")
    func view() async throws {
        let more = "CREATE VIEW shown AS SELECT key, code || '!' AS code, is_active, kind, total FROM article"
        try await Self.withFile(more) { database, _ in
            let plan = try AdoptionPlan(
                StockSchema.self, .table("shown", as: StockSchema.Article.self, .key("key")),
                .ignored("article"))
            try await TestBackend.memory.withPlace(of: StockSchema.schema) { place in
                try await plan.run(from: database, into: place)
                try await place.with { store in
                    let (articles, parts) = try await store.read { tx in
                        (
                            try tx.fetch(StockSchema.Article.all.sorted(by: \.total)),
                            try tx.fetch(StockSchema.Part.all.sorted(by: \.name))
                        )
                    }
                    #expect(articles.map(\.code) == ["a!", "a!"])
                    #expect(parts.map(\.article) == articles.map(\.id))
                }
            }
        }
    }

    @Test("an adoption writes into one scope of a store with scopes", arguments: TestBackend.shared)
    func scopes(backend: TestBackend) async throws {
        try await Self.withFile { database, _ in
            try await backend.withPlace(of: StockSchema.schema) { place in
                let scope = StoreScope(UUID())
                try await Self.plan().run(from: database, into: place, scope: scope)
                try await Self.requireWhole(place, scope: scope)
                let other = try await place.with(OpenOptions(scope: StoreScope(UUID()))) { store in
                    try await store.read { try $0.fetch(StockSchema.Part.all).count }
                }
                #expect(other == 0)
            }
        }
    }

    @Test("an adoption plan that gives a reference a form is refused")
    func referenceForm() throws {
        #expect {
            try AdoptionPlan(
                StockSchema.self,
                .table("part", as: StockSchema.Part.self, .column("article", to: \.article, .number)))
        } throws: { error in
            let error = error as? StoreError
            return error?.code == .schemaInvalid
                && error?.message.contains("part.article is given a form, and Part.article is a reference")
                    == true
        }
    }
}
