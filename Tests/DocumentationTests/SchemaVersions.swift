import Foundation
import SQLiteStore
import Switchyard
import Testing

enum MealSchema1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Item.self]

    @Model
    struct Item {
        let id: ID
        var name: String
        var userID: String
        var portions: Int?
    }
}

enum MealSchema2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Meal.self, Guest.self]

    @Model
    struct Meal {
        #Index<Meal>([\.title])

        let id: ID
        @Attribute(.searchable) var title: String
        var portions: Int
        var isVegan: Bool = false
    }

    @Model
    struct Guest {
        let id: ID
        var meal: Meal.ID?
    }
}

enum MealPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [MealSchema1.self, MealSchema2.self]
    static var stages: [MigrationStage] {
        [
            .lightweight(
                fromVersion: MealSchema1.self, toVersion: MealSchema2.self,
                .rename(MealSchema1.Item.self, to: MealSchema2.Meal.self),
                .rename(\MealSchema1.Item.name, to: \MealSchema2.Meal.title),
                .drop(\MealSchema1.Item.userID),
                .fill(\MealSchema2.Meal.portions, with: 2))
        ]
    }
}

@Suite("The article on schema versions")
struct SchemaVersionsArticle {
    @Test("a plan is checked in a test")
    func plan() throws {
        let plan = try MigrationPlan(MealPlan.self)
        #expect(plan.schemas.count == 2)
    }

    @Test("a store is opened by its plan")
    func opening() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "switchyard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let url = "sqlite:" + directory.appending(path: "meals.sqlite").path
        let registry = try PluginRegistry([SQLitePlugin.self])
        let old = try await registry.open(url: url, schema: MealSchema1.self)
        try await old.write { _ = try $0.insert(MealSchema1.Item(name: "Soup", userID: "u")) }
        try await old.close()

        let store = try await registry.open(url: url, migrating: MealPlan.self) { status in
            if case .inProgress(let from, let to, let stage, let count) = status {
                print("Updating from \(from) to \(to), \(stage) of \(count) …")
            }
        }
        let meals = try await store.read { try $0.fetch(MealSchema2.Meal.all) }
        #expect(meals.map(\.title) == ["Soup"])
        #expect(meals.map(\.portions) == [2])
        #expect(meals.map(\.isVegan) == [false])
        try await store.close()
    }
}
