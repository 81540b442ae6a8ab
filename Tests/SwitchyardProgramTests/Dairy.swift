import Foundation
import PostgresStore
import PostgresTestServer
import SQLiteStore
import Switchyard
import SwitchyardCore
import Testing

/// An app that the program knows nothing of.
enum Dairy: VersionedSchema {
    static let version = SchemaVersion(3)
    static let models: [any Model.Type] = [Cow.self, Milking.self]

    @Model
    struct Cow {
        #Unique<Cow>([\.name])

        let id: ID
        var name: String
        var weight: Double?
        @Relationship(deleteRule: .cascade, inverse: \Milking.cow)
        var milkings: ToMany<Milking>
    }

    @Model
    struct Milking {
        let id: ID
        var cow: Cow.ID?
        var time: Date
        var litres: Decimal
        var memo: String?
    }

    static let berta = Cow(name: "Berta", weight: 612.5)
    static let zoe = Cow(name: "Zoë, \"die Kuh\"", weight: nil)

    /// Opens a store, or makes one.
    static func open(_ url: String, scope: StoreScope? = nil) async throws -> any Store {
        try await PluginRegistry([SQLitePlugin.self, PostgresPlugin.self]).open(
            url: url, schema: Self.self,
            options: OpenOptions(scope: scope, keepsHistory: true, author: "dairy", device: "barn"))
    }

    /// Makes a store without rows.
    static func makeEmpty(_ url: String) async throws { try await open(url).close() }

    /// Makes a store with two cows and five milkings.
    static func make(_ url: String) async throws {
        let store = try await open(url)
        try await store.write { tx in
            try tx.insert(berta)
            try tx.insert(zoe)
        }
        try await store.write { tx in
            for number in 0..<5 {
                try tx.insert(
                    Milking(
                        cow: number < 3 ? berta.id : number < 4 ? zoe.id : nil,
                        time: Date(timeIntervalSince1970: 1_762_454_079.25 + Double(number) * 43_200),
                        litres: Decimal(number * 125) / 10,
                        memo: number == 1 ? "" : number == 2 ? "a,\nb" : nil))
            }
        }
        try await store.close()
    }
}

/// A place for stores: two names on one backend.
enum Backend: String, CaseIterable, CustomTestStringConvertible {
    case sqlite, postgres

    /// Those that can be tried here.
    static var available: [Backend] { PostgresServer.url == nil ? [.sqlite] : allCases }

    var testDescription: String { rawValue }

    /// Lends two places without a store.
    func withPlaces(_ bench: Workbench, _ body: (String, String) async throws -> Void) async throws {
        switch self {
        case .sqlite:
            try await body("sqlite:" + bench.url("one.db").path, "sqlite:" + bench.url("two.db").path)
        case .postgres:
            try await PostgresServer.withSchemaName { one in
                try await PostgresServer.withSchemaName { two in
                    try await body(PostgresServer.url(schema: one), PostgresServer.url(schema: two))
                }
            }
        }
    }
}
