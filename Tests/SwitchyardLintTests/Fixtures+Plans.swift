import SwitchyardCore
import SwitchyardLint

extension Fixtures {
    static let ofPlans = [
        fails("empty-plan", LintedPlan([], [])),
        fails("empty-plan", LintedPlan([], [stage(1, 2)])),
        passes("empty-plan", plan([])),
        passes("empty-plan", plan([meal()], [meal(a("name", optional: true))])),

        fails("duplicate-version 2.0.0", LintedPlan([version(1), version(2), version(2)], [stage(1, 2)])),
        fails("duplicate-version 1.0.0", LintedPlan([version(1), version(2), version(1)], [stage(1, 2)])),
        passes(
            "duplicate-version", plan([meal()], [meal()], [meal()]),
            beside: ["unchanged-version 2.0.0", "unchanged-version 3.0.0"]),
        passes(
            "duplicate-version",
            LintedPlan([.init(SchemaVersion(1), []), .init(SchemaVersion(1, 0, 1), [])], []),
            beside: ["missing-stage 1.0.1"]),

        fails("version-order 1.0.0", LintedPlan([version(2), version(1)], [])),
        fails("version-order 2.0.0", LintedPlan([version(1), version(3), version(2), version(4)], [])),
        passes(
            "version-order", LintedPlan([version(1), version(2), version(4)], []),
            beside: ["missing-stage 2.0.0", "version-gap 4.0.0", "missing-stage 4.0.0"]),
        passes(
            "version-order",
            LintedPlan([.init(SchemaVersion(1, 9), []), .init(SchemaVersion(1, 10), [])], []),
            beside: ["missing-stage 1.10.0"]),

        fails("version-gap 3.0.0", LintedPlan([version(1), version(3)], [stage(1, 3)])),
        fails("version-gap 9.0.0", LintedPlan([version(1), version(2), version(9)], [])),
        passes("version-gap", LintedPlan([version(7), version(8)], []), beside: ["missing-stage 8.0.0"]),
        passes(
            "version-gap",
            LintedPlan([.init(SchemaVersion(1, 9), []), .init(SchemaVersion(2, 3, 1), [])], []),
            beside: ["missing-stage 2.3.1"]),

        fails("missing-stage 2.0.0", LintedPlan([version(1), version(2)], [])),
        fails(
            "missing-stage 3.0.0",
            LintedPlan([version(1), version(2), version(3)], [stage(1, 2), stage(1, 3)])),
        passes("missing-stage", LintedPlan([version(1)], [])),
        passes(
            "missing-stage", LintedPlan([version(1), version(3)], [stage(1, 3)]),
            beside: ["version-gap 3.0.0", "unchanged-version 3.0.0"]),

        fails("forked-version 1.0.0", LintedPlan([version(1), version(2)], [stage(1, 2), stage(1, 2)])),
        fails(
            "forked-version 1.0.0",
            LintedPlan([version(1), version(2), version(3)], [stage(1, 2), stage(1, 3), stage(2, 3)])),
        passes(
            "forked-version", plan([meal()], [meal()], [meal()]),
            beside: ["unchanged-version 2.0.0", "unchanged-version 3.0.0"]),
        passes("forked-version", LintedPlan([version(1), version(2)], []), beside: ["missing-stage 2.0.0"]),

        fails("misplaced-stage 3.0.0", LintedPlan([version(1), version(2), version(3)], [stage(1, 3)])),
        fails("misplaced-stage 1.0.0", LintedPlan([version(1), version(2)], [stage(1, 2), stage(2, 1)])),
        passes(
            "misplaced-stage", LintedPlan([version(1), version(4)], [stage(1, 4)]),
            beside: ["version-gap 4.0.0", "unchanged-version 4.0.0"]),
        passes("misplaced-stage", LintedPlan([version(1)], [])),

        fails("unchanged-version 2.0.0", plan([meal(a("name"))], [meal(a("name"))])),
        fails("unchanged-version 3.0.0", plan([meal(a("name"))], [meal()], [meal()])),
        passes("unchanged-version", plan([meal(a("name"))], [meal(a("name"), a("note", optional: true))])),
        passes("unchanged-version", plan([meal()], [meal()], steps: [.rewrite("Meal")], code: true)),
    ]

