import Foundation
import GRDB
import MemoryStore
import SQLiteStore
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import SwitchyardLint
import SwitchyardTransfer
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

enum RecipeSchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Recipe.self, Step.self]

    @Model
    struct Recipe {
        let id: ID
        var legacyID: Int
        var title: String
        var addedAt: Date
        var isVegan: Bool
    }

    @Model
    struct Step {
        let id: ID
        var recipe: Recipe.ID
        var words: String
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

enum MealSchema3: VersionedSchema {
    static let version = SchemaVersion(3)
    static let models: [any Model.Type] = [Meal.self, Side.self, Guest.self]

    @Model
    struct Meal {
        #Unique<Meal>([\.title])

        let id: ID
        @Attribute(.searchable) var title: String
        var grams: Double
        var isVegan: Bool = false
    }

    @Model
    struct Side {
        let id: ID
        var name: String
        var meal: Meal.ID
    }

    @Model
    struct Guest {
        let id: ID
        var meal: Meal.ID?
    }
}

enum LaterMealPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = MealPlan.schemas + [MealSchema3.self]
    static var stages: [MigrationStage] {
        MealPlan.stages + [
            .custom(
                fromVersion: MealSchema2.self, toVersion: MealSchema3.self,
                .convert(\MealSchema2.Meal.portions, to: \MealSchema3.Meal.grams) { Double($0) * 350 },
                .deduplicate(MealSchema3.Meal.self, keepingGreatest: \MealSchema3.Meal.grams)
            ) { old, new in
                try old.forEach(MealSchema2.Meal.all) { meal in
                    let sides = meal.title.components(separatedBy: " with ").dropFirst()
                    for (number, name) in sides.enumerated() {
                        let id = MealSchema3.Side.ID(derivedFrom: meal.id, "side \(number)")
                        try new.insert(MealSchema3.Side(id: id, name: name, meal: .init(meal.id.uuid)))
                    }
                }
            }
        ]
    }
}

enum MealSchema4: VersionedSchema {
    static let version = SchemaVersion(4)
    static let models: [any Model.Type] = [Meal.self]

    @Model
    struct Meal {
        #Unique<Meal>([\.title])

        let id: ID
        @Attribute(.searchable) var title: String
        var grams: Double
        var isVegan: Bool = false
        var initial: String = ""
    }
}

enum NewestMealPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = LaterMealPlan.schemas + [MealSchema4.self]
    static var stages: [MigrationStage] {
        LaterMealPlan.stages + [
            .lightweight(
                fromVersion: MealSchema3.self, toVersion: MealSchema4.self,
                .drop(MealSchema3.Side.self), .drop(MealSchema3.Guest.self),
                .backfill(\MealSchema4.Meal.initial) { String($0.title.prefix(1)) })
        ]
    }
}

private func tool() {
    SchemaLintTool.main(MealPlan.self)
}

@Suite("The article on schema versions")
struct SchemaVersionsArticle {
    @Test("a plan is checked in a test")
    func plan() throws {
        let plan = try MigrationPlan(MealPlan.self)
        #expect(plan.schemas.count == 2)
    }

    @Test("a plan is linted in a test, and its lock file is up to date")
    func lint() throws {
        var released = SchemaLock()
        _ = try released.freeze(MealPlan.self)
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "switchyard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "schema.lock").path
        try Data(released.text.utf8).write(to: URL(filePath: file))

        let lint = try SchemaLintTool(MealPlan.self, lockFile: file).lint()
        #expect(!lint.fails, "\(lint.text)")
    }

