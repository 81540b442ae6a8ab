import BabyMonitorKit
import Switchyard
import TestBackends
import Testing

@Suite("The dashboard")
struct DashboardTests {
    @Test(
        "the dashboard starts a feed, and deletes one in progress of that baby only",
        arguments: TestBackend.available)
    func start(backend: TestBackend) async throws {
        try await backend.withStore { store in
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

    @Test("the dashboard starts no feed of a missing baby", arguments: TestBackend.available)
    func startUnknown(backend: TestBackend) async throws {
        try await backend.withStore { store in
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

    @Test("the dashboard finishes a feed with end, amount and type", arguments: TestBackend.available)
    func finish(backend: TestBackend) async throws {
        try await backend.withStore { store in
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

    @Test("the dashboard cancels a feed", arguments: TestBackend.available)
    func cancel(backend: TestBackend) async throws {
        try await backend.withStore { store in
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
        "the dashboard logs diaper changes and events, which keep the name of their type",
        arguments: TestBackend.available
    )
    func events(backend: TestBackend) async throws {
        try await backend.withStore { store in
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

    @Test("the dashboard adds, edits and removes babies", arguments: TestBackend.available)
    func babies(backend: TestBackend) async throws {
        try await backend.withStore { store in
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

    @Test("the dashboard refuses an empty name and an unavailable feeding interval")
    func refused() async throws {
        try await TestBackend.memory.withStore { store in
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
