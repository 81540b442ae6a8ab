import BabyMonitorKit
import Foundation
import Switchyard
import TestBackends
import Testing

@Suite("The status of a baby")
struct BabyStatusTests {
    @Test("a baby's status warns of a feed that is due, but not during one", arguments: TestBackend.available)
    func feedWarning(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let clock = TestClock("2025-11-06T18:00:00Z")
            let dashboard = Dashboard(store: store, now: clock.read)
            let mia = try await dashboard.addBaby(named: "Mia", feedTermMinutes: 30)
            #expect(try await !dashboard.status(of: mia.id).needsFeed)
            try await dashboard.startFeeding(mia.id)
            clock.advance(by: 3600)
            #expect(try await !dashboard.status(of: mia.id).needsFeed)
            #expect(try await dashboard.status(of: mia.id).isFeeding)
            try await dashboard.finishFeeding(mia.id, amount: (80, .milliliters), feedType: .babyFormula)
            #expect(try await dashboard.status(of: mia.id).needsFeed)
            try await dashboard.startFeeding(mia.id)
            try await dashboard.finishFeeding(mia.id, amount: nil, feedType: .babyFormula)
            clock.advance(by: 1799)
            #expect(try await !dashboard.status(of: mia.id).needsFeed)
            clock.advance(by: 1)
            #expect(try await dashboard.status(of: mia.id).needsFeed)
        }
    }

    @Test(
        "a baby's status warns of a diaper change that is due after an hour", arguments: TestBackend.available
    )
    func diaperWarning(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let clock = TestClock("2025-11-06T18:00:00Z")
            let dashboard = Dashboard(store: store, now: clock.read)
            let mia = try await dashboard.addBaby(named: "Mia")
            #expect(try await !dashboard.status(of: mia.id).needsDiaperChange)
            try await dashboard.logDiaperChange(mia.id)
            clock.advance(by: 3599)
            #expect(try await !dashboard.status(of: mia.id).needsDiaperChange)
            clock.advance(by: 1)
            #expect(try await dashboard.status(of: mia.id).needsDiaperChange)
        }
    }

    @Test("a baby's status finds the last entry of each kind for each baby", arguments: TestBackend.available)
    func lasts(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let babies = try await store.add("Mia", "Noah")
            let mia = babies[0].id
            @Sendable func at(_ hour: Int) -> Date {
                time("2025-11-06T00:00:00Z").addingTimeInterval(Double(hour) * 3600)
            }
            let rows = try await store.write { transaction in
                [
                    // The longest feed ends last, although it began first.
                    try transaction.insert(FeedSession(startTime: at(1), endTime: at(9), profile: mia)),
                    try transaction.insert(FeedSession(startTime: at(5), endTime: at(6), profile: mia)),
                    try transaction.insert(FeedSession(startTime: at(4), profile: mia)),
                    try transaction.insert(
                        FeedSession(startTime: at(10), endTime: at(11), profile: babies[1].id)),
                ]
            }
            let changes = try await store.write { transaction in
                [
                    try transaction.insert(DiaperChange(timestamp: at(7), profile: mia)),
                    try transaction.insert(DiaperChange(timestamp: at(3), profile: mia)),
                ]
            }
            let statuses = try await Dashboard(store: store, now: { at(12) }).statuses()
            #expect(statuses.map(\.baby.name) == ["Mia", "Noah"])
            #expect(statuses[0].lastFinishedFeedSession == rows[0])
            #expect(statuses[0].lastFeedSession == rows[1])
            #expect(statuses[0].inProgressFeedSession == rows[2])
            #expect(statuses[0].lastDiaperChange == changes[0])
            #expect(statuses[1].lastFeedSession == rows[3])
            #expect(statuses[1].inProgressFeedSession == nil)
            #expect(statuses[1].lastDiaperChange == nil)
        }
    }
}