    @Test("the stages produce the same rows on every backend, with the same ids", arguments: [2, 3])
    func matrix(from version: Int) async throws {
        let matrix = try MigrationMatrix(
            LaterMealPlan.self, seed: 7, rows: 40,
            values: { entity, attribute, number in
                guard entity.name == "Meal", attribute.name == "title" else { return nil }
                return .text("Soup \(number) with bread with salt")
            }, reference: { MemoryStore.opener() },
            expecting: { before, after in
                guard before.schema.version == MealSchema2.version else { return }
                let count = before.rows(of: "Meal").count * 2
                try after.expect("Side", has: "meal", true)
                #expect(after.rows(of: "Side").count == count)
            })
        let sqlite = MigrationMatrix.Backend("sqlite") { body in
            let directory = FileManager.default.temporaryDirectory.appending(
                path: "switchyard-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            let registry = try PluginRegistry([SQLitePlugin.self])
            let url = "sqlite:" + directory.appending(path: "meals.sqlite").path
            try await body { try await registry.open(url: url, schema: $0, options: $1) }
        }
        try await matrix.verify(from: SchemaVersion(version), on: [sqlite])
    }

    @Test("a store is opened with its plan")
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
            if case .inProgress(let progress) = status {
                print("Stage \(progress.stage) of \(progress.count): \(Int(progress.fraction * 100)) %")
            }
        }
        let meals = try await store.read { try $0.fetch(MealSchema2.Meal.all) }
        #expect(meals.map(\.title) == ["Soup"])
        #expect(meals.map(\.portions) == [2])
        #expect(meals.map(\.isVegan) == [false])
        try await store.close()
    }

    @Test("a store between two versions is repaired")
    func repair() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "switchyard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let url = "sqlite:" + directory.appending(path: "meals.sqlite").path
        let registry = try PluginRegistry([SQLitePlugin.self])
        let old = try await registry.open(url: url, schema: MealSchema1.self)
        try await old.write { _ = try $0.insert(MealSchema1.Item(name: "Soup", userID: "u")) }
        // The tables are those of the version before.
        try await old.write(.ofMarker) { tx in
            var marker = try tx.driver.maintenance.marker()
            marker.schema = try MealSchema2.schema
            try tx.driver.maintenance.setMarker(marker)
        }
        try await old.close()

        let diagnosis = try await registry.diagnose(url: url, migrating: MealPlan.self)
        for finding in diagnosis.findings { print(finding.code, finding.table ?? "marker", finding.message) }
        if diagnosis.canBeRepaired {
            let report = try await registry.repair(url: url, migrating: MealPlan.self)
            print(report.diagnosis.operations.map(\.message), report.backup ?? "no copy")
        }
        let repaired = try await registry.open(url: url, migrating: MealPlan.self)
        #expect(diagnosis.findings.map(\.code) == [.markerOfOtherVersion])
        #expect(diagnosis.version == MealSchema1.version)
        #expect(try await repaired.read { try $0.fetch(MealSchema2.Meal.all) }.map(\.title) == ["Soup"])
        try await repaired.close()
    }

    @Test("a stage converts, splits and removes duplicates, after a preview")
    func code() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "switchyard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let url = "sqlite:" + directory.appending(path: "meals.sqlite").path
        let registry = try PluginRegistry([SQLitePlugin.self])
        let old = try await registry.open(url: url, schema: MealSchema2.self)
        try await old.write { tx in
            for portions in [1, 2] {
                let meal = MealSchema2.Meal(title: "Soup with bread", portions: portions)
                try tx.insert(meal)
                try tx.insert(MealSchema2.Guest(meal: meal.id))
            }
        }
        try await old.close()

        let preview = try await registry.preview(url: url, migrating: LaterMealPlan.self)
        for stage in preview.stages {
            for table in stage.tables { print(table.entity, table.fate, table.rows ?? 0, table.changes) }
        }
        for part in preview.unknownParts { print(part) }
        #expect(preview.unknownParts == [])
        #expect(preview.stages.map { $0.tables.map(\.entity) } == [["Meal", "Side"]])

        let store = try await registry.open(url: url, migrating: LaterMealPlan.self)
        let (meals, sides, guests) = try await store.read { tx in
            (
                try tx.fetch(MealSchema3.Meal.all), try tx.fetch(MealSchema3.Side.all),
                try tx.fetch(MealSchema3.Guest.all)
            )
        }
        #expect(meals.map(\.grams) == [700])
        #expect(sides.map(\.name) == ["bread", "bread"])
        #expect((sides.map(\.meal) + guests.compactMap(\.meal)) == Array(repeating: meals[0].id, count: 4))
        try await store.close()

        let newest = try await registry.open(url: url, migrating: NewestMealPlan.self)
        let initials = try await newest.read { try $0.fetch(MealSchema4.Meal.all).map(\.initial) }
        #expect(initials == ["S"])
        try await newest.close()
    }

    @Test("a database that Switchyard did not create is converted")
    func conversion() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "switchyard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let recipes = directory.appending(path: "recipes.db")
        try await DatabaseQueue(path: recipes.path).write {
            try $0.execute(
                sql: """
                    CREATE TABLE recipes (id INTEGER PRIMARY KEY, title TEXT NOT NULL, added_at INTEGER, is_vegan BOOLEAN,
                        thumbnail BLOB);
                    CREATE TABLE step (id INTEGER PRIMARY KEY, recipe_id INTEGER REFERENCES recipes, words TEXT NOT NULL);
                    CREATE TABLE grdb_migrations (identifier TEXT PRIMARY KEY);
                    INSERT INTO recipes VALUES (7, 'Soup', 1700000000, 1, x'00');
                    INSERT INTO step VALUES (1, 7, 'Cook');
                    """)
        }
        let url = "sqlite:" + directory.appending(path: "new.sqlite").path
        let registry = try PluginRegistry([SQLitePlugin.self])

        let plan = try AdoptionPlan(
            RecipeSchema.self,
            .table(
                "recipes", as: RecipeSchema.Recipe.self,
                .column("id", to: \.legacyID),
                .column("added_at", to: \.addedAt, .date(.unixSeconds)),
                .ignored("thumbnail")),
            .ignored("grdb_migrations"))

        let database = try registry.foreignDatabase(url: "sqlite:" + recipes.path)
        let preview = try await plan.preview(database)
        for fault in preview.faults { print(fault) }
        #expect(preview.isPossible)

        let place = StorePlace(url: url, registry: registry, schema: try RecipeSchema.schema)
        let report = try await plan.run(from: database, into: place)
        #expect(report.tables.map(\.rows) == [1, 1])

        let store = try await registry.open(url: url, schema: RecipeSchema.self)
        let (found, steps) = try await store.read { tx in
            (try tx.fetch(RecipeSchema.Recipe.all), try tx.fetch(RecipeSchema.Step.all))
        }
        #expect(found.map(\.legacyID) == [7])
        #expect(found.map(\.addedAt) == [Date(timeIntervalSince1970: 1_700_000_000)])
        #expect(steps.map(\.recipe) == found.map(\.id))
        try await store.close()
    }

    @Test("a database with the tables of a version becomes a store in place")
    func inPlace() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "switchyard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "meals.sqlite").path
        let url = "sqlite:" + file
        let registry = try PluginRegistry([SQLitePlugin.self])
        try await DatabaseQueue(path: file).write {
            try $0.execute(
                sql: """
                    CREATE TABLE Item (id BLOB NOT NULL CONSTRAINT "check_Item_id" CHECK (length(id) = 16), name TEXT NOT NULL,
                        userID TEXT NOT NULL, portions INTEGER, CONSTRAINT "primary_Item" PRIMARY KEY (id)) STRICT, WITHOUT ROWID
                    """)
        }

        let found = try await registry.previewAdoption(url: url, as: MealPlan.self)
        for difference in found.differences { print(difference) }
        if found.isPossible { try await registry.adopt(url: url, as: MealPlan.self) }
        #expect(found.differences == [])

        let store = try await registry.open(url: url, migrating: MealPlan.self)
        #expect(try await store.marker().schema.version == SchemaVersion(2))
        try await store.close()
    }
}
