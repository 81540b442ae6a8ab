import Foundation
import SwitchyardCore
import SwitchyardSQL

/// A small schema with one of everything that prints differently.
enum Fixture {
    static let owner = Entity(
        "Owner",
        attributes: [
            Attribute("id", type: .uuid),
            Attribute("name", type: .text, isSearchable: true),
        ],
        relationships: [Relationship("pets", target: "Pet", inverse: "owner", deleteRule: .nullify)],
        uniqueConstraints: [UniqueConstraint(["name"])])

    static let pet = Entity(
        "Pet",
        attributes: [
            Attribute("id", type: .uuid),
            Attribute("owner", type: .uuid, isOptional: true, reference: "Owner"),
            Attribute("kind", type: .text, cases: [.text("cat"), .text("dog")]),
            Attribute("weight", column: "kg", type: .double, isOptional: true),
            Attribute("age", type: .int),
            Attribute("legs", type: .int, isOptional: true),
            Attribute("price", type: .decimal, isOptional: true),
            Attribute("born", type: .timestamp, isOptional: true),
            Attribute("tame", type: .bool),
        ],
        indexes: [
            Index(["born", "age"]),
            Index(["age"], where: .compare(.attribute("tame"), .equal, .value(.bool(true)))),
        ],
        uniqueConstraints: [
            UniqueConstraint(["kind", "price"], nilsAreDistinct: false),
            UniqueConstraint(["born"], where: .compare(.attribute("legs"), .notEqual, .value(.null))),
        ])

    static func schema() throws -> Schema { try Schema(version: SchemaVersion(1), entities: [owner, pet]) }

    static func sqlite() throws -> SQLGenerator { SQLGenerator(dialect: .sqlite, schema: try schema()) }

    static func postgres() throws -> SQLGenerator {
        SQLGenerator(dialect: .postgres, schema: try schema(), namespace: "app")
    }

    static let zone = StoreScope(uuid(0xAA))

    static func uuid(_ byte: UInt8) -> UUID {
        UUID(uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
}
