import Foundation
import GRDB
import Testing

@Suite("switchyard prints models for a database that is no store")
struct ScaffoldTests {
    let bench: Workbench

    init() throws { bench = try Workbench(program: "switchyard") }

    @Test("scaffold prints models and a plan for the tables of an SQLite file, and changes no byte")
    func scaffold() async throws {
        let queue = try DatabaseQueue(path: bench.url("recipes.db").path)
        try await queue.write {
            try $0.execute(
                sql: """
                    CREATE TABLE recipe (id INTEGER PRIMARY KEY, title TEXT NOT NULL, class TEXT);
                    CREATE TABLE step (id INTEGER PRIMARY KEY, recipe_id INTEGER NOT NULL REFERENCES recipe, words TEXT);
                    INSERT INTO recipe VALUES (1, 'Soup', NULL);
                    INSERT INTO step VALUES (1, 1, 'Boil'), (2, 1, 'Eat');
                    """)
        }
        try queue.close()
        let before = try bench.files()
        #expect(
            try await bench.succeed("scaffold", "recipes.db").output == """
                import Foundation
                import Switchyard
                import SwitchyardTransfer

                /// The models of a database, as its tables and values suggest them.
                enum RecipesSchema: VersionedSchema {
                    static let version = SchemaVersion(1)
                    static let models: [any Model.Type] = [Recipe.self, Step.self]

                    @Model
                    struct Recipe {
                        let id: ID
                        var title: String
                        var classValue: String?
                    }

                    @Model
                    struct Step {
                        let id: ID
                        var recipe: Recipe.ID
                        var words: String?
                    }
                }

                /// What the tables and columns become.
                func adoptionPlan() throws -> AdoptionPlan {
                    try AdoptionPlan(
                        RecipesSchema.self,
                        .table("recipe", as: RecipesSchema.Recipe.self,
                            .column("title", to: \\.title),
                            .column("class", to: \\.classValue)),
                        .table("step", as: RecipesSchema.Step.self,
                            .reference("recipe_id", to: \\.recipe),
                            .column("words", to: \\.words)))
                }


                """)
        #expect(try bench.files() == before)
    }
}
