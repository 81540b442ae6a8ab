import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardCore
import TestBackends
import Testing

@Suite("The history")
struct HistoryServiceTests {
    private func at(_ minute: Int) -> Date {
        time("2025-11-06T00:00:00Z").addingTimeInterval(Double(minute) * 60)
    }

    /// What an entry is, in a few letters.
    private func words(_ entries: [HistoryEntry]) -> [String] {
        entries.map { entry in
            let minute = Int(entry.timestamp.timeIntervalSince(time("2025-11-06T00:00:00Z")) / 60)
            return "\(entry.kind) \(minute)"
        }
    }

    /// Mia's and Noah's morning.
    private func fill(_ store: any Store) async throws -> [BabyProfile] {
        let babies = try await store.add("Mia", "Noah")
        try await store.write { [at] transaction in
            let mia = babies[0].id
            try transaction.insert(contentsOf: [
                FeedSession(startTime: at(10), memoText: "slow #Sleepy", profile: mia),
                FeedSession(startTime: at(30), memoText: "fast #sleepyhead", profile: babies[1].id),
                FeedSession(startTime: at(50), profile: nil),
            ])
            try transaction.insert(contentsOf: [
                DiaperChange(timestamp: at(10), type: .pee, profile: mia),
                DiaperChange(timestamp: at(40), type: .poo, memoText: "Été #sleepy, at last", profile: mia),
            ])
            try transaction.insert(contentsOf: [
                CustomEvent(timestamp: at(20), eventTypeName: "Bath", eventTypeEmoji: "🛁", profile: mia),
                CustomEvent(
                    timestamp: at(40), eventTypeName: "Popover", eventTypeEmoji: "👕", profile: babies[1].id),
            ])
        }
        return babies
    }

