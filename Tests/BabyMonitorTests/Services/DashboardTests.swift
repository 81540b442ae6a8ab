import BabyMonitor
import Foundation
import Switchyard
import Testing

@Suite("The dashboard")
struct DashboardTests {
    @Test("starts a feed, and deletes one in progress of that baby alone", arguments: StoreKind.available)
    func start(kind: StoreKind) async throws {
        try await kind.withStore { store in
            let clock = TestClock("2025-11-06T18:00:00Z")
            let dashboard = Dashboard(store: store, now: clock.read)
            let babies = try await store.add("Mia", "Noah")
            try await dashboard.startFeeding(babies[0].id)
            try await dashboard.startFeeding(babies[1].id)
            clock.advance(by: 600)
            let second = try await dashboard.startFeeding(babies[0].id)
            #expect(second.startTime == time("2025-11-06T18:10:00Z"))
            let feeds = try await store.feeds()
            #expect(feeds.map(\.profile) == [babies[1].id, babies[0].id])
            #expect(feeds.map(\.startTime) == [time("2025-11-06T18:00:00Z"), time("2025-11-06T18:10:00Z")])
            #expect(feeds.map(\.endTime) == [nil, nil])
        }
    }

    @Test("starts no feed of a baby that is not there", arguments: StoreKind.available)
    func startUnknown(kind: StoreKind) async throws {
        try await kind.withStore { store in
            let dashboard = Dashboard(store: store)
            await #expect {
                try await dashboard.startFeeding(BabyProfile.ID())
            } throws: { error in
                (error as? BabyMonitorError)?.code == .babyNotFound
            }
            let feeds = try await store.feeds()
            #expect(feeds.isEmpty)
        }
    }

    @Test("finishes a feed with end, amount and type", arguments: StoreKind.available)
    func finish(kind: StoreKind) async throws {
        try await kind.withStore { store in
            let clock = TestClock("2025-11-06T18:00:00Z")
            let dashboard = Dashboard(store: store, now: clock.read)
            let mia = try await store.add("Mia")[0]
            let started = try await dashboard.startFeeding(mia.id)
            clock.advance(by: 900)
            let finished = try #require(
                try await dashboard.finishFeeding(mia.id, amount: (4.5, .fluidOunces), feedType: .breastFeed))
            #expect(finished.id == started.id)
            #expect(finished.startTime == time("2025-11-06T18:00:00Z"))
            #expect(finished.endTime == time("2025-11-06T18:15:00Z"))
            #expect(finished.amountValue == 4.5)
            #expect(finished.amountUnitSymbol == "fl oz")
            #expect(finished.feedType == .breastFeed)
            #expect(try await store.feeds() == [finished])
            #expect(try await dashboard.finishFeeding(mia.id, amount: nil, feedType: .solid) == nil)
            #expect(try await store.feeds() == [finished])
        }
    }

    @Test("gives up a feed", arguments: StoreKind.available)
    func cancel(kind: StoreKind) async throws {
        try await kind.withStore { store in
            let dashboard = Dashboard(store: store)
            let babies = try await store.add("Mia", "Noah")
            try await dashboard.startFeeding(babies[0].id)
            try await dashboard.startFeeding(babies[1].id)
            #expect(try await dashboard.cancelFeeding(babies[0].id))
            #expect(try await store.feeds().map(\.profile) == [babies[1].id])
            #expect(try await !dashboard.cancelFeeding(babies[0].id))
        }
    }

    @Test(
        "notes diaper changes and events, which keep the name of their type", arguments: StoreKind.available)
    func events(kind: StoreKind) async throws {
        try await kind.withStore { store in
            let clock = TestClock("2025-11-06T18:00:00Z")
            let dashboard = Dashboard(store: store, now: clock.read)
            let mia = try await store.add("Mia")[0]
            let change = try await dashboard.logDiaperChange(mia.id, type: .poo, memo: "#rash")
            #expect(change.timestamp == time("2025-11-06T18:00:00Z"))
            #expect(change.type == .poo)
            #expect(try await store.diaperChanges() == [change])
            let bath = try await dashboard.addEventType(named: " Bath ", emoji: "🛁")
            clock.advance(by: 1)
            let walk = try await dashboard.addEventType(named: "Alk", emoji: "🚼")
            let event = try await dashboard.logCustomEvent(mia.id, type: bath.id)
            try await dashboard.editEventType(bath.id, name: "Big Bath")
            #expect(try await dashboard.eventTypes().map(\.name) == ["Big Bath", "Alk"])
            try await dashboard.removeEventType(bath.id)
            #expect(try await dashboard.eventTypes() == [walk])
            let events = try await store.read { try $0.fetch(CustomEvent.all) }
            #expect(events == [event])
            #expect(events.map(\.eventTypeName) == ["Bath"])
            #expect(events.map(\.eventTypeEmoji) == ["🛁"])
            await #expect {
                try await dashboard.logCustomEvent(mia.id, type: bath.id)
            } throws: { error in
                (error as? BabyMonitorError)?.code == .eventTypeNotFound
            }
        }
    }

    @Test("adds, edits and removes babies", arguments: StoreKind.available)
    func babies(kind: StoreKind) async throws {
        try await kind.withStore { store in
            let clock = TestClock("2025-11-06T18:00:00Z")
            let dashboard = Dashboard(store: store, now: clock.read)
            let noah = try await dashboard.addBaby(named: "Noah")
            let mia = try await dashboard.addBaby(named: "  Mia\n", feedTermMinutes: 150)
            #expect(try await dashboard.babies().map(\.name) == ["Mia", "Noah"])
            #expect(mia.feedTerm == 9000)
            #expect(noah.feedTerm == 10_800)
            #expect(noah.createdAt == time("2025-11-06T18:00:00Z"))
            let edited = try await dashboard.editBaby(noah.id, feedTermMinutes: 30)
            #expect(edited.name == "Noah")
            #expect(edited.feedTerm == 1800)
            #expect(try await dashboard.editBaby(noah.id, name: "Leo").feedTerm == 1800)
            try await dashboard.removeBaby(mia.id)
            #expect(try await dashboard.babies().map(\.name) == ["Leo"])
            await #expect {
                try await dashboard.removeBaby(mia.id)
            } throws: { error in
                (error as? BabyMonitorError)?.code == .babyNotFound
            }
        }
    }

    @Test("refuses an empty name and a feeding interval that is not offered")
    func refused() async throws {
        try await StoreKind.memory.withStore { store in
            let dashboard = Dashboard(store: store)
            await #expect {
                try await dashboard.addBaby(named: " \n")
            } throws: { error in
                (error as? BabyMonitorError)?.code == .invalidName
            }
            await #expect {
                try await dashboard.addBaby(named: "Mia", feedTermMinutes: 100)
            } throws: { error in
                (error as? BabyMonitorError)?.code == .invalidFeedTerm
            }
            let babies = try await store.babies()
            #expect(babies.isEmpty)
        }
    }
}

@Suite("The status of a baby")
struct BabyStatusTests {
    @Test("warns of a feed that is due, but not while feeding", arguments: StoreKind.available)
    func feedWarning(kind: StoreKind) async throws {
        try await kind.withStore { store in
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

    @Test("warns of a diaper change that is due after an hour", arguments: StoreKind.available)
    func diaperWarning(kind: StoreKind) async throws {
        try await kind.withStore { store in
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

    @Test("finds the last of everything of each baby", arguments: StoreKind.available)
    func lasts(kind: StoreKind) async throws {
        try await kind.withStore { store in
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
