import Foundation
import Switchyard
import SwitchyardCore
import Testing

@Suite("Contradictory schemas")
struct SchemaRefusalTests {
    private static let owner = Entity(
        "Owner", attributes: [Attribute("id", type: .uuid)],
        relationships: [Relationship("pets", target: "Pet", inverse: "owner", deleteRule: .cascade)])

    private static let isTame = Condition.compare(.attribute("tame"), .equal, .value(.bool(true)))

    /// What the schema of the owner and an entity `Pet` is refused with.
    private func refusal(
        of attributes: [Attribute] = [], relationships: [Relationship] = [], owner: Entity = Self.owner,
        indexes: [Index] = [], uniqueConstraints: [UniqueConstraint] = []
    ) throws -> String {
        let pet = Entity(
            "Pet",
            attributes: [
                Attribute("id", type: .uuid),
                Attribute("owner", type: .uuid, isOptional: true, reference: "Owner"),
                Attribute("tame", type: .bool), Attribute("age", type: .int),
            ] + attributes, relationships: relationships, indexes: indexes,
            uniqueConstraints: uniqueConstraints)
        let error = try #require(throws: StoreError.self) {
            try Schema(version: SchemaVersion(1), entities: [owner, pet])
        }
        #expect(error.code == .schemaInvalid)
        return error.message
    }

    @Test(
        "a policy that cannot merge values of an attribute is refused",
        arguments: [
            (Attribute("x", type: .text, merge: .counter), "which only a number can be"),
            (Attribute("x", type: .int, cases: [.int(1)], merge: .counter), "which only a number can be"),
            (Attribute("x", type: .json, merge: .maximum), "which only numbers, times, days and Bools have"),
            (Attribute("x", type: .uuid, reference: "Owner", merge: .minimum), "which only numbers"),
            (Attribute("x", type: .text, merge: .union), "which only an array can be"),
            (Attribute("x", type: .text, merge: .custom("")), "by a function without a name"),
            (Attribute("x", type: .int, history: .leftOut, merge: .maximum), "left out of the history"),
            (
                Attribute("x", type: .int, history: .withoutEarlierValues, merge: .counter),
                "which its history does not keep"
            ),
        ])
    func policy(attribute: Attribute, reason: String) throws {
        let message = try refusal(of: [attribute])
        #expect(message.hasPrefix("Pet merges `x` "))
        #expect(message.contains(reason))
    }

    @Test("policies that values can be merged by are accepted")
    func acceptedPolicies() throws {
        let attributes = [
            Attribute("id", type: .uuid), Attribute("a", type: .bool, merge: .maximum),
            Attribute("b", type: .day, isOptional: true, merge: .minimum),
            Attribute("c", type: .decimal, merge: .counter), Attribute("d", type: .json, merge: .union),
            Attribute("e", type: .blob, history: .withoutEarlierValues, merge: .custom("f")),
        ]
        #expect(throws: Never.self) {
            try Schema(version: SchemaVersion(1), entities: [Entity("Pet", attributes: attributes)])
        }
    }

    @Test("renaming by a key without a text is refused")
    func renaming() throws {
        let kind = Attribute("kind", type: .text, cases: [.text("cat")])
        let message = try refusal(
            of: [kind], uniqueConstraints: [UniqueConstraint(["age", "kind"], merge: .rename)])
        #expect(message.contains("has no text that can get a suffix"))
    }

    @Test("an id that is left out of the history is refused")
    func leftOutID() throws {
        let id = Attribute("id", type: .uuid, history: .leftOut)
        #expect(
            try refusal(owner: Entity("Owner", attributes: [id]))
                == "Owner leaves its `id` out of the history, which identifies rows by it.")
    }

    @Test(
        "a system column of PostgreSQL is refused as a name, in any spelling",
        arguments: ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid", "CTID"])
    func systemColumn(column: String) throws {
        #expect(
            try refusal(of: [Attribute("size", column: column, type: .int)])
                == "Pet has the column `\(column)`, which every table of PostgreSQL has already: rename the column."
        )
    }

    @Test("an attribute named like a system column may have another column")
    func renamedColumn() throws {
        let entity = Entity(
            "Pet",
            attributes: [Attribute("id", type: .uuid), Attribute("xmin", column: "least", type: .int)])
        #expect(try Schema(version: SchemaVersion(1), entities: [entity]).entities == [entity])
    }

    @Test(
        "a model cannot have the name of a key or an index",
        arguments: ["primary_Owner", "INDEX_Pet_age", "reference_Pet_owner"])
    func nameOfIndex(name: String) throws {
        let error = try #require(throws: StoreError.self) {
            try Schema(
                version: SchemaVersion(1),
                entities: [
                    Self.owner,
                    Entity(
                        "Pet",
                        attributes: [
                            Attribute("id", type: .uuid),
                            Attribute("owner", type: .uuid, isOptional: true, reference: "Owner"),
                            Attribute("age", type: .int),
                        ], indexes: [Index(["age"])]),
                    Entity(name, attributes: [Attribute("id", type: .uuid)]),
                ])
        }
        #expect(error.code == .schemaInvalid)
        #expect(error.message.contains("which \(name) has already: rename the model"))
    }

    @Test("the filter of an index or a unique constraint cannot ask about a to-many")
    func filter() throws {
        let hasPets = Condition.not(.exists(relationship: "pets", .constant(true)))
        let chosen = Condition.compare(
            .conditional(hasPets, .value(.int(1)), .value(.int(2))), .equal, .value(.int(1)))
        let message =
            "Owner has an index or a unique constraint whose filter asks about a to-many: a filter can ask "
            + "about its own row only."
        for owner in [
            Entity(
                "Owner", attributes: Self.owner.attributes, relationships: Self.owner.relationships,
                indexes: [Index(["id"], where: hasPets)]),
            Entity(
                "Owner", attributes: Self.owner.attributes, relationships: Self.owner.relationships,
                uniqueConstraints: [UniqueConstraint(["id"], where: .any([.constant(false), chosen]))]),
        ] {
            #expect(try refusal(owner: owner) == message)
        }
    }

    @Test("the filter of an index cannot calculate, which could fail on some backends")
    func calculation() throws {
        let filter = Condition.compare(
            .arithmetic(.attribute("age"), .add, .value(.int(1))), .greater, .value(.int(2)))
        #expect(
            try refusal(indexes: [Index(["age"], where: filter)])
                == "Pet has an index whose filter calculates, and could so keep a row from being written.")
    }

    @Test("one index or unique constraint declared twice is refused by its name")
    func duplicates() throws {
        #expect(
            try refusal(indexes: [Index(["age"]), Index(["tame"]), Index(["age"])])
                == "Pet declares the index or unique constraint `index_Pet_age` twice: remove one.")
        #expect(
            try refusal(uniqueConstraints: [
                UniqueConstraint(["age", "tame"]), UniqueConstraint(["age", "tame"]),
            ])
                == "Pet declares the index or unique constraint `unique_Pet_age_tame` twice: remove one.")
    }

    @Test("indexes and constraints that differ in order, filter or nils are different")
    func differentConstraints() throws {
        let entity = Entity(
            "Pet",
            attributes: [
                Attribute("id", type: .uuid), Attribute("tame", type: .bool),
                Attribute("age", type: .int, isOptional: true),
            ],
            indexes: [
                Index(["age", "tame"]), Index(["tame", "age"]), Index(["age"]),
                Index(["age"], where: Self.isTame),
            ],
            uniqueConstraints: [
                UniqueConstraint(["age"]), UniqueConstraint(["age"], where: Self.isTame),
                UniqueConstraint(["age"], nilsAreDistinct: false),
            ])
        #expect(try Schema(version: SchemaVersion(1), entities: [entity]).entities == [entity])
    }

    @Test("two to-manys over one inverse are refused")
    func inverses() throws {
        let owner = Entity(
            "Owner", attributes: Self.owner.attributes,
            relationships: [
                Relationship("pets", target: "Pet", inverse: "owner", deleteRule: .cascade),
                Relationship("animals", target: "Pet", inverse: "owner", deleteRule: .nullify),
            ])
        #expect(
            try refusal(owner: owner)
                == "Owner has the relationships `pets` and `animals` with one inverse, `Pet.owner`, which obeys one "
                + "delete rule: remove one of them.")
    }
}
