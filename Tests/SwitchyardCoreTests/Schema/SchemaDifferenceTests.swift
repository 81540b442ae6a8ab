import Foundation
import Switchyard
import SwitchyardCore
import Testing

@Suite("Differences between schemas")
struct SchemaDifferenceTests {
    private static let attributes = [
        Attribute("id", type: .uuid), Attribute("name", type: .text), Attribute("age", type: .int),
        Attribute("parent", type: .uuid, isOptional: true, reference: "Pet"),
        Attribute("keeper", type: .uuid, isOptional: true, reference: "Pet"),
    ]

    private func schema(
        _ attributes: [Attribute] = Self.attributes, relationships: [Relationship] = [],
        indexes: [Index] = [], uniqueConstraints: [UniqueConstraint] = []
    ) throws -> Schema {
        try Schema(
            version: SchemaVersion(1),
            entities: [
                Entity(
                    "Pet", attributes: attributes, relationships: relationships, indexes: indexes,
                    uniqueConstraints: uniqueConstraints)
            ])
    }

    @Test("the same schema has no differences")
    func same() throws {
        #expect(try schema().differences(from: schema()).isEmpty)
    }

    @Test("a different order of attributes is a difference, and named")
    func order() throws {
        var swapped = Self.attributes
        swapped.swapAt(1, 2)
        #expect(
            try schema().differences(from: schema(swapped)) == [
                "Pet has its attributes in another order: in the store id, name, age, parent, keeper; in the app "
                    + "id, age, name, parent, keeper"
            ])
        let relationships = [
            Relationship("children", target: "Pet", inverse: "parent", deleteRule: .deny),
            Relationship("kept", target: "Pet", inverse: "keeper", deleteRule: .nullify),
        ]
        let indexes = [Index(["name"]), Index(["age"])]
        let constraints = [UniqueConstraint(["name"]), UniqueConstraint(["name", "age"])]
        let mine = try schema(
            relationships: relationships, indexes: indexes, uniqueConstraints: constraints)
        let theirs = try schema(
            relationships: relationships.reversed(), indexes: indexes.reversed(),
            uniqueConstraints: constraints.reversed())
        #expect(
            mine.differences(from: theirs) == [
                "Pet has its relationships in another order: in the store children, kept; in the app kept, children",
                "Pet has its indexes in another order: in the store index_Pet_name, index_Pet_age; in the app "
                    + "index_Pet_age, index_Pet_name",
                "Pet has its unique constraints in another order: in the store unique_Pet_name, "
                    + "unique_Pet_name_age; in the app unique_Pet_name_age, unique_Pet_name",
            ])
    }

    @Test("a store with the attributes in another order is refused with a reason")
    func admission() throws {
        var swapped = Self.attributes
        swapped.swapAt(1, 2)
        let marker = try StoreMarker(schema: schema())
        let error = try #require(throws: StoreError.self) { try marker.admit(try schema(swapped)) }
        #expect(
            error.message
                == "The store and the app both have schema version 1.0.0, but not the same schema: "
                + "Pet has its attributes in another order: in the store id, name, age, parent, keeper; in the app "
                + "id, age, name, parent, keeper. Give the changed schema a new version; nothing was changed."
        )
    }

    @Test("a difference shows a filter as Swift spells it")
    func filter() throws {
        let filter = Condition.all([
            .compare(.attribute("parent"), .notEqual, .value(.null)),
            .compare(.attribute("name"), .equal, .value(.text("Tom"))),
        ])
        #expect(
            try schema(indexes: [Index(["age"], where: filter)]).differences(from: schema()) == [
                "the store has Pet: index (age) where parent != nil && name == \"Tom\""
            ])
    }

    @Test("a difference quotes a text so that it cannot be taken for several")
    func quoting() throws {
        func schema(_ cases: String...) throws -> Schema {
            try self.schema([
                Attribute("id", type: .uuid),
                Attribute("kind", type: .text, cases: cases.map(StoredValue.text)),
            ])
        }
        let (one, two) = try (schema(#"a", "b"#), schema("a", "b"))
        #expect(one.description.hasSuffix(#"kind: text in ("a\", \"b")"#))
        #expect(two.description.hasSuffix(#"kind: text in ("a", "b")"#))
        #expect(try schema("a\nb\\").description.hasSuffix(#"kind: text in ("a\nb\\")"#))
        #expect(one.fingerprint != two.fingerprint)
    }

    @Test("filters that print alike and are written differently have different fingerprints")
    func filters() throws {
        let term = Condition.compare(.attribute("parent"), .notEqual, .value(.null))
        let (plain, wrapped) = try (
            schema(indexes: [Index(["age"], where: term)]),
            schema(indexes: [Index(["age"], where: .all([term]))])
        )
        #expect(plain.fingerprint != wrapped.fingerprint)
    }

    @Test("history options are kept with the schema, but are not part of its structure")
    func history() throws {
        let partial = try Schema(
            version: SchemaVersion(1),
            entities: [
                Entity(
                    "Pet",
                    attributes: [
                        Attribute("id", type: .uuid), Attribute("name", type: .text, history: .leftOut),
                        Attribute("photo", type: .blob, history: .withoutEarlierValues),
                    ], isLeftOutOfHistory: true)
            ])
        let whole = try schema([
            Attribute("id", type: .uuid), Attribute("name", type: .text), Attribute("photo", type: .blob),
        ])
        #expect(partial != whole)
        #expect(partial.fingerprint == whole.fingerprint)
        #expect(partial.differences(from: whole).isEmpty)
        for schema in [partial, whole] {
            let json = try JSONEncoder().encode(schema)
            #expect(try JSONDecoder().decode(Schema.self, from: json) == schema)
        }
        let json = String(decoding: try JSONEncoder().encode(whole), as: UTF8.self)
        #expect(!json.contains("istory"))
    }

    @Test("merge policies are kept with the schema, but are not part of its structure")
    func policies() throws {
        func schema(_ isMerging: Bool) throws -> Schema {
            try Schema(
                version: SchemaVersion(1),
                entities: [
                    Entity(
                        "Pet",
                        attributes: [
                            Attribute("id", type: .uuid), Attribute("name", type: .text),
                            Attribute("age", type: .int, merge: isMerging ? .maximum : .lastEdit),
                            Attribute("memo", type: .text, merge: isMerging ? .custom("longer") : .lastEdit),
                        ],
                        uniqueConstraints: [UniqueConstraint(["name"], merge: isMerging ? .rename : .reject)],
                        deletedRows: isMerging ? .resurrect : .delete)
                ])
        }
        let (merging, plain) = try (schema(true), schema(false))
        #expect(merging != plain)
        #expect(merging.fingerprint == plain.fingerprint)
        #expect(merging.differences(from: plain).isEmpty)
        for schema in [merging, plain] {
            let json = try JSONEncoder().encode(schema)
            #expect(try JSONDecoder().decode(Schema.self, from: json) == schema)
        }
        let json = String(decoding: try JSONEncoder().encode(plain), as: UTF8.self)
        #expect(!json.contains("merge"))
        #expect(!json.contains("deletedRows"))
    }

    @Test("a reference that is not an id is refused")
    func references() {
        let error = #expect(throws: StoreError.self) {
            try schema([
                Attribute("id", type: .uuid), Attribute("parent", type: .text, reference: "Pet"),
            ])
        }
        #expect(error?.code == .schemaInvalid)
        #expect(error?.message.contains("refers to Pet by `parent`, which has the type text") == true)
    }
}
