import Foundation
import SwitchyardCore
import SwitchyardMirror

/// A family of entities with each delete rule, a unique key and each merge policy, and few rows, so that they meet often.
enum SimulatedSchema {
    static let schema: Schema = {
        let id = Attribute("id", type: .uuid)
        func reference(_ isOptional: Bool) -> Attribute {
            Attribute("baby", type: .uuid, isOptional: isOptional, reference: "Baby")
        }
        do {
            return try Schema(
                version: SchemaVersion(1),
                entities: [
                    Entity(
                        "Baby",
                        attributes: [id, Attribute("name", type: .int), Attribute("weight", type: .int)],
                        relationships: [
                            Relationship("feeds", target: "Feed", inverse: "baby", deleteRule: .cascade),
                            Relationship("notes", target: "Note", inverse: "baby", deleteRule: .nullify),
                            Relationship("visits", target: "Visit", inverse: "baby", deleteRule: .deny),
                        ]),
                    Entity(
                        "Feed",
                        attributes: [
                            id, reference(false), Attribute("amount", type: .int),
                            Attribute("count", type: .int), Attribute("most", type: .int),
                        ]),
                    Entity(
                        "Note",
                        attributes: [
                            id, reference(true), Attribute("code", type: .int, isOptional: true),
                            Attribute("text", type: .int),
                        ], uniqueConstraints: [UniqueConstraint(["code"])]),
                    Entity("Visit", attributes: [id, reference(false), Attribute("place", type: .int)]),
                ])
        } catch {
            preconditionFailure("The simulation's schema is invalid: \(error)")
        }
    }()

    static let policies: MergePolicies = {
        var policies = MergePolicies()
        policies.attributes = ["Feed": ["count": .counter, "most": .maximum]]
        policies.deletedRows = ["Note": .resurrect]
        return policies
    }()

    /// The keys that rows can have.
    static let keys: [RowKey] = [("Baby", 0x42, 2), ("Feed", 0x46, 3), ("Note", 0x4E, 3), ("Visit", 0x56, 1)]
        .flatMap {
            (name, kind: UInt8, count: UInt8) in
            (1...count).map { number in
                RowKey(name, UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, kind, number)))
            }
        }

    /// The attributes of a row's entity.
    static func attributes(_ key: RowKey) -> [Attribute] { entities[key.entity]?.attributes ?? [] }

    private static let entities = Dictionary(uniqueKeysWithValues: schema.entities.map { ($0.name, $0) })

    /// The positions of the attributes that an app edits freely, by entity.
    static let plain: [String: [Int]] = ["Baby": [1, 2], "Feed": [2, 3, 4], "Note": [3], "Visit": [2]]
    static let reference: [String: Int] = ["Feed": 1, "Note": 1, "Visit": 1]
    static let unique: [String: Int] = ["Note": 2]
}
