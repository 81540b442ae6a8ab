import Foundation
import PostgresTestServer
import Switchyard
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("Queries in PostgreSQL's own SQL", .needsServer)
struct OwnSQLTests {
    @Model
    struct Shelf: Equatable {
        let id: ID
        var name: String = ""
        var price: Decimal?
        var made: Date?
        var size: Double = 0
    }

    private static let shelves = [
        Shelf(name: "a", price: 10.5, made: Date(timeIntervalSince1970: 1.25), size: 2),
        Shelf(name: "b' --", size: 7),
    ]

    private func withStore(_ body: (any Store) async throws -> Void) async throws {
        try await TestPlace.with { place in
            let url = try #require(PostgresServer.url)
            let store = try await PluginRegistry([PostgresPlugin.self]).open(
                url: "\(url)&schema=\(place.schema)",
                schema: try Schema(version: SchemaVersion(1), models: [Shelf.self]))
            let result: Result<Void, any Error>
            do {
                try await store.write { _ = try $0.insert(contentsOf: Self.shelves) }
                result = .success(try await body(store))
            } catch { result = .failure(error) }
            try await store.close()
            try result.get()
        }
    }

    @Test("models and tuples are decoded, in a read and in a write that goes on")
    func decoding() async throws {
        try await withStore { store in
            @Sendable func check(_ tx: ReadTransaction) throws {
                let (name, made) = (Self.shelves[1].name, Self.shelves[0].made)
                let query: SQLQuery = """
                    SELECT \(columns: Shelf.self, of: "s") FROM \(Shelf.self) AS s
                    WHERE s.\(\Shelf.name) = \(name) OR \(\Shelf.made) = \(made as Date?) ORDER BY \(\Shelf.name)
                    """
                #expect(try tx.fetch(postgresOnly: query, as: Shelf.self) == Self.shelves)
                let rows = try tx.fetch(
                    postgresOnly: """
                        SELECT \(\Shelf.name), price, count(*) OVER (), 7::int4
                        FROM \(Shelf.self) ORDER BY 1 LIMIT \(1)
                        """, as: String.self, Decimal?.self, Int.self, Int.self)
                #expect(rows.count == 1)
                #expect(rows[0] == ("a", 10.5, 2, 7))
            }
            try await store.read { try check($0) }
            try await store.write { tx in
                try check(tx)
                try tx.delete(Shelf.all)
            }
            #expect(try await store.read { try $0.count(Shelf.all) } == 0)
        }
    }

    @Test("what is no query is refused, and nothing is changed")
    func refusal() async throws {
        let queries: [SQLQuery] = [
            "DELETE FROM \(Shelf.self) RETURNING 1", "COMMIT", "SET search_path = x",
            "WITH gone AS (DELETE FROM \(Shelf.self) RETURNING 1) SELECT count(*) FROM gone",
            "SELECT 1; DELETE FROM \(Shelf.self)", "SELECT 1, 2", "SELECT 1 FROM missing",
            "SELECT 1 FROM \(Shelf.self) FOR UPDATE", "",
        ]
        try await withStore { store in
            for query in queries {
                let refused = await #expect(throws: StoreError.self, "\(query)") {
                    try await store.write { tx in
                        try tx.delete(Shelf.where(\.name, .equal, "a"))
                        _ = try tx.fetch(postgresOnly: query, as: Int.self)
                    }
                }
                #expect(
                    [.unsupported, .backend, .readOnly, .schemaMismatch].contains(refused?.code), "\(query)")
                let left = try await store.read { try $0.count(Shelf.all) }
                #expect(left == 2)
            }
        }
    }
}
