import Foundation
import SQLiteStore
import SwitchyardCore
import SwitchyardTransfer
import TestBackends
import Testing

@Suite("Copies of a store's file")
struct TwinTests {
    /// An app with a store, a copy of that store's file, and places for both to be switched to.
    private struct Bench {
        let directory: URL
        let live, trial, first, second: StorePlace
        let registry: PlaceRegistry

        /// Opens the store of a place as an app does.
        func open(
            _ configured: StorePlace, access: OpenOptions.Access = .readWrite, withRegistry: Bool = true
        ) async throws -> SwitchableStore {
            try await SwitchableStore.open(
                configured, options: OpenOptions(access: access), registry: withRegistry ? registry : nil,
                timeout: .zero
            ) { location in
                try #require([live, trial, first, second].first { $0.location == location })
            }
        }

        /// Where an app finds the store of a place, and its rows.
        func find(_ configured: StorePlace) async throws -> (location: String, notes: Set<String>) {
            let store = try await open(configured)
            let found = (store.location, try await Notes.all(in: store))
            try await store.close()
            return found
        }

        func copy(_ name: String, to other: String) throws {
            try? FileManager.default.removeItem(at: directory.appending(path: other))
            try FileManager.default.copyItem(
                at: directory.appending(path: name), to: directory.appending(path: other))
        }

        func remove(_ name: String) throws {
            try FileManager.default.removeItem(at: directory.appending(path: name))
        }
    }

    private func withBench(
        _ backend: TestBackend = .sqlite, _ body: (Bench) async throws -> Void
    ) async throws {
        let schema = try Notes.schema.get()
        try await withDirectory { directory in
            let plugins = try PluginRegistry([SQLitePlugin.self])
            func place(_ name: String) -> StorePlace {
                let url = "sqlite:" + directory.appending(path: name).path
                return StorePlace(url: url, registry: plugins, schema: schema)
            }
            try await backend.withPlace(of: schema) { first in
                try await backend.withPlace(of: schema) { second in
                    let bench = Bench(
                        directory: directory, live: place("live.sqlite"), trial: place("trial.sqlite"),
                        first: first, second: second,
                        registry: PlaceRegistry(path: directory.appending(path: "app/Places").path))
                    try await bench.live.with { try await Notes.add(["both"], to: $0) }
                    try bench.copy("live.sqlite", to: "trial.sqlite")
                    try await bench.live.with { try await Notes.add(["live"], to: $0) }
                    try await bench.trial.with { try await Notes.add(["trial"], to: $0) }
                    try await body(bench)
                }
            }
        }
    }

    @Test(
        "a store and its copy are each found after their switches, in either order, and when the files are gone",
        arguments: TestBackend.shared, [true, false])
    func bothSwitched(backend: TestBackend, isLiveFirst: Bool) async throws {
        try await withBench(backend) { bench in
            let running = try await bench.open(bench.live)
            let switches = [
                StoreSwitch(from: bench.live, to: bench.first, registry: bench.registry),
                StoreSwitch(from: bench.trial, to: bench.second, registry: bench.registry),
            ]
            for one in isLiveFirst ? switches : switches.reversed() { _ = try await one.run() }
            try await Notes.add(["later"], to: running)
            #expect(running.location == bench.first.location)
            try await running.close()
            func check() async throws {
                for place in [bench.live, bench.first] {
                    let found = try await bench.find(place)
                    #expect(found.location == bench.first.location)
                    #expect(found.notes == ["both", "live", "later"])
                }
                for place in [bench.trial, bench.second] {
                    let found = try await bench.find(place)
                    #expect(found.location == bench.second.location)
                    #expect(found.notes == ["both", "trial"])
                }
            }
            try await check()
            for name in ["live.sqlite", "trial.sqlite"] { try bench.remove(name) }
            try await check()
        }
    }

    @Test("a store goes on where it is while its copy is switched")
    func oneSwitched() async throws {
        try await withBench { bench in
            let running = try await bench.open(bench.live)
            _ = try await StoreSwitch(from: bench.trial, to: bench.second, registry: bench.registry).run()
            try await Notes.add(["later"], to: running)
            #expect(running.location == bench.live.location)
            try await running.close()
            #expect(try await bench.find(bench.live).notes == ["both", "live", "later"])
        }
    }

