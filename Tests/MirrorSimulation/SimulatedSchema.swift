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
    static let keys: [RowKey] = [("Baby", 2), ("Feed", 3), ("Note", 3), ("Visit", 1)].flatMap { name, count in
        (1...count).map { number in
            RowKey(name, UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, name.utf8.first!, UInt8(number))))
        }
    }

    static let entities = Dictionary(uniqueKeysWithValues: schema.entities.map { ($0.name, $0) })

    /// The positions of the attributes that an app edits freely, by entity.
    static let plain: [String: [Int]] = ["Baby": [1, 2], "Feed": [2, 3, 4], "Note": [3], "Visit": [2]]
    static let reference: [String: Int] = ["Feed": 1, "Note": 1, "Visit": 1]
    static let unique: [String: Int] = ["Note": 2]
}
