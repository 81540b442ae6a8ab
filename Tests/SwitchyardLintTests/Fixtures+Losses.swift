import Foundation
import SwitchyardCore
import SwitchyardLint

extension Fixtures {
    static let ofLosses = [
        fails("dropped-entity 2.0.0 Guest", plan([meal(), entity("Guest", a("name"))], [meal()])),
        fails(
            "dropped-entity 2.0.0 Guest",
            plan([entity("Guest", a("name"))], [entity("Cook", a("size", .int))])),
        passes("dropped-entity", plan([meal(), entity("Guest")], [meal()], steps: [.drop("Guest")])),
        passes(
            "dropped-entity",
            plan([entity("Guest")], [entity("Cook")], steps: [.rename("Guest", to: "Cook")])),

        fails("dropped-attribute 2.0.0 Meal.size", plan([meal(a("size", .int))], [meal()])),
        fails(
            "dropped-attribute 2.0.0 Dish.size",
            plan(
                [meal(a("size", .int))], [entity("Dish", a("note", optional: true))],
                steps: [.rename("Meal", to: "Dish")])),
        passes("dropped-attribute", plan([meal(a("size", .int))], [meal()], steps: [.drop("Meal.size")])),
        passes(
            "dropped-attribute",
            plan([meal(a("size", .int))], [meal()], steps: [.rewrite("Meal")], code: true)),

        fails(
            "undeclared-rename 2.0.0 Meal.name",
            plan([meal(a("name"))], [meal(a("title", optional: true))])),
        fails(
            "undeclared-rename 2.0.0 Guest",
            plan([entity("Guest", a("name"))], [entity("Cook", a("title"))])),
        passes(
            "undeclared-rename",
            plan([meal(a("name"))], [meal(a("title"))], steps: [.rename("Meal.name", to: "Meal.title")])),
        passes(
            "undeclared-rename", plan([meal(a("name"))], [meal(a("size", .int, optional: true))]),
            beside: ["dropped-attribute 2.0.0 Meal.name"]),

        fails("required-attribute-added 2.0.0 Meal.size", plan([meal()], [meal(a("size", .int))])),
        fails(
            "required-attribute-added 2.0.0 Meal.guest",
            plan([meal(), entity("Guest")], [meal(ref("guest", "Guest", optional: false)), entity("Guest")])),
        passes(
            "required-attribute-added", plan([meal()], [meal(a("size", .int, default: .int(1)))])),
        passes(
            "required-attribute-added",
            plan([meal()], [meal(a("size", .int))], steps: [.fill("Meal.size", .int(1))])),

        fails(
            "attribute-made-required 2.0.0 Meal.note",
            plan([meal(a("note", optional: true))], [meal(a("note"))])),
        fails(
            "attribute-made-required 2.0.0 Meal.size",
            plan([meal(a("size", .int, optional: true))], [meal(a("size", .int, default: .int(1)))])),
        passes(
            "attribute-made-required",
            plan(
                [meal(a("note", optional: true))], [meal(a("note"))],
                steps: [.fill("Meal.note", .text(""))]), beside: ["blocking-rewrite 2.0.0 Meal.note"]),
        passes(
            "attribute-made-required", plan([meal(a("note"))], [meal(a("note", optional: true))])),

        fails("type-changed 2.0.0 Meal.size", plan([meal(a("size"))], [meal(a("size", .int))])),
        fails(
            "type-changed 2.0.0 Meal.size", plan([meal(a("size", .int))], [meal(a("size", .double))])),
        passes(
            "type-changed", plan([meal(a("size", .int))], [meal(a("size", .decimal))]),
            beside: ["blocking-rewrite 2.0.0 Meal.size"]),
        passes(
            "type-changed", plan([meal(a("size", .int, in: 0...9))], [meal(a("size", .double))]),
            beside: ["blocking-rewrite 2.0.0 Meal.size"]),

        fails(
            "numbers-narrowed 2.0.0 Meal.size",
            plan([meal(a("size", .int))], [meal(a("size", .int, in: -128...127))])),
        fails(
            "numbers-narrowed 2.0.0 Meal.size",
            plan([meal(a("size", .int, in: 0...9))], [meal(a("size", .int, in: 1...10))])),
        passes(
            "numbers-narrowed", plan([meal(a("size", .int, in: 0...9))], [meal(a("size", .int, in: 0...10))]),
            beside: ["blocking-check 2.0.0 Meal.size"]),
        passes("numbers-narrowed", plan([meal(a("size", .int, in: 0...9))], [meal(a("size", .int))])),

        fails(
            "enum-cases-removed 2.0.0 Meal.kind",
            plan([meal(a("kind", cases: ["a", "b"]))], [meal(a("kind", cases: ["a"]))])),
        fails(
            "enum-cases-removed 2.0.0 Meal.kind",
            plan(
                [meal(a("kind", optional: true, cases: ["a"]))],
                [meal(a("kind", optional: true, cases: ["A"]))])),
        passes(
            "enum-cases-removed",
            plan([meal(a("kind", cases: ["a"]))], [meal(a("kind", cases: ["b", "a"]))]),
            beside: ["blocking-check 2.0.0 Meal.kind"]),
        passes("enum-cases-removed", plan([meal(a("kind", cases: ["a"]))], [meal(a("kind"))])),

        fails(
            "values-made-enum 2.0.0 Meal.kind", plan([meal(a("kind"))], [meal(a("kind", cases: ["a"]))])),
        fails(
            "values-made-enum 2.0.0 Dish.sort",
            plan(
                [meal(a("kind"))], [entity("Dish", a("sort", cases: ["a"]))],
                steps: [.rename("Meal", to: "Dish"), .rename("Meal.kind", to: "Dish.sort")])),
        passes("values-made-enum", plan([meal(a("kind", cases: ["a"]))], [meal(a("kind"))])),
        passes(
            "values-made-enum",
            plan([meal(a("kind"))], [meal(a("kind"), a("sort", optional: true, cases: ["a"]))])),

        fails(
            "reference-changed 2.0.0 Meal.for",
            plan(
                [meal(ref("for", "Guest")), entity("Guest"), entity("Cook")],
                [meal(ref("for", "Cook")), entity("Guest"), entity("Cook")])),
        fails(
            "reference-changed 2.0.0 Meal.for",
            plan([meal(a("for", .uuid)), entity("Guest")], [meal(ref("for", "Guest")), entity("Guest")])),
        passes(
            "reference-changed",
            plan(
                [meal(ref("for", "Guest")), entity("Guest")], [meal(ref("for", "Cook")), entity("Cook")],
                steps: [.rename("Guest", to: "Cook")]), beside: ["missing-inverse 2.0.0 Meal.for"]),
        passes(
            "reference-changed",
            plan(
                [meal(ref("for", "Guest")), entity("Guest")],
                [meal(a("for", .uuid, optional: true)), entity("Guest")])),

        fails(
            "unique-without-deduplication 2.0.0 Meal.unique_Meal_name",
            plan([meal(a("name"))], [meal(a("name"), unique: [unique("name")])])),
        fails(
            "unique-without-deduplication 2.0.0 Meal.unique_Meal_guest",
            plan(
                [
                    meal(a("name"), ref("guest", "Guest"), unique: [unique("guest")]),
                    entity("Guest", a("name")),
                ],
                [
                    meal(a("name"), ref("guest", "Guest"), unique: [unique("guest")]),
                    Entity(
                        "Guest", attributes: [a("id", .uuid), a("name")], uniqueConstraints: [unique("name")]),
                ], steps: [MigrationStep(kind: .success(.deduplicate("Guest", .keepFirst(SortKey("id")))))])),
        passes(
            "unique-without-deduplication", plan([], [meal(a("name"), unique: [unique("name")])]),
            beside: ["unique-across-devices 2.0.0 Meal.unique_Meal_name"]),
        passes(
            "unique-without-deduplication",
            plan(
                [meal(a("name"), unique: [unique("name")])], [meal(a("title"), unique: [unique("title")])],
                steps: [.rename("Meal.name", to: "Meal.title")]),
            beside: ["unique-across-devices 2.0.0 Meal.unique_Meal_title"]),
    ]

