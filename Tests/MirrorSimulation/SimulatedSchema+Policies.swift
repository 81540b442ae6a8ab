import Foundation
import SwitchyardCore
import SwitchyardMirror

/// The rows that a simulation edits.
public enum SimulatedWorld: String, Sendable, CaseIterable {
    /// A family's, with each delete rule.
    case family
    /// Rows with each merge policy.
    case policies
    /// A family's, who come and go as owners, members and readers.
    case household
}

/// Entities with each merge policy, beside those of the family.
extension SimulatedSchema {
    static let policyEntities: [Entity] = {
        let id = Attribute("id", type: .uuid)
        return [
            Entity(
                "Count",
                attributes: [
                    id, Attribute("sum", type: .int, merge: .counter),
                    Attribute("most", type: .int, merge: .maximum),
                    Attribute("least", type: .int, merge: .minimum),
                    Attribute("list", type: .json, merge: .union),
                    Attribute("bits", type: .int, merge: .custom("bits")),
                    Attribute("order", type: .int, merge: .serverOrder),
                ]),
            Entity(
                "Desk", attributes: [id, Attribute("label", type: .text), Attribute("size", type: .int)],
                uniqueConstraints: [UniqueConstraint(["label"], merge: .rename)]),
            Entity(
                "Link",
                attributes: [
                    id, Attribute("tag", type: .uuid, reference: "Tag"), Attribute("slot", type: .int),
                    Attribute("memo", type: .int),
                ], uniqueConstraints: [UniqueConstraint(["tag", "slot"], merge: .mergeInto)]),
            Entity(
                "Tag",
                attributes: [
                    id, Attribute("code", type: .int), Attribute("name", type: .int),
                    Attribute("uses", type: .int, merge: .counter),
                ],
                relationships: [Relationship("links", target: "Link", inverse: "tag", deleteRule: .cascade)],
                uniqueConstraints: [UniqueConstraint(["code"], merge: .mergeInto)]),
        ]
    }()

    static let policyNames = Set(policyEntities.map(\.name))

    static let functions = MergeFunctions([
        "bits": { _, current, edit in
            guard case (.int(let mine), .int(let theirs)) = (current, edit) else { return nil }
            return .int(mine | theirs)
        }
    ])

    /// The attributes whose values become one without a loser.
    static let combined: Set = ["count", "most", "least", "sum", "uses", "list", "bits"]

    /// The keys that rows can have.
    static func keys(of world: SimulatedWorld) -> [RowKey] { world == .policies ? policyKeys : familyKeys }

    static let policyKeys: [RowKey] = numbered([
        ("Count", 0x43, 2), ("Desk", 0x44, 3), ("Link", 0x4C, 3), ("Tag", 0x54, 3),
    ])

    /// A new value of an attribute, as an app would set it; nil for an attribute of the family.
    static func value(
        of key: RowKey, _ position: Int, from old: StoredValue?, number: Int64,
        _ random: inout SeededGenerator
    ) -> StoredValue? {
        guard policyNames.contains(key.entity) else { return nil }
        switch attributes(key)[position].name {
        case "sum", "uses":
            guard case .int(let count)? = old else { return .int(0) }
            return .int(count + 1 + Int64(random.below(3)))
        case "most", "least": return .int(Int64(random.below(50)))
        case "bits": return .int(Int64(random.below(64)))
        case "list":
            var elements: Set<Int> = []
            if case .json(let text)? = old { elements = Set(Self.elements(text)) }
            elements.formSymmetricDifference([random.below(6)])
            return .json("[\(elements.sorted().map(String.init).joined(separator: ","))]")
        case "code", "slot": return .int(Int64(random.below(3)))
        case "label": return .text(["a", "b", "c"][random.below(3)])
        case "tag": return .uuid(policyKeys.filter { $0.entity == "Tag" }[random.below(3)].id)
        default: return .int(number)
        }
    }

    static func elements(_ list: String) -> [Int] {
        list.dropFirst().dropLast().split(separator: ",").compactMap { Int($0) }
    }

    /// The server's schema with a mistake in it.
    static func schema(with bug: PlantedBug?) -> Schema {
        guard let bug else { return schema }
        let entities = schema.entities.map { entity in
            Entity(
                entity.name,
                attributes: entity.attributes.map { attribute in
                    policy(of: attribute, with: bug).map { attribute.merging(by: $0) } ?? attribute
                },
                relationships: entity.relationships.map { relationship in
                    Relationship(
                        relationship.name, target: relationship.target, inverse: relationship.inverse,
                        deleteRule: rule(relationship.deleteRule, with: bug))
                },
                uniqueConstraints: entity.uniqueConstraints.map { constraint in
                    let isRejected =
                        bug == .renamesRejected && constraint.merge == .rename
                        || bug == .mergesRejected && constraint.merge == .mergeInto
                    return isRejected ? UniqueConstraint(constraint.attributes) : constraint
                }, deletedRows: bug == .neverResurrected ? .delete : entity.deletedRows)
        }
        return (try? Schema(version: schema.version, entities: entities)) ?? schema
    }

    /// The policy that a mistake gives an attribute; nil for its own.
    private static func policy(of attribute: Attribute, with bug: PlantedBug) -> MergePolicy? {
        switch (bug, attribute.merge) {
        case (.arrivalWins, .lastEdit): .serverOrder
        case (.policiesIgnored, _), (.countersByTime, .counter), (.maximumsByTime, .maximum),
            (.minimumsByTime, .minimum), (.listsByTime, .union), (.functionsByTime, .custom),
            (.arrivalsByTime, .serverOrder):
            .lastEdit
        default: nil
        }
    }

    private static func rule(_ rule: DeleteRule, with bug: PlantedBug) -> DeleteRule {
        switch (bug, rule) {
        case (.nullifyCascades, .nullify), (.denyCascades, .deny): .cascade
        case (.cascadeDenies, .cascade): .deny
        default: rule
        }
    }
}

extension Attribute {
    fileprivate func merging(by policy: MergePolicy) -> Attribute {
        Attribute(
            name, type: type, isOptional: isOptional, defaultValue: defaultValue, reference: reference,
            merge: policy)
    }
}
