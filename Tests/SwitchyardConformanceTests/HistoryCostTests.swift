import LogRecords
import Switchyard
import SwitchyardCore
import TestBackends
import Testing

@Suite("Reads of a store for its history")
struct HistoryCostTests {
    private enum Depot: VersionedSchema {
        static let version = SchemaVersion(1)
        static let models: [any Model.Type] = [Crate.self, Pallet.self]
    }

    @Model
    struct Crate {
        #Unique<Crate>([\.label])
        let id: ID
        var label: String?
        var weight: Int = 0
    }

    @Model
    struct Pallet {
        let id: ID
    }

    private let records = LogRecords()

    private func withStore(_ backend: TestBackend, _ body: (any Store) async throws -> Void) async throws {
        let options = OpenOptions(keepsHistory: true, logger: records.logger)
        try await backend.withStore(try Depot.schema, options: options, body)
    }

    /// The numbers of rows that selects from a table gave, but for the first ones.
    private func selected(from table: String, after first: Int = 0) -> [String?] {
        records.metadata(of: "statement").dropFirst(first)
            .filter { $0["db.operation.name"] == "select" && $0["db.collection.name"] == table }
            .map { $0["switchyard.rows"] }
    }

    @Test(
        "recording an upsert looks up no stored row for a nil key",
        arguments: TestBackend.available)
    func nilKeys(backend: TestBackend) async throws {
        try await withStore(backend) { store in
            try await Self.insert(into: store)
            let first = records.metadata(of: "statement").count
            try await Self.upsert(into: store)
            #expect(selected(from: "Crate", after: first) == ["1"])
            let changes = try await store.read { try $0.history() }.flatMap { try $0.changes.all() }
            #expect(changes.map(\.kind).count { $0 == .insert } == 301 + 130)
            let updates = changes.filter { $0.kind == .update }
            #expect(updates.map(\.attributes) == [["weight"]])
            #expect(updates.map { $0.before("weight") } == [.int(1)])
        }
    }

    private static func insert(into store: any Store) async throws {
        let crates = (0..<300).map { Crate(weight: $0) } + [Crate(label: "a", weight: 1)]
        try await store.write { _ = try $0.insert(contentsOf: crates) }
    }

    private static func upsert(into store: any Store) async throws {
        let crates = (0..<130).map { Crate(weight: $0) } + [Crate(label: "a", weight: 2)]
        try await store.write { _ = try $0.upsert(crates, on: \.label) }
    }

    @Test("the first transactions of an entity are found without one query for each other entity")
    func entities() async throws {
        try await withStore(.memory) { store in
            for number in 0..<300 { try await store.write { try $0.insert(Crate(weight: number)) } }
            try await store.write { try $0.insert(Pallet()) }
            let first = records.metadata(of: "statement").count
            let filter = TransactionFilter(entities: ["Pallet"])
            let found = try await store.read { try $0.history(where: filter, limit: 1) }
            #expect(found.map(\.sequence) == [301])
            let read = selected(from: "switchyard_history", after: first)
            #expect(read == ["1", "64", "64", "64", "64", "45"])
        }
    }
}
