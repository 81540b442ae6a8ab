import BabyMonitorKit
import Foundation
import KeepTrack
import SQLiteStore
import Switchyard
import SwitchyardCore
import SwitchyardTransfer
import TestBackends
import Testing
import W8Trackr

@testable import CoreDataStore
@testable import FitIQ
@testable import LeaveSwiftData

/// Each app's own plan, and a file as the app's SwiftData release leaves it.
@Suite("The SwiftData stores of apps")
struct AppTests {
    /// Adopts a shape by an app's plan on each backend.
    ///
    /// - Returns: The digests, which are the same on each.
    private static func adopt(
        _ shape: Shape, by plan: AdoptionPlan, _ look: (any Store) async throws -> Void = { _ in }
    ) async throws -> [String: RowsDigest] {
        var found: [[String: RowsDigest]] = []
        try await withFile(of: shape) { database, _ in
            let preview = try await plan.preview(database)
            #expect(preview.faults == [])
            for backend in TestBackend.available {
                try await backend.withPlace(of: plan.schema) { place in
                    found.append(try await plan.run(from: database, into: place).digests)
                    try await place.withStore(OpenOptions(createsIfMissing: false)) { store in
                        #expect(try await store.check() == [])
                        try await look(store)
                    }
                }
            }
        }
        #expect(found.allSatisfy { $0 == found[0] })
        return found[0]
    }

    @Test("W8Trackr's rows have the ids of CloudKit's records, on each of a person's devices")
    func w8Trackr() async throws {
        let (schema, plan) = (try W8TrackrSchema.schema, try W8TrackrSchema.adoption)
        let uploaded = { (shape: Shape) in
            var shape = shape
            shape.rows.removeAll { row in
                shape.records?.contains { $0.entity == row.entity && $0.key == row.key && $0.name == nil }
                    == true
            }
            shape.records?.removeAll { $0.name == nil }
            return shape
        }
        let phone = uploaded(Shape(of: schema.entities, identified: []))
        let tablet = uploaded(Shape(of: schema.entities, device: 1, identified: []))
        let digests = try await Self.adopt(phone, by: plan) { store in
            let entries = try await store.read { try $0.fetch(WeightEntry.sorted(by: \.date)) }
            #expect(entries.map(\.weightValue) == [1.25, 2.25])
            #expect(entries.map(\.bodyFatPercentage) == [Decimal(string: "1.25"), Decimal(string: "2.25")])
            #expect(entries.map(\.syncVersion) == [10, 20])
            #expect(entries.map(\.pendingHealthSync) == [true, false])
            #expect(entries[0].date == Date(timeIntervalSinceReferenceDate: 86_400.5))
        }
        #expect(digests.mapValues(\.count) == ["CompletedMilestone": 2, "WeightEntry": 2])
        #expect(try await Self.adopt(tablet, by: plan) == digests)
        // What was never uploaded is refused, and has no id that another device could know.
        try await withFile(of: Shape(of: schema.entities, identified: [])) { database, _ in
            let preview = try await plan.preview(database)
            #expect(preview.faults.map(\.table).sorted() == ["CompletedMilestone", "WeightEntry"])
            #expect(preview.tables.map(\.idsFromKeys) == [1, 1])
        }
    }

