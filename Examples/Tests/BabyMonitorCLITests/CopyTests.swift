import Foundation
import GRDB
import PostgresTestServer
import Testing

@Suite(
    "babymonitor store copy", .enabled(if: PostgresServer.url != nil, Comment(rawValue: PostgresServer.need)))
struct CopyTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    private func make(_ script: String) throws {
        let queue = try DatabaseQueue(path: bench.url("shop.sqlite").path)
        try queue.write { try $0.execute(sql: script) }
        try queue.close()
    }

    private static let shop = """
        CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price NUMERIC(10,2) DEFAULT 0.99);
        CREATE INDEX name ON item (name);
        INSERT INTO item VALUES (1, 'Käse', 0.99), (2, 'Brot', 3);
        CREATE VIEW cheap AS SELECT * FROM item;
        """

    private func withURL(_ body: (String) async throws -> Void) async throws {
        let url = try #require(PostgresServer.url)
        try await PostgresServer.withSchemaName { name in
            try await body(url + (url.contains("?") ? "&" : "?") + "schema=\(name)")
        }
    }

    @Test("a dry run shows what the copy would create, and the copy creates it, once")
    func copied() async throws {
        try make(Self.shop)
        try await withURL { url in
            for _ in 1...2 {
                #expect(
                    try await bench.succeed("store", "copy", "shop.sqlite", url, "--dry-run").output == """
                        item: 2 rows
                          id  INTEGER → bigint  (2 integers)
                          name  TEXT → text  (2 texts)
                          price  NUMERIC(10,2) → numeric(10,2)  (1 integer, 1 real)
                        omitted: The view cheap is not copied.
                        The copy can be made; nothing was changed.

                        """)
            }
            let lines = try await bench.succeed("store", "copy", "sqlite:shop.sqlite", url).output.split(
                separator: "\n")
            #expect(
                lines.map { $0.replacing(/[0-9a-f]{32}/, with: "DIGEST") } == [
                    "omitted: The view cheap is not copied.", "copying  item: 0 of 2 rows", "indexing  item",
                    "item: 2 rows, DIGEST: equal", "1 table is in PostgreSQL; the file is unchanged.",
                ])
            #expect(
                try await bench.fail(1, "store", "copy", "shop.sqlite", url).contains(
                    "already holds: item, name."))
            #expect(try bench.files().keys.sorted() == ["home", "shop.sqlite"])
        }
    }

    @Test("with --json, the copy reports each step on a line of its own")
    func json() async throws {
        try make(Self.shop)
        struct Event: Decodable { let step: String?, table: String?, rows: Int?, tables: [Table]? }
        struct Table: Decodable { let table: String, rows: Int, digest: String? }
        try await withURL { url in
            struct Plan: Decodable {
                let isPossible: Bool
                let tables: [Table]
            }
            let plan: Plan = try await bench.succeed(
                "store", "copy", "shop.sqlite", url, "--dry-run", "--json"
            )
            .json()
            #expect(plan.isPossible)
            #expect(plan.tables.map(\.table) == ["item"])
            let events = try await bench.succeed("store", "copy", "shop.sqlite", url, "--json").output.split(
                separator: "\n"
            ).map { try JSONDecoder().decode(Event.self, from: Data($0.utf8)) }
            #expect(
                events.dropLast().map { "\($0.step ?? "") \($0.table ?? "-") \($0.rows ?? 0)" } == [
                    "counted item 2", "planned - 0", "copying item 0", "indexing item 0", "verified item 2",
                ])
            #expect(events.last?.tables?.first?.digest?.count == 32)
        }
    }

    @Test("a copy that would lose something shows it, and ends with 1")
    func refused() async throws {
        try make("CREATE TABLE t (x); INSERT INTO t VALUES ('a'), (x'00')")
        try await withURL { url in
            let message =
                "The column t.x, without a type, holds 1 blob beside 1 value of other types, which no type of PostgreSQL does."
            let outcome = try await bench.run(["store", "copy", "shop.sqlite", url])
            #expect(outcome.status == 1)
            #expect(outcome.output == "refused: \(message)\n")
            #expect(outcome.error == "babymonitor: \(message) Nothing was created.\n")
            let dry = try await bench.run(["store", "copy", "shop.sqlite", url, "--dry-run"])
            #expect(dry.status == 1)
            #expect(dry.output.hasSuffix("(1 text, 1 blob)\nrefused: \(message)\n"))
            #expect(dry.error == "babymonitor: The copy cannot be made; nothing was changed.\n")
        }
    }

    @Test("wrong input ends with one paragraph, and never with a password")
    func wrong() async throws {
        try make(Self.shop)
        try await withURL { url in
            for (status, arguments, complaint) in [
                (1, ["none.sqlite", url], "There is no file at "),
                (1, ["home", url], "is not a file."),
                (2, ["shop.sqlite", "sqlite:shop.sqlite"], "looks like postgres://"),
                (2, ["shop.sqlite", "mysql://me:hunter2@host/db"], "looks like postgres://"),
                (1, ["shop.sqlite", "postgres://me:hunter2@127.0.0.1:1/db"], "cannot be reached"),
                (
                    1, ["shop.sqlite", url.replacing("switchyard_test", with: "nowhere")],
                    "The database does not exist"
                ),
                (2, ["shop.sqlite"], "Missing expected argument"),
                (2, ["shop.sqlite", url, "--store", "memory:"], "leave --store out"),
            ] as [(Int32, [String], String)] {
                let outcome = try await bench.run(["store", "copy"] + arguments)
                #expect(outcome.status == status, "\(arguments) \(outcome.error)")
                #expect(outcome.output == "")
                #expect(outcome.isOneParagraph)
                #expect(outcome.error.contains(complaint), "\(outcome.error)")
                #expect(!outcome.error.contains("hunter2"))
            }
        }
    }
}
