import Foundation
import SQLiteStore
import Switchyard
import SwitchyardCore
import SwitchyardTransfer
import Testing

@Suite("Examples of switching and comparing stores")
struct SwitchingExamples {
    @Model
    struct Cow {
        let id: ID
        var name: String
    }

    @Test("a store is switched, and compared with the new one")
    func switching() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "dairy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let schema = try Schema(version: SchemaVersion(1), entities: [Cow.entity.get()])
        let registry = try PluginRegistry([SQLitePlugin.self])
        let old = try await registry.open(
            url: "sqlite:\(directory.path)/old.sqlite", schema: schema)
        try await old.write { tx in _ = try tx.insert(Cow(name: "Bella")) }

        let file = StorePlace(
            url: "sqlite:\(directory.path)/old.sqlite", registry: registry, schema: schema)
        let server = StorePlace(
            url: "sqlite:\(directory.path)/new.sqlite", registry: registry, schema: schema)
        let places = PlaceRegistry(path: "\(directory.path)/Places")
        let store = try await SwitchableStore.open(file, registry: places) { url in
            StorePlace(url: url, registry: registry, schema: schema)
        }
        let change = StoreSwitch(from: file, to: server, registry: places)
        try await change.rehearse()
        let following = Task { try await change.follow() }
        let rehearsed = RehearsedStore(store, sampleRate: 0.05) { url in
            StorePlace(url: url, registry: registry, schema: schema)
        }
        #expect(try await rehearsed.read { try $0.count(Cow.all) } == 1)
        try await StoreSwitch(from: file, to: server, registry: places).run { progress in
            print(progress.phase, progress.rows, "of", progress.total)
        }
        try await following.value
        // It has been followed.
        try await store.write { tx in _ = try tx.insert(Cow(name: "Berta")) }
        #expect(store.location == server.location)
        try await store.close()

        let new = try await registry.open(url: "sqlite:\(directory.path)/new.sqlite", schema: schema)
        _ = try await new.write { tx in try tx.delete(Cow.where(#Predicate { $0.name == "Berta" })) }
        let report = try await old.verify(against: new)
        for entity in report.entities where !entity.isEqual {
            for difference in entity.differences { print(entity.entity, difference.id, difference.kind) }
        }
        #expect(report.isEqual)
        #expect(try await new.read { try $0.fetch(Cow.all).map(\.name) } == ["Bella"])
        try await old.close()
        try await new.close()
    }
}