    @Test("KeepTrack's rows keep their ids, and its stages take them further without its files of JSON")
    func keepTrack() async throws {
        let plan = try KeepTrackV0.adoption
        let shape = Shape(
            of: try KeepTrackV0.schema.entities, identified: ["Entry", "IntakeType", "Goal"])
        let digests = try await Self.adopt(shape, by: plan) { store in
            let goals = try await store.read { try $0.fetch(KeepTrackV0.Goal.sorted(by: \.name)) }
            #expect(goals.map(\.id.uuid) == (1...3).map { Shape.uuid($0, of: "Goal") })
            #expect(
                goals[0].dates == [0, 60].map { Date(timeIntervalSinceReferenceDate: $0) })
            #expect(goals[0].frequency == .twiceADay)
        }
        #expect(digests.mapValues(\.count) == ["Entry": 3, "Goal": 3, "IntakeType": 3])
        try await withFile(of: shape) { database, file in
            let url = "sqlite:" + file.deletingLastPathComponent().appending(path: "new.sqlite").path
            let registry = try PluginRegistry([SQLitePlugin.self])
            try await plan.run(
                from: database,
                into: StorePlace(url: url, registry: registry, schema: try KeepTrackV0.schema))
            let store = try await registry.open(url: url, migrating: KeepTrackPlan.self)
            let (entries, settings) = try await store.read { tx in
                (try tx.fetch(KeepTrackV2.Entry.all), try tx.fetch(KeepTrackV2.AppSettings.all))
            }
            #expect(Set(entries.map(\.id.uuid)) == Set((1...3).map { Shape.uuid($0, of: "Entry") }))
            #expect(settings.map(\.files) == [.skipped])
            try await store.close()
        }
    }

    @Test("FitIQ's profile keeps what it owns, and its preferences are the same on each device")
    func fitIQ() async throws {
        let schema = try SchemaV11.schema
        let identified = Set(schema.entities.map(\.name)).subtracting(["SDDietaryAndActivityPreferences"])
        let shapes = (Int64(0)...1).map { device in
            var shape = Shape(of: schema.entities, device: device, identified: identified)
            shape.records = nil
            // The profile and its preferences refer to each other.
            for index in shape.entities.indices where shape.entities[index].name == "SDUserProfileV11" {
                for other in shape.entities[index].relationships.indices
                where shape.entities[index].relationships[other].name == "dietaryAndActivityPreferences" {
                    shape.entities[index].relationships[other].isToMany = false
                }
            }
            // Preferences without a profile are known by their key alone.
            shape.rows.removeAll { $0.entity == "SDDietaryAndActivityPreferences" && $0.references.isEmpty }
            return shape
        }
        let digests = try await Self.adopt(shapes[0], by: try SchemaV11.adoption) { store in
            let (profiles, preferences, foods) = try await store.read { tx in
                (
                    try tx.fetch(SchemaV11.SDUserProfileV11.sorted(by: \.name)),
                    try tx.fetch(SchemaV11.SDDietaryAndActivityPreferences.sorted(by: \.createdAt)),
                    try tx.fetch(SchemaV11.SDRecognizedFoodItem.sorted(by: \.foodName))
                )
            }
            #expect(profiles.map(\.id.uuid) == (1...3).map { Shape.uuid($0, of: "SDUserProfileV11") })
            #expect(preferences.map(\.userProfile) == [profiles[0].id, profiles[1].id])
            #expect(preferences.map(\.allergies) == [["a", "b 1"], ["a", "b 2"]])
            #expect(foods.map { $0.photoRecognition != nil } == [true, true, false])
            try await store.write { try $0.delete(profiles[0].id) }
            let left = try await store.read { tx in
                [try tx.count(SchemaV11.SDMeal.all), try tx.count(SchemaV11.SDMealLogItem.all)]
            }
            #expect(left == [2, 2])
        }
        #expect(digests.count == 16 && digests["SDDietaryAndActivityPreferences"]?.count == 2)
        #expect(try await Self.adopt(shapes[1], by: try SchemaV11.adoption) == digests)
    }

    @Test("BabyMonitor's babies keep their ids, and its feeds have those of CloudKit's records")
    func babyMonitor() async throws {
        let schema = try BabyMonitorSchema.schema
        let old = schema.entities.filter { ["BabyProfile", "DiaperChange", "FeedSession"].contains($0.name) }
        let shapes = (Int64(0)...1).map { device in
            Shape(
                of: old, device: device, identified: ["BabyProfile"],
                replacing: [
                    "BabyProfile": (
                        [
                            .init(name: "lastFeedAmountValue", type: 500),
                            .init(name: "lastFeedAmountUnitSymbol", type: 700),
                        ], ["createdAt"]
                    ), "DiaperChange": ([], ["memoText"]), "FeedSession": ([], ["feedType"]),
                ])
        }
        let plan = try LeaveSwiftData.plan(acknowledging: [.pendingUploads])
        _ = try await Self.adopt(shapes[0], by: plan) { store in
            let (babies, feeds) = try await store.read { tx in
                (
                    try tx.fetch(BabyProfile.sorted(by: \.name)),
                    try tx.fetch(FeedSession.sorted(by: \.startTime))
                )
            }
            #expect(babies.map(\.id.uuid) == (1...3).map { Shape.uuid($0, of: "BabyProfile") })
            #expect(feeds.map(\.profile) == [babies[0].id, babies[1].id, nil])
            #expect(feeds.map(\.amountValue) == [1.25, 2.25, nil])
        }
        // The last feed and the last diaper were never uploaded: their ids are those of one device.
        var ids: [Set<UUID>] = []
        for shape in shapes {
            try await withFile(of: shape) { database, file in
                try await TestBackend.memory.withPlace(of: schema) { place in
                    try await plan.run(from: database, into: place)
                    ids.append(
                        try await place.withStore(OpenOptions(createsIfMissing: false)) { store in
                            Set(try await store.read { try $0.fetch(FeedSession.all) }.map(\.id.uuid))
                        })
                }
            }
        }
        #expect(ids[0].count == 3 && ids[0].intersection(ids[1]).count == 2)
    }
}
