import Foundation
import SQLiteStore
import Switchyard
import SwitchyardCore
import TestBackends
import Testing

@testable import FitIQ

@Suite("The upgrade that crashed the app")
struct UpgradeTests {
    @Test("the upgrade from version 9 keeps every relationship, and all writes go on")
    func upgrade() async throws {
        let profile = SchemaV9.SDUserProfileV9(name: "Kim", preferredUnitSystem: .imperial)
        let photo = SchemaV9.SDPhotoRecognition(
            imageURL: "meal.jpg", createdAt: Date(timeIntervalSince1970: 1_700_000_000),
            userProfile: profile.id)
        let item = SchemaV9.SDRecognizedFoodItem(
            name: "Soup", quantity: 1, unit: "bowl", calories: 180, confidenceScore: 0.5,
            photoRecognition: photo.id)
        let mood = SchemaV9.SDMoodEntry(
            valence: 1, labels: ["calm"], associations: ["family"], notes: "Sunday", userProfile: profile.id)
        try await TestBackend.sqlite.withURL { url in
            let registry = try PluginRegistry([SQLitePlugin.self])
            let old = try await registry.open(url: url, schema: SchemaV9.self)
            try await old.write { tx in
                try tx.insert(profile)
                try tx.insert(photo)
                try tx.insert(item)
                try tx.insert(mood)
            }
            try await old.close()
            let store = try await registry.open(url: url, migrating: FitIQPlan.self)
            let kim = try #require(
                try await store.read { try $0.fetch(SchemaV11.SDUserProfileV11.all).first })
            #expect(kim.name == "Kim")
            #expect(kim.unitSystem == "imperial")
            #expect(kim.email == "")
            let (photos, moods) = try await store.read { tx in
                (try tx.fetch(kim.photoRecognitions.query), try tx.fetch(kim.moodEntries.query))
            }
            #expect(photos.map(\.photoFileName) == ["meal.jpg"])
            #expect(moods.map(\.value) == [10])
            #expect(moods.map(\.notes) == ["Sunday\ncalm, family"])
            let foods = try await store.read { try $0.fetch(photos[0].recognizedFoods.query) }
            #expect(foods.map(\.foodName) == ["Soup"])
            #expect(foods.map(\.calories) == [180])
            #expect(foods.map(\.confidence) == [0.5])
            #expect(foods.map(\.createdAt) == [Date(timeIntervalSince1970: 1_700_000_000)])
            try await store.write { tx in
                try tx.insert(SchemaV11.SDWorkout(activityType: "run", userProfile: kim.id))
                try tx.insert(SchemaV11.SDMoodEntry(value: 3, userProfile: kim.id))
                _ = try tx.delete(kim.id)
            }
            let left = try await store.read { tx in
                try store.schema.entities.map { try tx.countRows(of: $0.name) }.reduce(0, +)
            }
            #expect(left == 0)
            try await store.close()
        }
    }

    @Test("the upgrade turns valences into values from 1 to 10")
    func moods() {
        let valences: [Double?] = [-.infinity, -1, -0.5, 0, 0.5, 1, 7, nil]
        #expect(valences.map { SchemaV10.SDMoodEntry.value(valence: $0) } == [1, 1, 3, 6, 8, 10, 10, 5])
    }
}
