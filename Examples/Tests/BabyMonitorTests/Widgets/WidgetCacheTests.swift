import BabyMonitorKit
import Foundation
import Switchyard
import TestBackends
import Testing

@Suite("The widget cache")
struct WidgetCacheTests {
    /// A directory that goes with the test.
    private final class Place {
        let root = FileManager.default.temporaryDirectory.appending(path: "baby-widgets-\(UUID().uuidString)")
        var cache: WidgetSnapshotCache { WidgetSnapshotCache(directory: root.appending(path: "WidgetCache")) }
        deinit { try? FileManager.default.removeItem(at: root) }

        func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: cache.directory.path)
                .filter { $0 != ".lock" }.sorted()
        }

        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
    }

    private func snapshot(_ id: String, name: String = "Mia", progress: Double = 0) throws -> WidgetSnapshot {
        WidgetSnapshot(
            id: try #require(UUID(uuidString: id)), name: name, totalProgress: progress, feedingProgress: 0,
            updatedAt: time("2025-11-06T18:00:00Z"), feedTerm: 10_800, isFeeding: false)
    }

    private let first = "01234567-89ab-cdef-0123-456789abcdef"
    private let second = "11234567-89ab-cdef-0123-456789abcdef"

    @Test(
        "the widget cache has one file for each baby, named by its id in upper case, readable by the owner alone"
    )
    func files() throws {
        let place = Place()
        try place.cache.replaceAll(with: [snapshot(first), snapshot(second)])
        #expect(
            try place.names() == [
                "01234567-89AB-CDEF-0123-456789ABCDEF.json", "11234567-89AB-CDEF-0123-456789ABCDEF.json",
            ])
        #expect(try place.mode(place.cache.directory.path) == 0o700)
        let file = place.cache.file(of: try #require(UUID(uuidString: first)))
        #expect(file.lastPathComponent == "01234567-89AB-CDEF-0123-456789ABCDEF.json")
        #expect(try place.mode(file.path) == 0o600)
    }

    @Test("the widget cache replaces older files, and leaves no draft behind")
    func replaces() throws {
        let place = Place()
        try place.cache.write(snapshot(first, progress: 0.25))
        try place.cache.write(snapshot(first, progress: 0.75))
        #expect(try place.names().count == 1)
        #expect(try place.cache.read(try #require(UUID(uuidString: first)))?.totalProgress == 0.75)
    }

    @Test("the widget cache removes files of removed babies, and touches no other file")
    func forgets() throws {
        let place = Place()
        try place.cache.replaceAll(with: [snapshot(first), snapshot(second)])
        try Data("x".utf8).write(to: place.cache.directory.appending(path: "settings.json"))
        try place.cache.replaceAll(with: [snapshot(second)])
        #expect(try place.names() == ["11234567-89AB-CDEF-0123-456789ABCDEF.json", "settings.json"])
        #expect(try place.cache.read(try #require(UUID(uuidString: first))) == nil)
    }

    @Test("the widget cache names the file that cannot be written, and the reason")
    func inTheWay() throws {
        let place = Place()
        try FileManager.default.createDirectory(at: place.root, withIntermediateDirectories: true)
        try Data().write(to: place.cache.directory)
        #expect {
            try place.cache.write(snapshot(first))
        } throws: { error in
            (error as? BabyMonitorError)?.message
                == "The directory \(place.cache.directory.path) cannot be created: File exists. Make sure that its "
                + "parent is a directory that you can write to."
        }
        try FileManager.default.removeItem(at: place.cache.directory)
        let file = place.cache.file(of: try #require(UUID(uuidString: first)))
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        #expect {
            try place.cache.write(snapshot(first))
        } throws: { error in
            (error as? BabyMonitorError)?.message
                == "The widgets' snapshot \(file.path) cannot be written: Is a directory. Make sure that the disk is not "
                + "full, and that you can write to its directory."
        }
        #expect(try place.names() == ["01234567-89AB-CDEF-0123-456789ABCDEF.json"])
    }

    @Test("the widget cache is empty before the first write")
    func empty() throws {
        let place = Place()
        #expect(try place.cache.read(UUID()) == nil)
    }

    private struct Reloader: WidgetReloading {
        let log: Log
        func reloadWidgets() async throws { log.add("reload") }
    }

    @Test(
        "the widget cache is refreshed from the store, and the widgets are notified",
        arguments: TestBackend.available)
    func refresh(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let place = Place()
            let log = Log()
            let clock = TestClock("2025-11-06T18:00:00Z")
            let babies = try await store.add("Noah", "Mia")
            let refresher = WidgetSnapshotRefresher(
                store: store, cache: place.cache, reloader: Reloader(log: log), now: clock.read)
            func reacting() -> StoreReactions {
                StoreReactions(to: store, [refresher], includingOthers: false) { log.add("\($0)") }
            }
            let dashboard = Dashboard(store: store, now: clock.read)
            let first = reacting()
            try await dashboard.startFeeding(babies[1].id)
            await first.finish()
            clock.advance(by: 2700)
            let written = try await refresher.refresh()
            #expect(written.map(\.name) == ["Mia", "Noah"])
            #expect(written.map(\.totalProgress) == [0.25, 0])
            #expect(written.map(\.isFeeding) == [true, false])
            #expect(try place.cache.read(babies[1].id.uuid) == written[0])
            let second = reacting()
            try await dashboard.removeBaby(babies[1].id)
            await second.finish()
            #expect(try place.cache.read(babies[1].id.uuid) == nil)
            #expect(try place.names().count == 1)
            #expect(log.all == ["reload", "reload", "reload"])
        }
    }
}