    @Test("a place record that contradicts the store's marker is not followed")
    func markerHasTheLastWord() async throws {
        try await withBench { bench in
            _ = try await StoreSwitch(from: bench.live, to: bench.first).run()
            _ = try await StoreSwitch(from: bench.trial, to: bench.second).run()
            // As versions that kept one record for each identity have noted it.
            let id = try await bench.second.markerThere().storeID
            let former = [bench.live, bench.trial, bench.first].map { "\"\($0.location)\"" }
            let text = """
                {"formerly": [\(former.joined(separator: ", "))], "generation": 2,
                "location": "\(bench.second.location)", "storeID": "\(id.uuidString)"}
                """
            let path = bench.registry.path
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            let file = "\(path)/\(id.uuidString.lowercased()).json"
            try Data(text.utf8).write(to: URL(filePath: file))
            #expect(try await bench.find(bench.live).notes == ["both", "live"])
            #expect(try await bench.find(bench.trial).notes == ["both", "trial"])
            #expect(try await bench.find(bench.first).notes == ["both", "live"])
        }
    }

    @Test(
        "a copy at the place of a switched store is reported, and usable with an identity of its own",
        arguments: [OpenOptions.Access.readWrite, .readOnly])
    func putBack(access: OpenOptions.Access) async throws {
        try await withBench { bench in
            _ = try await StoreSwitch(from: bench.live, to: bench.first, registry: bench.registry).run()
            try bench.copy("trial.sqlite", to: "live.sqlite")
            let error = await #expect(throws: StoreError.self) {
                try await bench.open(bench.live, access: access).close()
            }
            #expect(error?.code == .identityConflict)
            #expect(error?.message.contains(bench.live.location) == true)
            #expect(error?.message.contains(bench.first.location) == true)
            #expect(error?.message.contains("Two stores have the same identity") == true)
            let before = try await bench.live.markerThere()
            let id = try await bench.live.with { try await $0.takeNewIdentity() }
            let after = try await bench.live.markerThere()
            #expect(after.storeID == id)
            #expect(before.storeID != id)
            #expect(after.generation == 1)
            let found = try await bench.find(bench.live)
            #expect(found.location == bench.live.location)
            #expect(found.notes == ["both", "trial"])
            // It is switched as a store of its own, and leads to where it is.
            _ = try await StoreSwitch(from: bench.live, to: bench.second, registry: bench.registry).run()
            #expect(try await bench.find(bench.live).notes == ["both", "trial"])
            try bench.remove("live.sqlite")
            #expect(try await bench.find(bench.live).location == bench.second.location)
        }
    }

    @Test(
        "a returned store is used, though the process that switched it was killed before the record"
    )
    func cameBack() async throws {
        try await withBench { bench in
            _ = try await StoreSwitch(from: bench.live, to: bench.first, registry: bench.registry).run()
            let back = StoreSwitch(
                from: bench.first, to: bench.live, replacingBackup: true, registry: bench.registry)
            try await back.stop(at: .committed)
            try await bench.live.with { try await Notes.add(["later"], to: $0) }
            for place in [bench.live, bench.first] {
                let found = try await bench.find(place)
                #expect(found.location == bench.live.location)
                #expect(found.notes == ["both", "live", "later"])
            }
            // No store is made where this one was.
            _ = try await back.run()
            try bench.remove("live.sqlite")
            let missing = await #expect(throws: StoreError.self) { try await bench.open(bench.live) }
            #expect(missing?.code == .notFound)
        }
    }

    @Test("a copy at the successor's place is reported")
    func copiedBack() async throws {
        try await withBench { bench in
            _ = try await StoreSwitch(from: bench.live, to: bench.first, registry: bench.registry).run()
            let path = try await bench.first.with { $0.info.location }
            try bench.remove("live.sqlite")
            try FileManager.default.copyItem(
                atPath: path, toPath: bench.directory.appending(path: "live.sqlite").path)
            let error = await #expect(throws: StoreError.self) { try await bench.open(bench.live) }
            #expect(error?.message.contains("Two stores have the same identity") == true)
            // Moved there, it is the only one.
            try FileManager.default.removeItem(atPath: path)
            let found = try await bench.find(bench.live)
            #expect(found.location == bench.live.location)
            #expect(found.notes == ["both", "live"])
        }
    }

    @Test("the store of a copy at the successor's place is not taken for the successor")
    func wrongSuccessor() async throws {
        try await withBench { bench in
            _ = try await StoreSwitch(from: bench.live, to: bench.first, registry: bench.registry).run()
            _ = try await StoreSwitch(from: bench.trial, to: bench.second, registry: bench.registry).run()
            let (path, other) = (
                try await bench.first.with { $0.info.location },
                try await bench.second.with { $0.info.location }
            )
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: other, toPath: path)
            for withRegistry in [true, false] {
                let error = await #expect(throws: StoreError.self) {
                    try await bench.open(bench.live, withRegistry: withRegistry)
                }
                #expect(error?.code == .identityConflict)
                #expect(error?.message.contains("is another one") == true)
            }
        }
    }

    @Test("the backup of a copy is not replaced, though the store itself may be switched back to its own")
    func backupOfCopy() async throws {
        try await withBench { bench in
            _ = try await StoreSwitch(from: bench.live, to: bench.first).run()
            _ = try await StoreSwitch(from: bench.trial, to: bench.second).run()
            let error = await #expect(throws: StoreError.self) {
                try await StoreSwitch(from: bench.first, to: bench.trial, replacingBackup: true).run()
            }
            #expect(error?.code == .placeTaken)
            #expect(error?.message.contains("is the backup of a copy of this store") == true)
            _ = try await StoreSwitch(from: bench.first, to: bench.live, replacingBackup: true).run()
            let trial = try await bench.trial.with(OpenOptions(access: .readOnly)) {
                try await Notes.all(in: $0)
            }
            #expect(trial == ["both", "trial"])
        }
    }

    @Test("only an active store that is not being switched can get a new identity")
    func identity() async throws {
        try await withBench { bench in
            let change = StoreSwitch(from: bench.trial, to: bench.second)
            try await change.stop(at: .verifying)
            let early = await #expect(throws: StoreError.self) {
                try await bench.trial.with { try await $0.takeNewIdentity() }
            }
            #expect(early?.code == .invalidArgument)
            _ = try await change.run()
            let late = await #expect(throws: StoreError.self) {
                try await bench.trial.with(OpenOptions(access: .readOnly)) { try await $0.takeNewIdentity() }
            }
            #expect(late?.code == .readOnly)
            let token = try await bench.live.with(OpenOptions(keepsHistory: true)) { store in
                try await store.keepHistory()
                try await Notes.add(["more"], to: store)
                let token = try await store.read { try $0.historyToken() }
                try await store.takeNewIdentity()
                #expect(try await Notes.all(in: store) == ["both", "live", "more"])
                #expect(try await store.check() == [])
                return token
            }
            let foreign = await #expect(throws: StoreError.self) {
                try await bench.live.with { store in
                    try await store.read { tx in try tx.forEachTransaction(after: token) { _ in } }
                }
            }
            #expect(foreign?.code == .historyForeign)
        }
    }

    @Test("a damaged place record matters only if no store says where the data is")
    func damagedRecord() async throws {
        try await withBench { bench in
            _ = try await StoreSwitch(from: bench.live, to: bench.first, registry: bench.registry).run()
            let names = try FileManager.default.contentsOfDirectory(atPath: bench.registry.path)
            let file = "\(bench.registry.path)/\(try #require(names.first))"
            #expect(names.count == 1)
            try Data("{".utf8).write(to: URL(filePath: file))
            // It says nothing about another store.
            #expect(try await bench.find(bench.trial).location == bench.trial.location)
            // This one says itself where it is, and a reader changes nothing.
            let reader = try await bench.open(bench.live, access: .readOnly)
            #expect(reader.location == bench.first.location)
            try await reader.close()
            try bench.copy("live.sqlite", to: "saved.sqlite")
            try bench.remove("live.sqlite")
            let error = await #expect(throws: StoreError.self) { try await bench.open(bench.live) }
            #expect(error?.code == .corrupted)
            #expect(error?.message.contains(file) == true)
            #expect(
                !FileManager.default.fileExists(atPath: bench.directory.appending(path: "live.sqlite").path))
            try bench.copy("saved.sqlite", to: "live.sqlite")
            #expect(try await bench.find(bench.live).location == bench.first.location)
            // It was written anew.
            try bench.remove("live.sqlite")
            #expect(try await bench.find(bench.live).location == bench.first.location)
        }
    }
}
