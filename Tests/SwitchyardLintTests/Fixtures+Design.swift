import SwitchyardCore
import SwitchyardLint

extension Fixtures {
    private static let long = String(repeating: "n", count: 64)
    private static let fitting = String(repeating: "n", count: 63)

    static let ofRelationships = [
        fails("relationship-out-of-version 1.0.0 Meal.guest", plan([meal(ref("guest", "Guest"))])),
        fails(
            "relationship-out-of-version 2.0.0 Meal.guests",
            plan([meal()], [meal(many: [many("guests", "Guest", by: "meal")])])),
        passes(
            "relationship-out-of-version", plan([meal(ref("guest", "Guest")), entity("Guest")]),
            beside: ["missing-inverse 1.0.0 Meal.guest"]),
        passes(
            "relationship-out-of-version", plan([meal(ref("of", "Meal"))]),
            beside: ["missing-inverse 1.0.0 Meal.of"]),

        fails(
            "broken-inverse 1.0.0 Meal.guests",
            plan([meal(many: [many("guests", "Guest", by: "meal")]), entity("Guest", a("meal", .uuid))])),
        fails(
            "broken-inverse 1.0.0 Meal.guests",
            plan([
                meal(many: [many("guests", "Guest", by: "meal")]),
                entity("Guest", ref("meal", "Meal", optional: false)),
            ])),
        passes(
            "broken-inverse",
            plan([meal(many: [many("guests", "Guest", by: "meal")]), entity("Guest", ref("meal", "Meal"))])),
        passes(
            "broken-inverse",
            plan([
                meal(many: [many("guests", "Guest", by: "meal", .deny)]),
                entity("Guest", ref("meal", "Meal", optional: false)),
            ]), beside: ["required-reference-across-devices 1.0.0 Guest.meal"]),

        fails("missing-inverse 1.0.0 Meal.guest", plan([meal(ref("guest", "Guest")), entity("Guest")])),
        fails(
            "missing-inverse 2.0.0 Guest.next",
            plan(
                [meal()],
                [
                    meal(many: [many("guests", "Guest", by: "meal")]),
                    entity("Guest", ref("meal", "Meal"), ref("next", "Meal")),
                ])),
        passes(
            "missing-inverse",
            plan([meal(many: [many("guests", "Guest", by: "meal")]), entity("Guest", ref("meal", "Meal"))])),
        passes(
            "missing-inverse",
            plan([meal(ref("guest", "Guest")), entity("Guest")], [meal()], steps: [.drop("Guest")]),
            beside: ["dropped-attribute 2.0.0 Meal.guest"]),

        fails(
            "cascade-cycle 1.0.0 Meal",
            plan([meal(ref("of", "Meal"), many: [many("parts", "Meal", by: "of", .cascade)])])),
        fails(
            "cascade-cycle 1.0.0 Guest",
            plan([
                meal(ref("host", "Guest"), many: [many("guests", "Guest", by: "meal", .cascade)]),
                entity("Guest", ref("meal", "Meal"), many: [many("meals", "Meal", by: "host", .cascade)]),
            ])),
        passes(
            "cascade-cycle",
            plan([
                meal(ref("host", "Guest"), many: [many("guests", "Guest", by: "meal", .cascade)]),
                entity("Guest", ref("meal", "Meal"), many: [many("meals", "Meal", by: "host")]),
            ])),
        passes(
            "cascade-cycle",
            plan(
                [meal(ref("of", "Meal"), many: [many("parts", "Meal", by: "of", .cascade)])],
                [meal(ref("of", "Meal"), many: [many("parts", "Meal", by: "of")])])),

        fails("required-cycle 1.0.0 Meal", plan([meal(ref("of", "Meal", optional: false))])),
        fails(
            "required-cycle 1.0.0 Cook",
            plan([
                meal(ref("guest", "Guest", optional: false)),
                entity("Guest", ref("cook", "Cook", optional: false)),
                entity("Cook", ref("meal", "Meal", optional: false)),
            ])),
        passes("required-cycle", plan([meal(ref("of", "Meal"))]), beside: ["missing-inverse 1.0.0 Meal.of"]),
        passes(
            "required-cycle",
            plan([
                meal(ref("guest", "Guest", optional: false)),
                entity("Guest", ref("cook", "Cook", optional: false)),
                entity("Cook", ref("meal", "Meal")),
            ]),
            beside: [
                "missing-inverse 1.0.0 Cook.meal", "missing-inverse 1.0.0 Guest.cook",
                "missing-inverse 1.0.0 Meal.guest", "required-reference-across-devices 1.0.0 Guest.cook",
                "required-reference-across-devices 1.0.0 Meal.guest",
            ]),
    ]