    static let ofRows = [
        fails(
            "constant-for-varying-value 2.0.0 Meal.time",
            plan([meal()], [meal(a("time", .timestamp))], steps: [.fill("Meal.time", .timestamp(0))])),
        fails(
            "constant-for-varying-value 2.0.0 Meal.code",
            plan(
                [meal(a("code", .uuid, optional: true))], [meal(a("code", .uuid))],
                steps: [.fill("Meal.code", .uuid(UUID()))])),
        passes(
            "constant-for-varying-value",
            plan([meal()], [meal(a("size", .int))], steps: [.fill("Meal.size", .int(1))])),
        passes(
            "constant-for-varying-value", plan([meal()], [meal(a("time", .timestamp, optional: true))])),

        fails(
            "constant-in-unique-key 1.0.0 Meal.unique_Meal_name",
            plan([meal(a("name", default: .text("")), unique: [unique("name")])])),
        fails(
            "constant-in-unique-key 2.0.0 Meal.unique_Meal_name_size",
            plan(
                [],
                [
                    meal(
                        a("name", default: .text("")), a("size", .int, default: .int(1)),
                        unique: [unique("name", "size")])
                ])),
        passes(
            "constant-in-unique-key", plan([meal(a("name"), unique: [unique("name")])]),
            beside: ["unique-across-devices 1.0.0 Meal.unique_Meal_name"]),
        passes(
            "constant-in-unique-key",
            plan([
                meal(a("name"), a("size", .int, default: .int(1)), unique: [unique("name", "size")])
            ]), beside: ["unique-across-devices 1.0.0 Meal.unique_Meal_name_size"]),

        fails(
            "default-changed 2.0.0 Meal.size",
            plan([meal(a("size", .int, default: .int(1)))], [meal(a("size", .int, default: .int(2)))])),
        fails(
            "default-changed 2.0.0 Meal.size",
            plan([meal(a("size", .int, default: .int(1)))], [meal(a("size", .int))])),
        passes(
            "default-changed", plan([meal(a("size", .int))], [meal(a("size", .int, default: .int(2)))])),
        passes(
            "default-changed",
            plan(
                [meal(a("size", .int, default: .int(1)))], [meal(a("size", .int, default: .int(2)))],
                steps: [.rewrite("Meal")], code: true)),

        fails(
            "cascade-introduced 2.0.0 Meal.guests",
            plan(
                [meal(many: [many("guests", "Guest", by: "meal")]), entity("Guest", ref("meal", "Meal"))],
                [
                    meal(many: [many("guests", "Guest", by: "meal", .cascade)]),
                    entity("Guest", ref("meal", "Meal")),
                ])),
        fails(
            "cascade-introduced 2.0.0 Meal.guests",
            plan(
                [
                    meal(many: [many("guests", "Guest", by: "meal", .deny)]),
                    entity("Guest", ref("meal", "Meal", optional: false)),
                ],
                [
                    meal(many: [many("guests", "Guest", by: "meal", .cascade)]),
                    entity("Guest", ref("meal", "Meal", optional: false)),
                ])),
        passes(
            "cascade-introduced",
            plan(
                [meal()],
                [
                    meal(many: [many("guests", "Guest", by: "meal", .cascade)]),
                    entity("Guest", ref("meal", "Meal")),
                ])),
        passes(
            "cascade-introduced",
            plan(
                [
                    meal(many: [many("guests", "Guest", by: "meal", .cascade)]),
                    entity("Guest", ref("meal", "Meal")),
                ],
                [meal(many: [many("guests", "Guest", by: "meal")]), entity("Guest", ref("meal", "Meal"))])),
    ]
}
