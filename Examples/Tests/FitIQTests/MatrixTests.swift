import Foundation
import MemoryStore
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import TestBackends
import Testing

@testable import FitIQ

@Suite("The app's stores of eleven versions")
struct MatrixTests {
    private static let matrix = Result {
        try MigrationMatrix(
            FitIQPlan.self, seed: 11, values: SampleValues.value,
            reference: { MemoryStore.opener() }, expecting: expect)
    }

    /// The app's own backend and newest version, and by night the others.
    private static let backends = Nightly.isOn ? TestBackend.available : [.sqlite]
    private static let targets = Nightly.isOn ? nil : FitIQPlan.schemas.last.map { [$0.version] }

    @Test(
        "the app's stores of each of eleven versions migrate to every later one",
        arguments: FitIQPlan.schemas.map { $0.version })
    func matrix(from version: SchemaVersion) async throws {
        try await Self.matrix.get().verify(
            from: version, on: Self.backends.map(\.ofMatrix), inOneGoTo: Self.targets)
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
            try after.expect(entity, attribute, before.values(entity, attribute))
        }
        let (old, new) = (before.schema.profile, after.schema.profile)
        try after.expect(new, "name", before.values(old, "name"))
        try after.expect(new, has: "bio", to < 10)
        try after.expect("SDProgressEntry", has: "userID", (2...8).contains(to))
        try after.expect("SDMoodEntry", has: "userID", to == 5)
        if from < 10, to >= 10 {
            try after.expect(new, "unitSystem", before.values(old, "preferredUnitSystem"))
        }
        if from == 6, to >= 7 { try after.expect("SDMealLogItem", "foodType", .text("food")) }
        if (6...7).contains(from), to >= 8 { try expectQuantities(before, after) }
        if from == 9, to >= 10 {
            let names = before.values("SDRecognizedFoodItem", "name")
            try after.expect("SDRecognizedFoodItem", "foodName", names)
            let scores = before.values("SDRecognizedFoodItem", "confidenceScore")
            try after.expect("SDRecognizedFoodItem", "confidence", scores)
            let images = before.values("SDPhotoRecognition", "imageURL")
            try after.expect("SDPhotoRecognition", "photoFileName", images)
        }
    }

    /// The amounts that `SampleValues` has, as they must be read.
    private static func expectQuantities(_ before: SchemaRows, _ after: SchemaRows) throws {
        let amounts: [StoredValue: (Double, String)] = [
            .text("250 g"): (250, "g"), .text("1.5 cups"): (1.5, "cups"), .text("2"): (2, ""),
            .text("a pinch"): (0, "a pinch"), .text("1/2 cup"): (0, "1/2 cup"), .text(""): (0, ""),
            .text("3large eggs"): (3, "large eggs"),
        ]
        let texts = before.values("SDMealLogItem", "quantity")
        try after.expect("SDMealLogItem", "quantity", texts.mapValues { .double(amounts[$0]?.0 ?? -1) })
        try after.expect("SDMealLogItem", "unit", texts.mapValues { .text(amounts[$0]?.1 ?? "unknown") })
    }
}

extension Schema {
    /// 1 for version 0.0.1, and 11 for 0.1.1.
    fileprivate var number: Int { version.minor * 10 + version.patch }

    fileprivate var profile: String { entities.first { $0.name.hasPrefix("SDUserProfile") }?.name ?? "" }
}
