import BabyMonitor
import Foundation
import Switchyard
import Testing

@Suite("After a write")
struct AfterWriteTests {
    private struct Hook: AfterWriteHook {
        let name: String
        let log: Log
        var fails = false

        func run() async throws {
            log.add(name)
            if fails { throw CocoaError(.fileWriteUnknown) }
        }
    }

    private struct Transport: NearbyTransport {
        let log: Log
        func broadcast(_ message: Data) async throws { log.add(String(decoding: message, as: UTF8.self)) }
    }

    @Test("the hooks run in their order, also behind one that fails, and the write stays")
    func order() async throws {
        try await StoreKind.memory.withStore { store in
            let log = Log()
            let hooks = [
                Hook(name: "one", log: log), Hook(name: "two", log: log, fails: true),
                Hook(name: "three", log: log),
            ]
            let dashboard = Dashboard(
                store: store, afterWrite: AfterWrite(hooks) { log.add("failed: \($0.hook)") })
            let mia = try await dashboard.addBaby(named: "Mia")
            #expect(log.all == ["one", "two", "failed: two", "three"])
            #expect(try await store.babies() == [mia])
        }
    }

    @Test("a failure says that the change was saved")
    func message() async throws {
        let log = Log()
        await AfterWrite([Hook(name: "refresh widgets", log: log, fails: true)]) { log.add("\($0)") }.run()
        let message = try #require(log.all.last)
        #expect(message.hasPrefix("The change was saved, but could not refresh widgets: "))
    }

    @Test("nearby devices are pinged with the time")
    func ping() async throws {
        let log = Log()
        let hook = PingNearbyDevices(Transport(log: log)) { time("2025-11-06T18:34:39.946Z") }
        await AfterWrite([hook]) { log.add("\($0)") }.run()
        #expect(log.all == [#"{"type":"syncPing","ts":1762454079}"#])
    }

    @Test("nothing runs when nothing was written")
    func noWrite() async throws {
        try await StoreKind.memory.withStore { store in
            let log = Log()
            let babies = try await store.add("Mia")
            let dashboard = Dashboard(
                store: store, afterWrite: AfterWrite([Hook(name: "one", log: log)]) { _ in })
            #expect(try await dashboard.finishFeeding(babies[0].id, amount: nil, feedType: .solid) == nil)
            #expect(try await !dashboard.cancelFeeding(babies[0].id))
            await #expect(throws: BabyMonitorError.self) {
                try await dashboard.startFeeding(BabyProfile.ID())
            }
            #expect(log.all == [])
            try await dashboard.startFeeding(babies[0].id)
            #expect(log.all == ["one"])
        }
    }
}
