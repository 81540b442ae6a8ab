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
                            Attribute("count", type: .int, merge: .counter),
                            Attribute("most", type: .int, merge: .maximum),
                        ]),
                    Entity(
                        "Note",
                        attributes: [
                            id, reference(true), Attribute("code", type: .int, isOptional: true),
                            Attribute("text", type: .int),
                        ], uniqueConstraints: [UniqueConstraint(["code"])], deletedRows: .resurrect),
                    Entity("Visit", attributes: [id, reference(false), Attribute("place", type: .int)]),
                ] + policyEntities)
        } catch {
            preconditionFailure("The simulation's schema is invalid: \(error)")
        }
    }()

    /// The keys that rows of the family can have.
    static let familyKeys: [RowKey] = numbered([
        ("Baby", 0x42, 2), ("Feed", 0x46, 3), ("Note", 0x4E, 3), ("Visit", 0x56, 1),
    ])

    static func numbered(_ counts: [(entity: String, kind: UInt8, count: UInt8)]) -> [RowKey] {
        counts.flatMap { entity in
            (1...entity.count).map { number in
                RowKey(
                    entity.entity, UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, entity.kind, number))
                )
            }
        }
    }

    static let keys: [RowKey] = familyKeys + policyKeys

    /// The attributes of a row's entity.
    static func attributes(_ key: RowKey) -> [Attribute] { entities[key.entity]?.attributes ?? [] }

    private static let entities = Dictionary(uniqueKeysWithValues: schema.entities.map { ($0.name, $0) })

    /// The positions of the attributes that an app edits freely, by entity.
    static let plain: [String: [Int]] = [
        "Baby": [1, 2], "Feed": [2, 3, 4], "Note": [3], "Visit": [2],
        "Count": [1, 2, 3, 4, 5, 6], "Desk": [2], "Link": [3], "Tag": [2, 3],
    ]
    static let reference: [String: Int] = ["Feed": 1, "Note": 1, "Visit": 1, "Link": 1]
    static let unique: [String: [Int]] = ["Note": [2], "Desk": [1], "Link": [1, 2], "Tag": [1]]
}