    @Test(
        "the app's history is newest first; at one time, feeds come before diapers and events",
        arguments: TestBackend.available)
    func order(backend: TestBackend) async throws {
        try await backend.withStore { store in
            _ = try await fill(store)
            let page = try await HistoryService(store: store).page()
            #expect(
                words(page.entries) == [
                    "feed 50", "diaper 40", "event 40", "feed 30", "event 20", "feed 10", "diaper 10",
                ])
            #expect(page.next == nil)
        }
    }

    @Test("the app's history comes in one piece for an unlimited request", arguments: TestBackend.available)
    func greatestLimit(backend: TestBackend) async throws {
        try await backend.withStore { store in
            _ = try await fill(store)
            let page = try await HistoryService(store: store).page(limit: .max)
            #expect(page.entries.count == 7)
            #expect(page.next == nil)
        }
    }

    @Test("the app's history comes in pages of any size without gaps", arguments: TestBackend.available)
    func pages(backend: TestBackend) async throws {
        try await backend.withStore { store in
            _ = try await fill(store)
            let service = HistoryService(store: store)
            for limit in 1...8 {
                var found: [String] = []
                var cursor: HistoryCursor?
                repeat {
                    let page = try await service.page(after: cursor, limit: limit)
                    #expect(page.entries.count <= limit)
                    found += words(page.entries)
                    cursor = page.next
                } while cursor != nil
                #expect(
                    found == [
                        "feed 50", "diaper 40", "event 40", "feed 30", "event 20", "feed 10", "diaper 10",
                    ], "limit \(limit)")
            }
        }
    }

    @Test(
        "the app's history continues after a page although entries came and went",
        arguments: TestBackend.available)
    func stableCursor(backend: TestBackend) async throws {
        try await backend.withStore { store in
            _ = try await fill(store)
            let service = HistoryService(store: store)
            let first = try await service.page(limit: 2)
            try await store.write { [at] transaction in
                try transaction.insert(FeedSession(startTime: at(60)))
                try transaction.delete(DiaperChange.where(#Predicate { $0.memoText != nil }))
            }
            let second = try await service.page(after: first.next, limit: 2)
            #expect(words(second.entries) == ["event 40", "feed 30"])
        }
    }

    @Test(
        "the app's history can be limited to a baby and a span of time that excludes its end",
        arguments: TestBackend.available)
    func filters(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let babies = try await fill(store)
            let service = HistoryService(store: store)
            let mia = try await service.page(HistoryFilter(baby: babies[0].id))
            #expect(words(mia.entries) == ["diaper 40", "event 20", "feed 10", "diaper 10"])
            let span = try await service.page(HistoryFilter(since: at(20), until: at(40)))
            #expect(words(span.entries) == ["feed 30", "event 20"])
        }
    }

    @Test(
        "the app's history finds text in memos and names without regard to case and accents",
        arguments: [
            ("fast", ["feed 30"]), ("FAST", ["feed 30"]), ("ete", ["diaper 40"]), ("bath", ["event 20"]),
            ("Feed", ["feed 50", "feed 30", "feed 10"]), ("po", ["diaper 40", "event 40"]),
            ("pee", ["diaper 10"]),
            ("sleepy", ["diaper 40", "feed 30", "feed 10"]), ("100%", []), ("_", []),
            ("  ", ["feed 50", "diaper 40", "event 40", "feed 30", "event 20", "feed 10", "diaper 10"]),
        ] as [(String, [String])])
    func search(text: String, found: [String]) async throws {
        for backend in TestBackend.available {
            try await backend.withStore { store in
                _ = try await fill(store)
                let page = try await HistoryService(store: store).page(HistoryFilter(search: text))
                #expect(words(page.entries) == found)
            }
        }
    }

    @Test(
        "the app's history finds a hashtag, but not the beginning of a longer one",
        arguments: TestBackend.available)
    func hashtag(backend: TestBackend) async throws {
        try await backend.withStore { store in
            _ = try await fill(store)
            let service = HistoryService(store: store)
            #expect(
                words(try await service.page(HistoryFilter(search: "#SLEEPY")).entries) == [
                    "diaper 40", "feed 10",
                ])
            #expect(
                words(try await service.page(HistoryFilter(search: "#sleepyhead")).entries) == ["feed 30"])
            let first = try await service.page(HistoryFilter(search: "#sleepy"), limit: 1)
            #expect(words(first.entries) == ["diaper 40"])
            let second = try await service.page(HistoryFilter(search: "#sleepy"), after: first.next, limit: 1)
            #expect(words(second.entries) == ["feed 10"])
            #expect(second.next == nil)
        }
    }

    @Test("the app's history refuses a page of size 0")
    func noLimit() async throws {
        try await TestBackend.memory.withStore { store in
            await #expect {
                try await HistoryService(store: store).page(limit: 0)
            } throws: { error in
                (error as? BabyMonitorError)?.code == .invalidArgument
            }
        }
    }

    @Test("the app's history streams thousands of entries in order", arguments: TestBackend.available)
    func stream(backend: TestBackend) async throws {
        try await backend.withStore { store in
            try await store.seed(SampleData(days: 30, endingAt: time("2025-11-06T12:00:00Z")))
            let log = Log()
            try await HistoryService(store: store).forEach { entry in
                log.add("\(Int64(entry.timestamp.timeIntervalSince1970 * 1000))")
                return true
            }
            let times = log.all.compactMap { Int64($0) }
            #expect(times.count == 1020)
            #expect(times == times.sorted(by: >))
        }
    }

    @Test("the app's history groups entries by days that begin at seven", arguments: TestBackend.available)
    func groups(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let mia = try await store.add("Mia")[0].id
            try await store.write { transaction in
                for (text, amount) in [
                    ("2025-11-06T06:59:59Z", 80.0), ("2025-11-06T07:00:00Z", 90),
                    ("2025-11-07T06:00:00Z", 10),
                    ("2025-11-08T08:00:00Z", 70),
                ] {
                    try transaction.insert(
                        FeedSession(
                            startTime: time(text), amountValue: amount, amountUnitSymbol: "mL", profile: mia))
                }
                try transaction.insert(
                    DiaperChange(timestamp: time("2025-11-06T09:00:00Z"), type: .poo, profile: mia))
            }
            let entries = try await HistoryService(store: store).page().entries
            let groups = HistoryDay(timeZone: .gmt).groups(of: entries)
            #expect(groups.map(\.day.description) == ["2025-11-08", "2025-11-06", "2025-11-05"])
            #expect(groups.map(\.start).first == time("2025-11-08T07:00:00Z"))
            #expect(groups.map(\.entries.count) == [1, 3, 1])
            #expect(groups.map(\.feedCount) == [1, 2, 1])
            #expect(groups[1].diaperCount(.poo) == 1)
            #expect(groups[1].diaperCount(.pee) == 0)
            #expect(groups[1].totalAmount(in: .milliliters) == 100)
        }
    }
}
