import BabyMonitorKit
import Foundation
import Switchyard
import TestBackends
import Testing

@Suite("The schema")
struct SchemaTests {
    @Test("the app's schema is the eighth version, with five models")
    func version() throws {
        let schema = try BabyMonitorSchema.schema
        #expect(schema.version == SchemaVersion(8, 0, 0))
        #expect(
            schema.entities.map(\.name) == [
                "BabyProfile", "CustomEvent", "CustomEventType", "DiaperChange", "FeedSession",
            ])
    }

    @Test(
        "the app's schema has the attributes, defaults and delete rules of the app, and no unique constraint")
    func lines() throws {
        let schema = try BabyMonitorSchema.schema
        // The first line holds the fingerprint.
        let lines = schema.description.split(separator: "\n").dropFirst().map(String.init)
        #expect(
            lines == [
                "entity BabyProfile",
                "  id: uuid",
                "  name: text = \"\"",
                "  createdAt: timestamp",
                "  feedTerm: double = 10800.0",
                "  feedSessions: many FeedSession by profile, on delete nullify",
                "  diaperChanges: many DiaperChange by profile, on delete nullify",
                "  customEvents: many CustomEvent by profile, on delete cascade",
                "entity CustomEvent",
                "  id: uuid",
                "  timestamp: timestamp",
                "  eventTypeName: text, searchable",
                "  eventTypeEmoji: text",
                "  memoText: text?, searchable",
                "  profile: BabyProfile.id?",
                "  index (profile, timestamp)",
                "  index (timestamp)",
                "entity CustomEventType",
                "  id: uuid",
                "  name: text",
                "  emoji: text",
                "  createdAt: timestamp",
                "entity DiaperChange",
                "  id: uuid",
                "  timestamp: timestamp",
                "  type: text = \"pee\" in (\"pee\", \"poo\")",
                "  memoText: text?, searchable",
                "  profile: BabyProfile.id?",
                "  index (profile, timestamp)",
                "  index (timestamp)",
                "entity FeedSession",
                "  id: uuid",
                "  startTime: timestamp",
                "  endTime: timestamp?",
                "  amountValue: double?",
                "  amountUnitSymbol: text?",
                "  feedType: text? in (\"babyFormula\", \"breastFeed\", \"solid\")",
                "  memoText: text?, searchable",
                "  profile: BabyProfile.id?",
                "  index (profile, startTime)",
                "  index (profile, endTime)",
                "  index (startTime)",
            ])
    }

    @Test("the app's schema derives what it does not store")
    func derived() {
        var feed = FeedSession(startTime: time("2025-11-06T18:00:00Z"), memoText: "#a and #B, #A")
        #expect(feed.isInProgress)
        #expect(feed.duration == nil)
        #expect(feed.hashtags == ["#a", "#B"])
        feed.endTime = time("2025-11-06T18:15:00Z")
        #expect(!feed.isInProgress)
        #expect(feed.duration == 900)
        #expect(DiaperChange(memoText: "x #y").hashtags == ["#y"])
        #expect(CustomEvent(eventTypeName: "Bath", eventTypeEmoji: "🛁").hashtags == [])
    }

    @Test(
        "removing a baby keeps its feeds and diapers, and removes its custom events",
        arguments: TestBackend.available)
    func deleteRules(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let babies = try await store.add("Mia", "Noah")
            try await store.write { transaction in
                for baby in babies {
                    try transaction.insert(FeedSession(profile: baby.id))
                    try transaction.insert(DiaperChange(profile: baby.id))
                    try transaction.insert(
                        CustomEvent(eventTypeName: "Bath", eventTypeEmoji: "🛁", profile: baby.id))
                }
                try transaction.delete(babies[0].id)
            }
            let counts = try await store.read { transaction in
                [
                    try transaction.count(BabyProfile.all),
                    try transaction.count(FeedSession.all),
                    try transaction.count(FeedSession.where(#Predicate { $0.profile == nil })),
                    try transaction.count(DiaperChange.all),
                    try transaction.count(DiaperChange.where(#Predicate { $0.profile == nil })),
                    try transaction.count(CustomEvent.all),
                    try transaction.count(babies[1].customEvents.query),
                ]
            }
            #expect(counts == [1, 2, 1, 2, 1, 1, 1])
        }
    }
}