    private static func lock(_ text: String) -> SchemaLock? { try? SchemaLock(text: text) }

    /// The lines of a version as it was frozen.
    private static func lock(_ entities: Entity...) -> SchemaLock? {
        (try? Schema(version: SchemaVersion(1), entities: entities)).flatMap { lock($0.description) }
    }

    static let ofLocks = [
        fails(
            "changed-version 1.0.0",
            plan([meal(a("name"))], lock: lock(meal()))),
        fails(
            "changed-version 1.0.0",
            plan([meal()], lock: lock("schema 1.0.0 0000\nentity Meal\n  id: uuid\n"))),
        passes(
            "changed-version", plan([meal()], lock: lock(meal()))),
        passes("changed-version", plan([meal(a("name"))], lock: nil)),

        fails("removed-version 1.0.0", LintedPlan([version(2)], [], lock: lock("schema 1.0.0 ab\n"))),
        fails(
            "removed-version 3.0.0",
            plan([], lock: lock("schema 1.0.0 ab\n\nschema 3.0.0 ab\nentity Meal\n  id: uuid\n"))),
        passes(
            "removed-version", plan([], [], lock: lock("schema 1.0.0 ab\n")),
            beside: ["changed-version 1.0.0", "unchanged-version 2.0.0", "unfrozen-version 2.0.0"]),
        passes("removed-version", plan([])),

        fails("unfrozen-version 1.0.0", plan([meal()], lock: SchemaLock())),
        fails("unfrozen-version 2.0.0", plan([], [meal()], lock: lock("schema 1.0.0 ab\n"))),
        passes(
            "unfrozen-version", plan([meal()], lock: lock("schema 1.0.0 ab\n")),
            beside: ["changed-version 1.0.0"]),
        passes("unfrozen-version", plan([meal()], []), beside: ["dropped-entity 2.0.0 Meal"]),
    ]

    static let ofSteps = [
        fails("invalid-step 2.0.0 Meal", plan([meal()], [meal()], steps: [.wrong("It names nothing.")])),
        fails(
            "invalid-step 2.0.0 Dish", plan([meal()], [meal()], steps: [.rename("Meal", to: "Dish")])),
        passes(
            "invalid-step",
            plan([meal(a("name"))], [meal(a("title"))], steps: [.rename("Meal.name", to: "Meal.title")])),
        passes(
            "invalid-step", plan([meal()], [meal()], steps: [.drop("Dish")]),
            beside: ["unchanged-version 2.0.0", "unneeded-step 2.0.0"]),

        fails(
            "unneeded-step 2.0.0",
            plan([meal(a("name"))], [meal(a("name"))], steps: [.drop("Meal.name")])),
        fails(
            "unneeded-step 2.0.0",
            plan([meal()], [meal(a("note", optional: true))], steps: [.fill("Meal.note", .text("x"))])),
        passes("unneeded-step", plan([meal(a("name"))], [meal()], steps: [.drop("Meal.name")])),
        passes(
            "unneeded-step",
            plan([meal()], [meal(a("kind", cases: ["a"]))], steps: [.fill("Meal.kind", .text("b"))]),
            beside: ["refused-fill 2.0.0 Meal.kind", "required-attribute-added 2.0.0 Meal.kind"]),

        fails(
            "refused-fill 2.0.0 Meal.kind",
            plan([meal()], [meal(a("kind", cases: ["a"]))], steps: [.fill("Meal.kind", .text("b"))])),
        fails(
            "refused-fill 2.0.0 Meal.size",
            plan(
                [meal(a("size", .int, optional: true))], [meal(a("size", .int))],
                steps: [.fill("Meal.size", .null)])),
        passes(
            "refused-fill",
            plan([meal()], [meal(a("kind", cases: ["a"]))], steps: [.fill("Meal.kind", .text("a"))])),
        passes(
            "refused-fill",
            plan([meal()], [meal(a("size", .int, in: 0...9))], steps: [.fill("Meal.size", .int(9))])),
    ]
}
