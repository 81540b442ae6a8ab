import Foundation
import Switchyard
import SwitchyardCore
import Testing

@Suite("A model's entity")
struct ModelEntityTests {
    typealias Everything = ModelFixture.Everything
    typealias Folder = ModelFixture.Folder

    private func attribute(_ name: String) throws -> Attribute {
        try #require(try Everything.entity.get().attribute(name))
    }

    @Test("an entity's attributes come in the order of the struct, the id first")
    func order() throws {
        #expect(
            try Everything.entity.get().attributes.map(\.name) == [
                "id", "text", "flag", "int", "int8", "uint32", "double", "float", "decimal", "data", "uuid",
                "date",
                "optionalDate", "day", "kind", "optionalKind", "level", "address", "optionalAddress", "shape",
                "tags",
                "kinds", "counts", "title", "folder", "home", "parent", "secret", "observed",
            ])
    }

    @Test(
        "an entity's attribute has the type, the optionality and the default of its property",
        arguments: [
            Attribute("id", type: .uuid),
            Attribute("text", type: .text, defaultValue: .text("")),
            Attribute("flag", type: .bool, defaultValue: .bool(true)),
            Attribute("int", type: .int, defaultValue: .int(-5)),
            Attribute(
                "int8", type: .int, defaultValue: .int(0), domain: .integers(range: -128...127)),
            Attribute(
                "uint32", type: .int, defaultValue: .int(255), domain: .integers(range: 0...4_294_967_295)),
            Attribute("float", type: .double, defaultValue: .double(0), domain: .singlePrecision),
            Attribute("double", type: .double, defaultValue: .double(-1.5)),
            Attribute("decimal", type: .decimal, defaultValue: .decimal(12.5)),
            Attribute("data", type: .blob),
            Attribute("uuid", type: .uuid),
            Attribute("date", type: .timestamp),
            Attribute("optionalDate", type: .timestamp, isOptional: true),
            Attribute("day", type: .day, isOptional: true),
            Attribute(
                "kind", type: .text, defaultValue: .text("none"),
                cases: [.text("none"), .text("pee"), .text("poo")]),
            Attribute(
                "optionalKind", column: "kind_2", type: .text, isOptional: true, defaultValue: .text("pee"),
                cases: [.text("none"), .text("pee"), .text("poo")]),
            Attribute("level", type: .int, defaultValue: .int(300), cases: [.int(-1), .int(300)]),
            Attribute("address", type: .json),
            Attribute("optionalAddress", type: .json, isOptional: true),
            Attribute("shape", type: .json),
            Attribute("tags", type: .json, defaultValue: .json("[\"a\",\"b\"]")),
            Attribute("kinds", type: .json, isOptional: true),
            Attribute("counts", type: .json, defaultValue: .json("{}")),
            Attribute("title", type: .text, isOptional: true, isSearchable: true),
            Attribute("folder", type: .uuid, isOptional: true, reference: "Folder"),
            Attribute("home", type: .uuid, reference: "Folder"),
            Attribute("parent", type: .uuid, isOptional: true, reference: "Everything"),
        ])
    func content(expected: Attribute) throws {
        #expect(try attribute(expected.name) == expected)
    }

    @Test("a default of a reference stays out of the schema")
    func referenceWithDefault() throws {
        #expect(
            try ModelFixture.Draft.entity.get().attributes.dropFirst() == [
                Attribute("home", type: .uuid, reference: "Folder"),
                Attribute("folder", type: .uuid, isOptional: true, reference: "Folder"),
                Attribute("origin", type: .uuid, isOptional: true, reference: "Folder"),
            ])
        #expect(ModelFixture.Draft().home == .attic)
    }

    @Test("an enum's default may be given as a literal")
    func literalDefaults() {
        let declaration = EntityDeclaration<ModelFixture.Draft>()
        let level = declaration.attribute("level", ModelFixture.Level.self, default: .high)
        #expect(
            level
                == Attribute("level", type: .int, defaultValue: .int(300), cases: [.int(-1), .int(300)]))
        let optionalLevel = declaration.attribute("level", ModelFixture.Level?.self, default: .low)
        #expect(
            optionalLevel
                == Attribute(
                    "level", type: .int, isOptional: true, defaultValue: .int(-1),
                    cases: [.int(-1), .int(300)]))
    }

    @Test("an entity's index has its declared filter")
    func filteredIndex() throws {
        #expect(
            try ModelFixture.Draft.entity.get().indexes == [
                Index(["home"], where: .compare(.attribute("folder"), .equal, .value(.null)))
            ])
    }

    @Test("an entity has the indexes and constraints of the struct")
    func constraints() throws {
        let entity = try Everything.entity.get()
        #expect(entity.indexes == [Index(["text"]), Index(["folder", "date"])])
        #expect(
            entity.uniqueConstraints == [
                UniqueConstraint(["int", "text"]),
                UniqueConstraint(
                    ["folder"], where: .compare(.attribute("optionalDate"), .equal, .value(.null)),
                    nilsAreDistinct: false),
            ])
    }

    @Test("a to-many names its target, its inverse and its rule")
    func relationships() throws {
        #expect(
            try Folder.entity.get().relationships == [
                Relationship("contents", target: "Everything", inverse: "folder", deleteRule: .nullify),
                Relationship("residents", target: "Everything", inverse: "home", deleteRule: .cascade),
            ])
    }

    @Test("models that refer to each other and to themselves make one schema")
    func schema() throws {
        #expect(try ModelFixture.schema.entities.map(\.name) == ["Draft", "Everything", "Folder"])
    }

    @Test("a key path gives the name of a stored attribute, and nothing otherwise")
    func names() {
        #expect(Everything.attributeName(of: \.id) == "id")
        #expect(Everything.attributeName(of: \.optionalKind) == "optionalKind")
        #expect(Folder.attributeName(of: \.contents) == "contents")
        #expect(Everything.attributeName(of: \.isDry) == nil)
        #expect(Everything.attributeName(of: \.isSelected) == nil)
    }

    @Test("the version of a model is the namespace around it")
    func version() {
        #expect(Everything.ModelVersion.self == ModelFixture.self)
    }
}
