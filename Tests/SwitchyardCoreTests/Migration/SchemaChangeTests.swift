import Switchyard
import SwitchyardCore
import Testing

@Suite("Differences between two versions")
struct SchemaChangeTests {
    private static let id = Attribute("id", type: .uuid)

    private static func schema(_ entities: Entity..., version: Int = 1) throws -> Schema {
        try Schema(version: SchemaVersion(version), entities: entities)
    }

    /// The changes of one attribute, as sentences.
    private static func changes(_ old: Attribute, _ new: Attribute) throws -> [String] {
        var renames = SchemaRenames()
        if old.name != new.name { renames.rename(old.name, of: "Meal", to: new.name) }
        return try schema(Entity("Meal", attributes: [id, old])).changes(
            to: schema(Entity("Meal", attributes: [id, new]), version: 2), renaming: renames
        ).map(\.description)
    }

    @Test("a version that differs only in its number is the same")
    func same() throws {
        let meal = Entity("Meal", attributes: [Self.id, Attribute("name", type: .text)])
        #expect(try Self.schema(meal).changes(to: Self.schema(meal, version: 2)) == [])
    }

    @Test("new entities need nothing, and removed ones a declaration")
    func entities() throws {
        let (meal, drink) = (Entity("Meal", attributes: [Self.id]), Entity("Drink", attributes: [Self.id]))
        let changes = try Self.schema(meal).changes(to: Self.schema(drink, version: 2))
        #expect(changes.map(\.entity) == ["Drink", "Meal"])
        #expect(changes.map(\.kind) == [.added, .dropped])
        #expect(changes.map(\.need) == [.nothing, .declaration])
        #expect(
            changes.map(\.description) == [
                "Drink is new.",
                "Meal is dropped: its values would be lost; declare the drop, or the new name.",
            ])
    }

    @Test("a declared rename makes an entity or attribute the same")
    func renames() throws {
        let old = try Self.schema(
            Entity(
                "Meal", attributes: [Self.id, Attribute("name", type: .text)], indexes: [Index(["name"])]),
            Entity(
                "Course",
                attributes: [Self.id, Attribute("meal", type: .uuid, isOptional: true, reference: "Meal")]))
        let new = try Self.schema(
            Entity(
                "Dish", attributes: [Self.id, Attribute("title", type: .text)], indexes: [Index(["title"])]),
            Entity(
                "Course",
                attributes: [Self.id, Attribute("meal", type: .uuid, isOptional: true, reference: "Dish")]),
            version: 2)
        var renames = SchemaRenames()
        renames.rename("Meal", to: "Dish")
        renames.rename("name", of: "Meal", to: "title")
        #expect(
            try old.changes(to: new, renaming: renames).map(\.description)
                == ["Dish was called Meal.", "Dish.title was called name."])
    }

    @Test("a rename of a missing name is refused", arguments: [0, 1, 2, 3, 4])
    func wrongRenames(number: Int) throws {
        let old = try Self.schema(
            Entity("Meal", attributes: [Self.id, Attribute("name", type: .text)]),
            Entity("Drink", attributes: [Self.id, Attribute("a", type: .text), Attribute("b", type: .text)]))
        let new = try Self.schema(
            Entity("Meal", attributes: [Self.id, Attribute("name", type: .text)]),
            Entity("Drink", attributes: [Self.id, Attribute("b", type: .text)]), version: 2)
        var renames = SchemaRenames()
        switch number {
        case 0: renames.rename("Snack", to: "Meal")
        case 1: renames.rename("Drink", to: "Meal")
        case 2: renames.rename("a", of: "Drink", to: "b")
        case 3: renames.rename("name", of: "Meal", to: "title")
        default: renames.rename("id", of: "Meal", to: "name")
        }
        let error = #expect(throws: StoreError.self) { try old.changes(to: new, renaming: renames) }
        #expect(error?.code == .schemaInvalid)
    }

    @Test("a new attribute needs a value, unless it may be nil or has a default")
    func added() throws {
        let old = try Self.schema(Entity("Meal", attributes: [Self.id]))
        let new = try Self.schema(
            Entity(
                "Meal",
                attributes: [
                    Self.id, Attribute("note", type: .text, isOptional: true),
                    Attribute("kind", type: .text, defaultValue: .text("food")),
                    Attribute("size", type: .int),
                ]), version: 2)
        let changes = try old.changes(to: new)
        #expect(changes.map(\.part) == ["note", "kind", "size"])
        #expect(changes.map(\.need) == [.nothing, .nothing, .value])
    }

    @Test("a removed attribute needs a declaration")
    func dropped() throws {
        let old = try Self.schema(Entity("Meal", attributes: [Self.id, Attribute("userID", type: .text)]))
        let changes = try old.changes(to: Self.schema(Entity("Meal", attributes: [Self.id]), version: 2))
        #expect(changes.map(\.part) == ["userID"])
        #expect(changes.map(\.kind) == [.dropped])
        #expect(changes.map(\.need) == [.declaration])
    }

    @Test("nil needs a value if it is no longer allowed")
    func optionals() throws {
        let (may, must) = (
            Attribute("size", type: .int, isOptional: true), Attribute("size", type: .int)
        )
        #expect(try Self.changes(must, may) == ["Meal.size may be nil."])
        #expect(
            try Self.changes(may, must) == [
                "Meal.size may no longer be nil: say which value the rows get that have none."
            ])
    }

    @Test("only a type that holds all values exactly needs no conversion")
    func types() throws {
        func needs(_ old: Attribute, _ new: Attribute) throws -> [SchemaChange.Need] {
            try Self.schema(Entity("Meal", attributes: [Self.id, old])).changes(
                to: Self.schema(Entity("Meal", attributes: [Self.id, new]), version: 2)
            ).map(\.need)
        }
        let small = Attribute("n", type: .int, domain: .integers(range: -128...127))
        #expect(try needs(small, Attribute("n", type: .double)) == [.nothing])
        #expect(try needs(Attribute("n", type: .int), Attribute("n", type: .decimal)) == [.nothing])
        #expect(try needs(Attribute("n", type: .int), Attribute("n", type: .double)) == [.conversion])
        #expect(try needs(Attribute("n", type: .text), Attribute("n", type: .double)) == [.conversion])
        #expect(
            try needs(small, Attribute("n", type: .double, domain: .singlePrecision)) == [.conversion])
    }

    @Test("removed cases and narrower numbers need a conversion, and added ones do not")
    func limits() throws {
        let (few, more) = (
            Attribute("kind", type: .text, cases: [.text("a")]),
            Attribute("kind", type: .text, cases: [.text("a"), .text("b")])
        )
        #expect(try Self.changes(few, more) == ["Meal.kind allows more cases."])
        #expect(
            try Self.changes(more, few) == [
                "Meal.kind no longer allows \"b\": convert its values, or move them in a custom stage."
            ])
        #expect(try Self.changes(more, Attribute("kind", type: .text)) == ["Meal.kind allows more cases."])
        #expect(
            try Self.changes(Attribute("kind", type: .text), more) == [
                "Meal.kind allows only its cases: convert its values, or move them in a custom stage."
            ])
        let (byte, any) = (
            Attribute("n", type: .int, domain: .integers(range: 0...255)), Attribute("n", type: .int)
        )
        #expect(try Self.changes(byte, any) == ["Meal.n can hold more numbers."])
        #expect(
            try Self.changes(any, byte) == [
                "Meal.n can hold fewer numbers: convert its values, or move them in a custom stage."
            ])
    }

    @Test("a new unique constraint needs a rule for duplicates, and a removed one nothing")
    func constraints() throws {
        let attributes = [Self.id, Attribute("name", type: .text), Attribute("kind", type: .text)]
        let old = try Self.schema(
            Entity("Meal", attributes: attributes, indexes: [Index(["kind"])], uniqueConstraints: []))
        let new = try Self.schema(
            Entity(
                "Meal", attributes: attributes, indexes: [Index(["name", "kind"])],
                uniqueConstraints: [UniqueConstraint(["name"])]), version: 2)
        #expect(
            try old.changes(to: new).map { "\($0.part ?? "") \($0.kind) \($0.need)" } == [
                "index_Meal_name_kind index nothing", "index_Meal_kind noIndex nothing",
                "unique_Meal_name unique deduplication",
            ])
        #expect(
            try new.changes(to: old).map { "\($0.part ?? "") \($0.kind) \($0.need)" } == [
                "index_Meal_kind index nothing", "index_Meal_name_kind noIndex nothing",
                "unique_Meal_name notUnique nothing",
            ])
    }

    @Test("a new merge policy is no change")
    func policies() throws {
        func meal(_ isMerging: Bool) -> Entity {
            Entity(
                "Meal",
                attributes: [
                    Self.id, Attribute("name", type: .text),
                    Attribute("size", type: .int, merge: isMerging ? .counter : .lastEdit),
                ], uniqueConstraints: [UniqueConstraint(["name"], merge: isMerging ? .mergeInto : .reject)],
                deletedRows: isMerging ? .resurrect : .delete)
        }
        let (plain, merging) = try (Self.schema(meal(false)), Self.schema(meal(true), version: 2))
        #expect(try plain.changes(to: merging).isEmpty)
        #expect(try merging.changes(to: plain).isEmpty)
    }
}
