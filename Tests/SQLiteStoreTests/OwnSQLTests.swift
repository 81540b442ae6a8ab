import Foundation
import GRDB
import MemoryStore
import SQLiteStore
import Switchyard
import SwitchyardCore
import Testing

@Suite("Queries in SQLite's own SQL")
struct OwnSQLTests {
    @Model
    struct Shelf: Equatable {
        let id: ID
        @Attribute(column: "shelf_name")
        var name: String = ""
        var price: Decimal?
        var made: Date?
        var size: Double = 0
    }

    private func store(scope: StoreScope? = nil) async throws -> SQLiteStore {
        try await SQLiteStore(
            connection: try DatabaseQueue(),
            schema: try Schema(version: SchemaVersion(1), models: [Shelf.self]), scope: scope)
    }

    private let shelves = [
        Shelf(name: "a", price: 10.5, made: Date(timeIntervalSince1970: 1.25), size: 2),
        Shelf(name: "b' --", size: 7),
    ]

    @Test("models and tuples are decoded, with values as parameters and quoted names")
    func decoding() async throws {
        let store = try await store()
        try await store.write { [shelves] in _ = try $0.insert(contentsOf: shelves) }
        try await store.read { tx in
            let name = "b' --"
            let query: SQLQuery = """
                SELECT \(columns: Shelf.self, of: "s") FROM \(Shelf.self) AS s
                WHERE s.\(\Shelf.name) = \(name) OR \(\Shelf.made) = \(shelves[0].made as Date?) ORDER BY \(\Shelf.name)
                """
            #expect(try tx.fetch(sqliteOnly: query, as: Shelf.self) == shelves)
            let rows = try tx.fetch(
                sqliteOnly:
                    "SELECT \(\Shelf.name), price, count(*) OVER () FROM \(Shelf.self) ORDER BY 1 LIMIT \(1)",
                as: String.self, Decimal?.self, Int.self)
            #expect(rows.count == 1)
            #expect(rows[0] == ("a", 10.5, 2))
            let none: Double? = nil
            let nils: [Double?] = try tx.fetch(sqliteOnly: "VALUES (\(none as Double?))", as: Double?.self)
            #expect(nils.count == 1 && nils[0] == nil)
        }
    }

    @Test(
        "what is no query is refused, and nothing is changed",
        arguments: [
            "DELETE FROM \(Shelf.self)", "COMMIT", "PRAGMA user_version = 3", "ATTACH ':memory:' AS x",
            "WITH x AS (SELECT 1) DELETE FROM \(Shelf.self)", "SELECT 1; DELETE FROM \(Shelf.self)",
            "SELECT 1, 2", "SELECT * FROM missing", "",
        ] as [SQLQuery])
    func refusal(_ query: SQLQuery) async throws {
        let store = try await store()
        try await store.write { [shelves] in _ = try $0.insert(contentsOf: shelves) }
        let refused = await #expect(throws: StoreError.self) {
            try await store.write { tx in
                try tx.delete(Shelf.where(\.name, .equal, "a"))
                _ = try tx.fetch(sqliteOnly: query, as: Int.self)
            }
        }
        #expect([.unsupported, .backend, .schemaMismatch].contains(refused?.code))
        #expect(try await store.read { try $0.count(Shelf.all) } == 2)
    }

    @Test("a query sees the write that it is part of")
    func inWrite() async throws {
        let store = try await store()
        let names = try await store.write { [shelves] tx in
            try tx.insert(contentsOf: shelves)
            let names = try tx.fetch(
                sqliteOnly: "SELECT \(\Shelf.name) FROM \(Shelf.self) ORDER BY 1", as: String.self)
            try tx.delete(Shelf.all)
            return names
        }
        #expect(names == ["a", "b' --"])
        #expect(try await store.read { try $0.count(Shelf.all) } == 0)
    }

    @Test("a store on another backend, or with scopes, refuses it")
    func elsewhere() async throws {
        let schema = try Schema(version: SchemaVersion(1), models: [Shelf.self])
        let memory = try await PluginRegistry([MemoryPlugin.self]).open(url: "memory:", schema: schema)
        for store in [memory, try await store(scope: StoreScope())] {
            let error = await #expect(throws: StoreError.self) {
                try await store.read { tx in _ = try tx.fetch(sqliteOnly: "SELECT 1", as: Int.self) }
            }
            #expect(error?.code == .unsupported)
        }
    }

    @Test("a value of another type is corrupted")
    func types() async throws {
        let store = try await store()
        let error = await #expect(throws: StoreError.self) {
            try await store.read { tx in _ = try tx.fetch(sqliteOnly: "SELECT 'a'", as: Int.self) }
        }
        #expect(error?.code == .corrupted)
    }
}
