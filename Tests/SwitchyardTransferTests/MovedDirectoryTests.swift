import Foundation
import GRDB
import SQLiteStore
import SwitchyardCore
import SwitchyardTransfer
import Testing

@Suite("Stores in a moved directory")
struct MovedDirectoryTests {
    private func place(_ directory: URL, _ name: String) throws -> StorePlace {
        let path = directory.appending(path: name).path
        let url = name.contains("?") ? "sqlite://" + path.replacing("?", with: "%3F") : "sqlite:" + path
        return StorePlace(
            url: url, registry: try PluginRegistry([SQLitePlugin.self]), schema: try Notes.schema.get())
    }

    private func open(_ configured: StorePlace, _ registry: PlaceRegistry?) async throws -> SwitchableStore {
        try await SwitchableStore.open(configured, registry: registry) { url in
            StorePlace(
                url: url, registry: try PluginRegistry([SQLitePlugin.self]), schema: try Notes.schema.get())
        }
    }

    /// Lends a directory with a store, and the path that it is to get.
    private func withGroup(_ body: (_ group: URL, _ other: URL) async throws -> Void) async throws {
        try await withDirectory { directory in
            let (group, other) = (directory.appending(path: "1"), directory.appending(path: "2"))
            try FileManager.default.createDirectory(
                at: group.appending(path: "sub"), withIntermediateDirectories: true)
            try await place(group, "store.sqlite").with { try await Notes.add(["one"], to: $0) }
            try await body(group, other)
        }
    }

    @Test(
        "a store switched within a moved directory is found by the old store, by the records, and by both",
        arguments: ["new.sqlite", "sub/new.sqlite", "a?b.sqlite"])
    func switched(name: String) async throws {
        try await withGroup { group, other in
            let registry = PlaceRegistry(path: group.appending(path: "Places").path)
            _ = try await StoreSwitch(
                from: place(group, "store.sqlite"), to: place(group, name), registry: registry
            ).run()
            try FileManager.default.moveItem(at: group, to: other)
            let moved = PlaceRegistry(path: other.appending(path: "Places").path)
            let (old, new) = (try place(other, "store.sqlite"), try place(other, name))
            for registry in [nil, moved] {
                let store = try await open(old, registry)
                #expect(store.location == new.location)
                #expect(try await Notes.all(in: store) == ["one"])
                try await store.close()
            }
            let refused = await #expect(throws: StoreError.self) {
                try await old.open(OpenOptions(createsIfMissing: false)).close()
            }
            #expect(refused?.successor == new.location)
            try FileManager.default.removeItem(at: other.appending(path: "store.sqlite"))
            let store = try await open(old, moved)
            #expect(store.location == new.location)
            try await store.close()
        }
    }

    @Test("an interrupted switch continues after its directory has moved")
    func interrupted() async throws {
        try await withGroup { group, other in
            try await StoreSwitch(from: place(group, "store.sqlite"), to: place(group, "new.sqlite"))
                .stop(at: .fenced)
            try FileManager.default.moveItem(at: group, to: other)
            let (old, new) = (try place(other, "store.sqlite"), try place(other, "new.sqlite"))
            let change = StoreSwitch(from: old, to: new)
            #expect(try await change.status().phase == .fenced)
            #expect(try await change.status().target == new.location)
            _ = try await change.run()
            #expect(try await new.with { try await Notes.all(in: $0) } == ["one"])
        }
    }

    @Test("a place that an earlier version kept with its whole path is followed")
    func absolute() async throws {
        try await withGroup { group, _ in
            let (old, new) = (try place(group, "store.sqlite"), try place(group, "new.sqlite"))
            _ = try await StoreSwitch(from: old, to: new).run()
            let queue = try DatabaseQueue(path: group.appending(path: "store.sqlite").path)
            let found = try await queue.write { database in
                let text = try String.fetchOne(database, sql: "SELECT marker FROM switchyard_store") ?? ""
                let whole = text.replacing("sqlite:./", with: "sqlite:\(group.path)/")
                try database.execute(
                    sql: "UPDATE switchyard_store SET marker = ?, successor = ?",
                    arguments: [whole, new.location])
                return (text, whole)
            }
            try queue.close()
            #expect(found.0.contains("\"successor\":\"sqlite:./new.sqlite\""))
            #expect(!found.0.contains(group.path))
            #expect(found.1.contains("\"successor\":\"\(new.location)\""))
            let store = try await open(old, nil)
            #expect(store.location == new.location)
            try await store.close()
        }
    }
}