    static let ofNames = [
        fails("identifier-length 1.0.0 Meal.\(long)", plan([meal(a(long))])),
        fails("identifier-length 1.0.0 Meal.name", plan([meal(a("name", column: long))])),
        passes("identifier-length", plan([meal(a(fitting))])),
        passes("identifier-length", plan([meal(a("name", column: fitting))])),

        fails("identifier-characters 1.0.0 Meal.größe", plan([meal(a("größe"))])),
        fails("identifier-characters 1.0.0 Meal.name", plan([meal(a("name", column: "the name"))])),
        passes("identifier-characters", plan([meal(a("name_2"))])),
        passes("identifier-characters", plan([meal(a("NAME", column: "_n"))])),

        fails("identifier-case 1.0.0 Meal.Name", plan([meal(a("name"), a("Name"))])),
        fails("identifier-case 1.0.0 meal", plan([meal(), entity("meal")])),
        passes("identifier-case", plan([meal(a("name"), a("name2"))])),
        passes("identifier-case", plan([meal(a("meal")), entity("Guest", a("meal"))])),

        fails("reserved-identifier 1.0.0 Meal.xmin", plan([meal(a("xmin", .int))])),
        fails("reserved-identifier 1.0.0 Sqlite_meal", plan([entity("Sqlite_meal")])),
        passes("reserved-identifier", plan([meal(a("xmin", .int, column: "x_min"))])),
        passes("reserved-identifier", plan([entity("Ctid", a("switchyard"))])),

        fails(
            "case-only-rename 2.0.0 Meal.userID",
            plan([meal(a("userId"))], [meal(a("userID"))], steps: [.rename("Meal.userId", to: "Meal.userID")])
        ),
        fails(
            "case-only-rename 2.0.0 MEAL",
            plan([meal()], [entity("MEAL")], steps: [.rename("Meal", to: "MEAL")])),
        passes(
            "case-only-rename",
            plan([meal(a("name"))], [meal(a("title"))], steps: [.rename("Meal.name", to: "Meal.title")])),
        passes(
            "case-only-rename",
            plan([meal()], [entity("Dish")], steps: [.rename("Meal", to: "Dish")])),
    ]

    static let ofKeys = [
        fails("invalid-id 1.0.0 Meal.id", plan([Entity("Meal", attributes: [a("name")])])),
        fails("invalid-id 1.0.0 Meal.id", plan([Entity("Meal", attributes: [a("id", .int)])])),
        passes("invalid-id", plan([meal(a("name"))])),
        passes("invalid-id", plan([meal()], [meal(a("number", .int, optional: true))])),

        fails(
            "counter-key 1.0.0 Meal.unique_Meal_number",
            plan([meal(a("number", .int), unique: [unique("number")])])),
        fails(
            "counter-key 2.0.0 Meal.unique_Meal_number",
            plan(
                [meal(a("number", .int))],
                [meal(a("number", .int), unique: [unique("number")])])),
        passes("counter-key", plan([meal(a("number", .int))])),
        passes(
            "counter-key", plan([meal(a("code"), unique: [unique("code")])]),
            beside: ["unique-across-devices 1.0.0 Meal.unique_Meal_code"]),

        fails(
            "floating-point-key 1.0.0 Meal.unique_Meal_size",
            plan([meal(a("size", .double), unique: [unique("size")])])),
        fails(
            "floating-point-key 1.0.0 Meal.unique_Meal_name_size",
            plan([meal(a("name"), a("size", .double), unique: [unique("name", "size")])])),
        passes(
            "floating-point-key", plan([meal(a("size", .decimal), unique: [unique("size")])]),
            beside: ["unique-across-devices 1.0.0 Meal.unique_Meal_size"]),
        passes("floating-point-key", plan([meal(a("size", .double), index: [["size"]])])),

        fails(
            "unique-across-devices 1.0.0 Meal.unique_Meal_name",
            plan([meal(a("name"), unique: [unique("name")])])),
        fails(
            "unique-across-devices 2.0.0 Meal.unique_Meal_day_name",
            plan([], [meal(a("day", .day), a("name"), unique: [unique("day", "name")])])),
        passes(
            "unique-across-devices",
            plan([meal(ref("guest", "Guest"), unique: [unique("guest")]), entity("Guest")]),
            beside: ["missing-inverse 1.0.0 Meal.guest"]),
        passes("unique-across-devices", plan([meal(a("name"), index: [["name"]])])),

        fails(
            "required-reference-across-devices 1.0.0 Meal.guest",
            plan([meal(ref("guest", "Guest", optional: false)), entity("Guest")])),
        fails(
            "required-reference-across-devices 2.0.0 Meal.of",
            plan([meal()], [meal(ref("of", "Meal", optional: false))])),
        passes(
            "required-reference-across-devices", plan([meal(ref("guest", "Guest")), entity("Guest")]),
            beside: ["missing-inverse 1.0.0 Meal.guest"]),
        passes("required-reference-across-devices", plan([meal(a("guest", .uuid))])),
    ]

