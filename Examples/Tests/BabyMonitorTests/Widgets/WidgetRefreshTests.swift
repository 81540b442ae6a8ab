import Foundation
import Switchyard
import SwitchyardCore
import TestBackends
import Testing

@testable import BabyMonitorKit

@Suite("Refreshes of the widgets")
struct WidgetRefreshTests {
    /// Something that a test and a refresh wait for each other with.
    private final class Gate: Sendable {
        private let (stream, continuation) = AsyncStream<Void>.makeStream()
        func open() { continuation.yield() }
        func pass() async { for await _ in stream { return } }
    }

    @Test("widget refreshes run one after the other, and a waiting one serves all requests of that time")
    func turns() async throws {
        let refreshes = SerialRefresh<Int>()
        let (begun, end, log) = (Gate(), Gate(), Log())
        let first = await refreshes.request {
            begun.open()
            await end.pass()
            log.add("first")
            return 1
        }
        await begun.pass()
        let second = await refreshes.request {
            log.add("second")
            return 2
        }
        let third = await refreshes.request {
            log.add("third")
            return 3
        }
        #expect(second != first)
        #expect(third == second)
        end.open()
        #expect(try await third.value == 2)
        #expect(try await first.value == 1)
        #expect(try await refreshes.request { 4 }.value == 4)
        #expect(log.all == ["first", "second"])
    }

    @Test("widget refreshes continue after one that failed, or whose caller was cancelled")
    func failures() async throws {
        struct Failure: Error {}
        let refreshes = SerialRefresh<Int>()
        await #expect(throws: Failure.self) { try await refreshes.request { throw Failure() }.value }
        let (begun, end) = (Gate(), Gate())
        let caller = Task {
            try await refreshes.request {
                begun.open()
                await end.pass()
                return Task.isCancelled ? 0 : 1
            }.value
        }
        await begun.pass()
        caller.cancel()
        end.open()
        #expect(try await caller.value == 1)
        #expect(try await refreshes.request { 2 }.value == 2)
    }

    @Test("an earlier widget refresh never overwrites a later one, across processes")
    func order() async throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "baby-widgets-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let log = Log()
        let (one, other) = (RefreshOrder(of: root.path), RefreshOrder(of: root.path))
        let (early, late) = (try await one.next(), try await other.next())
        try await other.write(as: late) { log.add("late") }
        try await one.write(as: early) { log.add("early") }
        let last = try await one.next()
        struct Failure: Error {}
        await #expect(throws: Failure.self) { try await one.write(as: last) { throw Failure() } }
        try await one.write(as: last) { log.add("last") }
        #expect(log.all == ["late", "last"])
        // What a killed process or a full disk leaves of the numbers begins the order anew.
        try Data("cut".utf8).write(to: root.appending(path: RefreshOrder.name))
        try await one.write(as: try await one.next()) { log.add("anew") }
        #expect(log.all == ["late", "last", "anew"])
    }

    @Test("widget refreshes wait for the lock of another process, and report one that is held too long")
    func lock() async throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "baby-widgets-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        _ = try await RefreshOrder(of: root.path).next()
        // The lock belongs to an open file, so that two in one process are as strange to each other as two processes.
        let descriptor = open(root.path + "/" + RefreshOrder.name, O_RDWR)
        try #require(flock(descriptor, LOCK_EX) == 0)
        await #expect {
            _ = try await RefreshOrder(of: root.path, waiting: RetryPolicy(attempts: 1)).next()
        } throws: { error in
            (error as? StoreError)?.code == .busy
        }
        let waiting = RetryPolicy(attempts: .max, sleep: { _ in close(descriptor) })
        #expect(try await RefreshOrder(of: root.path, waiting: waiting).next() == 2)
    }

    private struct NoReloader: WidgetReloading {
        func reloadWidgets() async throws {}
    }

    @Test(
        "widget refreshes of concurrent writes leave a file for each baby", arguments: TestBackend.available)
    func concurrentWrites(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let root = FileManager.default.temporaryDirectory
                .appending(path: "baby-widgets-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: root) }
            let cache = WidgetSnapshotCache(directory: root)
            let log = Log()
            let refresher = WidgetSnapshotRefresher(store: store, cache: cache, reloader: NoReloader())
            let reactions = StoreReactions(to: store, [refresher], includingOthers: false) {
                log.add("\($0)")
            }
            let dashboard = Dashboard(store: store)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask { _ = try await dashboard.addBaby(named: "Baby \(number)") }
                }
                try await group.waitForAll()
            }
            await reactions.finish()
            for baby in try await store.babies() { #expect(try cache.read(baby.id.uuid)?.name == baby.name) }
            let files = try FileManager.default.contentsOfDirectory(atPath: root.path)
            #expect(files.filter { $0.hasSuffix(".json") }.count == 40)
            #expect(log.all == [])
        }
    }
}
