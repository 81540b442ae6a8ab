import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardIntents
import TestBackends
import Testing

@Suite("Reactions to a store's changes")
struct StoreReactionsTests {
    private struct Reaction: StoreReaction {
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

    @Test(
        "reactions to changes come in order, also after a failed one, and the write stays",
        arguments: TestBackend.available
    )
    func order(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let log = Log()
            let all = [
                Reaction(name: "one", log: log), Reaction(name: "two", log: log, fails: true),
                Reaction(name: "three", log: log),
            ]
            let reactions = StoreReactions(to: store, all, includingOthers: false) {
                log.add("failed: \($0.reaction)")
            }
            let mia = try await Dashboard(store: store).addBaby(named: "Mia")
            await reactions.finish()
            #expect(log.all == ["one", "two", "failed: two", "three"])
            #expect(try await store.babies() == [mia])
        }
    }

    @Test("a failed reaction to a change says that the change was saved")
    func message() async throws {
        try await TestBackend.memory.withStore { store in
            let log = Log()
            let reaction = Reaction(name: "refresh widgets", log: Log(), fails: true)
            let reactions = StoreReactions(to: store, [reaction]) { log.add("\($0)") }
            _ = try await store.add("Mia")
            await reactions.finish()
            let message = try #require(log.all.last)
            #expect(message.hasPrefix("The change was saved, but the app could not refresh widgets: "))
        }
    }

    @Test(
        "reactions to changes reach an intent and an import, but not a dry run",
        arguments: TestBackend.available)
    func intentAndImport(backend: TestBackend) async throws {
        try await backend.withStore { store in
            _ = try await store.add("Mia")
            let log = Log()
            func reacting(_ work: () async throws -> Void) async throws -> [String] {
                let before = log.all.count
                let reactions = StoreReactions(
                    to: store, [Reaction(name: "one", log: log)], includingOthers: false
                ) { _ in }
                try await work()
                await reactions.finish()
                return Array(log.all.dropFirst(before))
            }
            let context = IntentContext(
                store: store, interaction: TextInteraction(readLine: { "1" }, write: { _ in }))
            let toIntent = try await reacting {
                _ = try await BabyMonitorShortcuts.registry().say(
                    "start feeding for baby monitor!", in: context)
            }
            #expect(toIntent == ["one"])
            let service = HistoryCSVService(store: store)
            let toDryRun = try await reacting {
                _ = try await service.importText(
                    .feeds, "Mia,2025-11-06T18:00:00.000Z", ImportOptions(isDryRun: true))
            }
            #expect(toDryRun == [])
            let toImport = try await reacting {
                _ = try await service.importText(.feeds, "Mia,2025-11-06T18:00:00.000Z")
            }
            #expect(toImport == ["one"])
        }
    }

    @Test("a reaction to a change pings nearby devices with the time")
    func ping() async throws {
        let log = Log()
        try await PingNearbyDevices(Transport(log: log)) { time("2025-11-06T18:34:39.946Z") }.run()
        #expect(log.all == [#"{"type":"syncPing","ts":1762454079}"#])
    }

    @Test("a write without changes causes no reactions", arguments: TestBackend.available)
    func noWrite(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let log = Log()
            let babies = try await store.add("Mia")
            let dashboard = Dashboard(store: store)
            let none = StoreReactions(to: store, [Reaction(name: "one", log: log)], includingOthers: false) {
                _ in
            }
            #expect(try await dashboard.finishFeeding(babies[0].id, amount: nil, feedType: .solid) == nil)
            #expect(try await !dashboard.cancelFeeding(babies[0].id))
            await #expect(throws: BabyMonitorError.self) {
                try await dashboard.startFeeding(BabyProfile.ID())
            }
            await none.finish()
            #expect(log.all == [])
            let one = StoreReactions(to: store, [Reaction(name: "one", log: log)], includingOthers: false) {
                _ in
            }
            try await dashboard.startFeeding(babies[0].id)
            await one.finish()
            #expect(log.all == ["one"])
        }
    }
}
