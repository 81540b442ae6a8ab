import Switchyard
import SwitchyardCore
import SwitchyardLint
import Testing

private enum Shop1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Order.self]

    @Model
    struct Order {
        let id: ID
        var note: String
        var buyer: Buyer.ID?
    }

    @Model
    struct Buyer {
        let id: ID
    }
}

private enum Shop2: VersionedSchema {
    static let version = SchemaVersion(3)
    static let models: [any Model.Type] = [Order.self]

    @Model
    struct Order {
        let id: ID
        var size: Int
    }
}

private enum Shop3: VersionedSchema {
    static let version = SchemaVersion(4)
    static let models: [any Model.Type] = [Order.self]

    @Model
    struct Order {
        let id: ID
        var size: Int8
    }
}

private enum ShopPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Shop1.self, Shop2.self, Shop3.self]
    static var stages: [MigrationStage] {
        [
            .lightweight(fromVersion: Shop1.self, toVersion: Shop2.self, .drop(\Shop1.Order.note)),
            .lightweight(fromVersion: Shop2.self, toVersion: Shop3.self, .drop(\Shop2.Order.size)),
        ]
    }
}

@Suite("A whole plan")
struct WholePlanTests {
    private func keys(_ plan: LintedPlan) -> [String] { SchemaLint(plan).findings.map(\.key) }

    @Test("the lint reports all faults of a plan at once, in the order of its versions")
    func models() throws {
        #expect(
            SchemaLint(ShopPlan.self, lock: SchemaLock()).findings.map(\.key) == [
                "unfrozen-version 1.0.0",
                "relationship-out-of-version 1.0.0 Order.buyer",
                "version-gap 3.0.0", "unfrozen-version 3.0.0",
                "unfrozen-version 4.0.0", "numbers-narrowed 4.0.0 Order.size",
                "blocking-check 4.0.0 Order.size",
            ])
        #expect(throws: StoreError.self) { try MigrationPlan(ShopPlan.self) }
    }

    @Test("a plan that accounts for every value passes the lint, with notes on what blocks")
    func sound() {
        let sound = plan(
            [meal(a("name"), a("size", .int, optional: true))], [meal(a("title"), a("size", .int))],
            steps: [.rename("Meal.name", to: "Meal.title"), .fill("Meal.size", .int(1))])
        #expect(keys(sound) == ["blocking-rewrite 2.0.0 Meal.size"])
        #expect(!SchemaLint(sound).fails)
    }

    @Test("the lint reports a to-many whose inverse belongs to another one")
    func sharedInverse() {
        #expect(
            keys(
                plan([
                    meal(many: [many("guests", "Guest", by: "meal"), many("others", "Guest", by: "meal")]),
                    entity("Guest", ref("meal", "Meal")),
                ])) == ["broken-inverse 1.0.0 Meal.others"])
    }

    @Test("the lint reports each of several steps and attributes")
    func several() {
        #expect(
            keys(
                plan(
                    [meal(a("name"), a("size", .int))], [meal(a("day", .day))],
                    steps: [.wrong("It names nothing."), .drop("Meal.size"), .drop("Guest")])) == [
                    "invalid-step 2.0.0 Meal", "unneeded-step 2.0.0", "dropped-attribute 2.0.0 Meal.name",
                    "required-attribute-added 2.0.0 Meal.day",
                ])
    }

    @Test("the lint reports nothing about what the code of a stage writes")
    func rewritten() {
        #expect(
            keys(
                plan(
                    [meal(a("name")), entity("Guest", a("size", .int))],
                    [
                        meal(a("size", .int), unique: [UniqueConstraint(["id", "size"])]),
                        entity("Guest", a("size", .int, in: 0...9)),
                    ],
                    steps: [.rewrite("Meal")], code: true)) == [
                    "numbers-narrowed 2.0.0 Guest.size", "blocking-check 2.0.0 Guest.size",
                ])
    }
}
