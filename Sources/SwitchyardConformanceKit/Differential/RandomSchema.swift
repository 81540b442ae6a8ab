internal import Switchyard
package import SwitchyardCore

/// Draws schemas for random operations: one to three entities, or more, with attributes of all types, references,
/// constraints and indexes.
package enum RandomSchema {
    /// Draws one with at most six entities.
    package static func make(
        mostEntities: Int = 3, using generator: inout SeededGenerator
    ) throws -> Schema {
        let names = ["Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta"]
            .prefix(1 + generator.below(mostEntities))
        var entities: [Entity] = []
        for name in names {
            entities.append(entity(name, among: Array(names), using: &generator))
        }
        return try Schema(version: SchemaVersion(1), entities: withRelationships(entities, using: &generator))
    }

    private static func entity(
        _ name: String, among names: [String], using generator: inout SeededGenerator
    ) -> Entity {
        var attributes = [Attribute("id", type: .uuid)]
        for (index, type) in AttributeType.allCases.shuffled(using: &generator).enumerated() {
            if index > 2, generator.oneIn(4) { continue }
            let isEnumeration = type == .text && generator.oneIn(3)
            attributes.append(
                Attribute(
                    "\(type.rawValue)\(index)", column: generator.oneIn(5) ? "c_\(index)" : nil, type: type,
                    isOptional: generator.oneIn(2),
                    cases: isEnumeration ? [.text("a"), .text("é"), .text("")] : nil,
                    domain: domain(of: type, using: &generator),
                    isSearchable: type == .text && !isEnumeration && generator.oneIn(2)))
        }
        if generator.oneIn(2) {
            attributes.append(
                Attribute("link", type: .uuid, isOptional: true, reference: generator.pick(names)))
        }
        return Entity(
            name, attributes: attributes, indexes: indexes(attributes, using: &generator),
            uniqueConstraints: constraints(attributes, using: &generator))
    }

    private static func domain(of type: AttributeType, using generator: inout SeededGenerator)
        -> NumberDomain?
    {
        guard generator.oneIn(3) else { return nil }
        return switch type {
        case .int: .integers(range: generator.pick([-128...127, 0...255, -1...2, .min...3]))
        case .double: .singlePrecision
        default: nil
        }
    }

    private static func indexes(_ attributes: [Attribute], using generator: inout SeededGenerator) -> [Index]
    {
        guard generator.oneIn(2) else { return [] }
        let names = attributes.dropFirst().map(\.name).shuffled(using: &generator)
        return [Index(Array(names.prefix(1 + generator.below(2))))]
    }

    private static func constraints(
        _ attributes: [Attribute], using generator: inout SeededGenerator
    ) -> [UniqueConstraint] {
        guard generator.oneIn(2) else { return [] }
        let candidates = attributes.dropFirst().filter { $0.type != .bool && $0.cases == nil }
        let names = candidates.map(\.name).shuffled(using: &generator).prefix(1 + generator.below(2))
        let flag = attributes.first { $0.type == .bool && !$0.isOptional }
        let filter = flag.flatMap { flag -> Condition? in
            generator.oneIn(3) ? .compare(.attribute(flag.name), .equal, .value(.bool(true))) : nil
        }
        return names.isEmpty
            ? [] : [UniqueConstraint(Array(names), where: filter, nilsAreDistinct: !generator.oneIn(3))]
    }

    /// Adds to each reference a to-many on the other side, with a random delete rule.
    private static func withRelationships(
        _ entities: [Entity], using generator: inout SeededGenerator
    ) -> [Entity] {
        entities.map { entity in
            let sources = entities.filter { source in
                source.attributes.contains { $0.reference == entity.name }
            }
            let relationships = sources.map { source in
                Relationship(
                    "many\(source.name)", target: source.name, inverse: "link",
                    deleteRule: generator.pick(DeleteRule.allCases))
            }
            return Entity(
                entity.name, attributes: entity.attributes, relationships: relationships,
                indexes: entity.indexes,
                uniqueConstraints: entity.uniqueConstraints)
        }
    }
}
