import Foundation
import MemoryStore
import PostgresStore
import SQLiteStore
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import Testing

@testable import FitIQ

@Suite("The app's stores of eleven versions")
struct MatrixTests {
    private static let matrix = Result {
        try MigrationMatrix(
            FitIQPlan.self, seed: 11, values: SampleValues.value,
            reference: {
                let open = MemoryStore.opener()
                return { try open($0, $1) }
            }, expecting: expect)
    }

    @Test("become those of every later one", arguments: FitIQPlan.schemas.map { $0.version })
    func matrix(from version: SchemaVersion) async throws {
        try await Self.matrix.get().verify(from: version, on: Backends.available)
    }

    /// What must come out, whatever a reference makes of it.
    private static func expect(_ before: SchemaRows, _ after: SchemaRows) throws {
        let (from, to) = (before.schema.number, after.schema.number)
        let kept: [(String, String)] = [
            ("SDPhysicalAttribute", "value"), ("SDPhysicalAttribute", "type"),
            ("SDPhysicalAttribute", "userProfile"), ("SDActivitySnapshot", "steps"),
            ("SDActivitySnapshot", "activityLevel"), ("SDDietaryAndActivityPreferences", "allergies"),
            ("SDDietaryAndActivityPreferences", "userProfile"), ("SDProgressEntry", "quantity"),
            ("SDProgressEntry", "userProfile"), ("SDOutboxEvent", "entityID"), ("SDSleepSession", "source"),
            ("SDSleepStage", "session"), ("SDMoodEntry", "date"), ("SDMoodEntry", "userProfile"),
            // Enums until version 8, and text of the same values since.
            ("SDMeal", "mealType"), ("SDMeal", "status"), ("SDMeal", "syncStatus"),
            ("SDMealLogItem", "name"), ("SDMealLogItem", "mealLog"), ("SDPhotoRecognition", "userProfile"),
            ("SDRecognizedFoodItem", "quantity"), ("SDRecognizedFoodItem", "photoRecognition"),
            ("SDWorkout", "title"),
        ]
        for (entity, attribute) in kept where before.schema.entity(entity)?.attribute(attribute) != nil {
            #expect(
                after.values(entity, attribute) == before.values(entity, attribute), "\(entity).\(attribute)")
        }
        let (old, new) = (before.schema.profile, after.schema.profile)
        #expect(after.values(new, "name") == before.values(old, "name"))
        #expect((after.schema.entity(new)?.attribute("bio") == nil) == (to >= 10))
        #expect(
            (after.schema.entity("SDProgressEntry")?.attribute("userID") != nil) == (2...8).contains(to))
        #expect(
            (after.schema.entity("SDMoodEntry")?.attribute("userID") != nil) == (5...5).contains(to))
        if from < 10, to >= 10 {
            #expect(after.values(new, "unitSystem") == before.values(old, "preferredUnitSystem"))
        }
        if from == 6, to >= 7 {
            #expect(after.values("SDMealLogItem", "foodType").values.allSatisfy { $0 == .text("food") })
        }
        if (6...7).contains(from), to >= 8 { expectQuantities(before, after) }
        if from == 9, to >= 10 {
            #expect(
                after.values("SDRecognizedFoodItem", "foodName")
                    == before.values("SDRecognizedFoodItem", "name"))
            #expect(
                after.values("SDRecognizedFoodItem", "confidence")
                    == before.values("SDRecognizedFoodItem", "confidenceScore"))
            #expect(
                after.values("SDPhotoRecognition", "photoFileName")
                    == before.values("SDPhotoRecognition", "imageURL"))
        }
    }

    private static func expectQuantities(_ before: SchemaRows, _ after: SchemaRows) {
        let amounts: [String: (Double, String)] = [
            "250 g": (250, "g"), "1.5 cups": (1.5, "cups"), "2": (2, ""), "a pinch": (0, "a pinch"),
            "1/2 cup": (0, "1/2 cup"), "": (0, ""), "3large eggs": (3, "large eggs"),
        ]
        let texts = before.values("SDMealLogItem", "quantity")
        let values = after.values("SDMealLogItem", "quantity")
        let units = after.values("SDMealLogItem", "unit")
        #expect(values.count == texts.count)
        for (id, text) in texts {
            guard case .text(let text) = text, let (value, unit) = amounts[text] else {
                Issue.record("The amount \(text) was not foreseen.")
                continue
            }
            #expect(values[id] == .double(value), "\(text)")
            #expect(units[id] == .text(unit), "\(text)")
        }
    }
}

extension Schema {
    /// 1 for version 0.0.1, and 11 for 0.1.1.
    fileprivate var number: Int { version.minor * 10 + version.patch }

    fileprivate var profile: String { entities.first { $0.name.hasPrefix("SDUserProfile") }?.name ?? "" }
}