    static let ofLocking = [
        fails(
            "blocking-index 2.0.0 Meal.index_Meal_name",
            plan([meal(a("name"))], [meal(a("name"), index: [["name"]])])),
        fails(
            "blocking-index 2.0.0 Meal.unique_Meal_name",
            plan([meal(a("name"))], [meal(a("name"), unique: [unique("name")])])),
        passes("blocking-index", plan([], [meal(a("name"), index: [["name"]])])),
        passes("blocking-index", plan([meal(a("name"), index: [["name"]])], [meal(a("name"))])),

        fails(
            "blocking-rewrite 2.0.0 Meal.size", plan([meal(a("size", .int))], [meal(a("size", .decimal))])),
        fails(
            "blocking-rewrite 2.0.0 Meal.note",
            plan(
                [meal(a("note", optional: true))], [meal(a("note"))],
                steps: [.fill("Meal.note", .text(""))])),
        passes(
            "blocking-rewrite",
            plan([meal()], [meal(a("note"))], steps: [.fill("Meal.note", .text(""))])),
        passes("blocking-rewrite", plan([meal(a("note"))], [meal(a("note", optional: true))])),

        fails(
            "blocking-check 2.0.0 Meal.kind",
            plan([meal(a("kind", cases: ["a"]))], [meal(a("kind", cases: ["a", "b"]))])),
        fails(
            "blocking-check 2.0.0 Meal.size",
            plan([meal(a("size", .int, in: 0...9))], [meal(a("size", .int, in: 0...10))])),
        passes("blocking-check", plan([meal(a("kind", cases: ["a"]))], [meal(a("kind"))])),
        passes("blocking-check", plan([meal(a("size", .int, in: 0...9))], [meal(a("size", .int))])),

        fails(
            "blocking-reference 2.0.0 Meal.guest",
            plan([meal(), entity("Guest")], [meal(ref("guest", "Guest")), entity("Guest")])),
        fails(
            "blocking-reference 2.0.0 Meal.of",
            plan([meal(a("of", .uuid))], [meal(ref("of", "Meal", optional: false))])),
        passes(
            "blocking-reference", plan([entity("Guest")], [meal(ref("guest", "Guest")), entity("Guest")]),
            beside: ["missing-inverse 2.0.0 Meal.guest"]),
        passes(
            "blocking-reference",
            plan(
                [meal(ref("guest", "Guest")), entity("Guest")],
                [meal(a("guest", .uuid, optional: true)), entity("Guest")])),

        fails(
            "index-over-long-text 2.0.0 Meal.index_Meal_name",
            plan([meal(a("name"))], [meal(a("name"), index: [["name"]])])),
        fails(
            "index-over-long-text 2.0.0 Meal.index_Meal_size_data",
            plan(
                [meal(a("size", .int), a("data", .blob))],
                [meal(a("size", .int), a("data", .blob), index: [["size", "data"]])])),
        passes(
            "index-over-long-text",
            plan([meal(a("kind", cases: ["a"]))], [meal(a("kind", cases: ["a"]), index: [["kind"]])]),
            beside: ["blocking-index 2.0.0 Meal.index_Meal_kind"]),
        passes(
            "index-over-long-text",
            plan([meal(a("size", .int))], [meal(a("size", .int), index: [["size"]])]),
            beside: ["blocking-index 2.0.0 Meal.index_Meal_size"]),
    ]

    static let ofOthers = [
        fails("invalid-schema 1.0.0 Meal", plan([meal(index: [["name"]])])),
        fails("invalid-schema 2.0.0 Meal", plan([], [meal(a("size", .int, searchable: true))])),
        passes("invalid-schema", plan([meal(a("name"), index: [["name"]])])),
        passes(
            "invalid-schema", plan([meal(ref("guest", "Guest"))]),
            beside: ["relationship-out-of-version 1.0.0 Meal.guest"]),

        fails("unused-acceptance", plan([meal()]), accepting: accept("cascade-cycle 1.0.0 Meal")),
        fails(
            "unused-acceptance", plan([meal()], [meal(a("size", .int))]),
            accepting: accept("required-attribute-added 1.0.0 Meal.size")),
        passes(
            "unused-acceptance", plan([meal()], [meal(a("size", .int))]),
            beside: ["required-attribute-added 2.0.0 Meal.size"]),
        passes("unused-acceptance", plan([meal()])),
    ]
}
