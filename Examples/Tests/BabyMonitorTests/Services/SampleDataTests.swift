import BabyMonitorKit
import Foundation
import Switchyard
import TestBackends
import Testing

@Suite("Sample data")
struct SampleDataTests {
    @Test("sample data of two babies and three years has 13,140 feeds and 21,900 diaper changes")
    func realSize() throws {
        let samples = try SampleData(days: 1095, endingAt: time("2025-11-06T12:00:00Z"))
        #expect(samples.babies.count == 2)
        #expect(samples.feeds.reduce(0) { count, _ in count + 1 } == 13_140)
        #expect(samples.diaperChanges.reduce(0) { count, _ in count + 1 } == 21_900)
    }

    @Test("sample data is the same for the same seed, ids included, and different for another")
    func deterministic() throws {
        let end = time("2025-11-06T12:00:00Z")
        let first = try SampleData(days: 3, endingAt: end, seed: 7)
        let second = try SampleData(days: 3, endingAt: end, seed: 7)
        let other = try SampleData(days: 3, endingAt: end, seed: 8)
        #expect(first.babies == second.babies)
        #expect(first.eventTypes == second.eventTypes)
        #expect(Array(first.feeds) == Array(second.feeds))
        #expect(Array(first.diaperChanges) == Array(second.diaperChanges))
        #expect(Array(first.customEvents) == Array(second.customEvents))
        #expect(Array(first.feeds) != Array(other.feeds))
        #expect(Set(first.feeds.map(\.id)).isDisjoint(with: other.feeds.map(\.id)))
    }

    @Test("sample data does not change from one release to the next")
    func pinned() throws {
        let samples = try SampleData(days: 1, endingAt: time("2025-11-06T12:00:00Z"), seed: 1)
        let feed = try #require(samples.feeds.first { _ in true })
        #expect(samples.babies.map(\.name) == ["Mia", "Noah"])
        #expect(feed.id.description == "019a540e-8b23-7386-a6f5-7e0b2f166383")
        #expect(feed.startTime == time("2025-11-05T12:47:10.627Z"))
        #expect(feed.amountValue == 60)
    }

    @Test("sample data lies before its end, has an id for each row, and a duration for every feed")
    func plausible() throws {
        let end = time("2025-11-06T12:00:00Z")
        let samples = try SampleData(babies: 3, days: 20, endingAt: end)
        let feeds = Array(samples.feeds)
        #expect(feeds.count == 3 * 20 * 6)
        #expect(Set(feeds.map(\.id)).count == feeds.count)
        #expect(feeds.allSatisfy { ($0.duration ?? 0) >= 600 && ($0.endTime ?? .distantFuture) <= end })
        #expect(samples.diaperChanges.allSatisfy { $0.timestamp <= end })
        #expect(samples.customEvents.allSatisfy { $0.timestamp <= end })
        #expect(Set(samples.diaperChanges.map(\.type)) == [.pee, .poo])
    }

    @Test("sample data refuses impossible sizes", arguments: [(0, 1), (1001, 1), (1, -1), (1, 500_001)])
    func refused(babies: Int, days: Int) {
        #expect {
            try SampleData(babies: babies, days: days, endingAt: time("2025-11-06T12:00:00Z"))
        } throws: { error in
            (error as? BabyMonitorError)?.code == .invalidArgument
        }
    }

    @Test(
        "sample data fills a store, and makes a preview with a baby that is being fed",
        arguments: TestBackend.available)
    func preview(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let now = time("2025-11-06T12:00:00Z")
            let babies = try await store.seedPreview(now: now)
            #expect(babies.map(\.name) == ["Mia", "Noah"])
            let statuses = try await Dashboard(store: store, now: { now }).statuses()
            #expect(statuses.map(\.isFeeding) == [true, false])
            #expect(statuses[0].inProgressFeedSession?.startTime == time("2025-11-06T11:48:00Z"))
            #expect(try await store.feeds().count == 2 * 7 * 6 + 1)
            #expect(try await store.diaperChanges().count == 2 * 7 * 10)
        }
    }
}
