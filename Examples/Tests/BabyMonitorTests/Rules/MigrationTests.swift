import Foundation
import MemoryStore
import PostgresStore
import SQLiteStore
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import TestBackends
import Testing

@testable import BabyMonitorKit

@Suite("The app's stores of eight versions")
struct MigrationTests {
    private static let matrix = Result {
        try MigrationMatrix(
            BabyMonitorPlan.self, seed: 20_261_124,
            reference: { MemoryStore.opener() }, expecting: expect)
    }

    @Test(
        "the app's stores of each of eight versions migrate to every later one",
        arguments: BabyMonitorPlan.schemas.map { $0.version })
    func matrix(from version: SchemaVersion) async throws {
        try await Self.matrix.get().verify(
            from: version, on: TestBackend.available.map(\.ofMatrix), inOneGoTo: Self.targets)
    }

    /// The newest version, to which an app migrates; by night all others too.
    private static let targets = Nightly.isOn ? nil : BabyMonitorPlan.schemas.last.map { [$0.version] }

    /// What must come out, whatever a reference makes of it.
    private static func expect(_ before: SchemaRows, _ after: SchemaRows) throws {
        let (from, to) = (before.schema.version.major, after.schema.version.major)
        for (entity, attribute) in [
            ("BabyProfile", "name"), ("FeedSession", "startTime"), ("FeedSession", "amountValue"),
            ("FeedSession", "profile"), ("DiaperChange", "type"), ("DiaperChange", "profile"),
            ("CustomEventType", "emoji"), ("CustomEvent", "timestamp"), ("CustomEvent", "profile"),
        ] where before.schema.entity(entity) != nil {
            try after.expect(entity, attribute, before.values(entity, attribute))
        }
        try after.expect("BabyProfile", has: "lastFeedAmountValue", to < 5)
        if from < 5, to >= 5 { try after.expect("BabyProfile", "createdAt", .timestamp(0)) }
        if from < 4, to >= 4 { try after.expect("BabyProfile", "feedTerm", .double(10_800)) }
        if from < 8, to == 8 { try after.expect("FeedSession", "feedType", .null) }
        if from == 6, to >= 7 {
            let names = before.values("CustomEventType", "name")
            try after.expect(
                "CustomEvent", "eventTypeName",
                before.values("CustomEvent", "type").mapValues { type in
                    guard case .uuid(let id) = type else { return .text("") }
                    return names[id] ?? .null
                })
        }
    }

    @Test(
        "the app's migrations keep an event's name and emoji when its type is no longer referenced",
        arguments: TestBackend.shared)
    func customEvent(backend: TestBackend) async throws {
        let bath = BabyMonitorSchema6.CustomEventType(name: "Bath", emoji: "🛁")
        let mia = BabyMonitorSchema6.BabyProfile(name: "Mia")
        let events = (0..<600).map { number in
            BabyMonitorSchema6.CustomEvent(
                type: number == 7 ? nil : bath.id, memoText: "\(number)", profile: mia.id)
        }
        let registry = try PluginRegistry([SQLitePlugin.self, PostgresPlugin.self])
        try await backend.withURL { url in
            let old = try await registry.open(url: url, schema: BabyMonitorSchema6.self)
            try await old.write { tx in
                try tx.insert(bath)
                try tx.insert(mia)
                try tx.insert(contentsOf: events)
            }
            try await old.close()
            let store = try await registry.open(url: url, migrating: BabyMonitorPlan.self)
            let found = try await store.read { try $0.fetch(CustomEvent.all) }
            #expect(found.count == 600)
            #expect(found.filter { $0.eventTypeName == "Bath" && $0.eventTypeEmoji == "🛁" }.count == 599)
            #expect(found.filter { $0.eventTypeName == "" }.map(\.memoText) == ["7"])
            try await store.write { _ = try $0.delete(BabyProfile.all) }
            #expect(try await store.read { try $0.count(CustomEvent.all) } == 0)
            #expect(try await store.read { try $0.fetch(CustomEventType.all) }.map(\.name) == ["Bath"])
            try await store.close()
        }
    }
}
