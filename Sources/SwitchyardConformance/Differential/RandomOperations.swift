internal import Foundation
internal import Switchyard

/// Draws operations for a schema.
struct RandomOperations {
    let schema: Schema
    let conditions: RandomCondition

    init(schema: Schema) {
        self.schema = schema
        conditions = RandomCondition(schema: schema)
    }

    func make(using generator: inout SeededGenerator, depth: Int = 1) -> RandomOperation {
        let entity = generator.pick(schema.entities)
        switch generator.below(26) {
        case 0..<6:
            return .insert(
                entity: entity.name,
                rows: (0..<(1 + generator.below(4))).map { _ in row(of: entity, using: &generator) })
        case 6..<8:
            return .update(
                entity: entity.name, set: assignments(for: entity, using: &generator),
                where: conditions.make(for: entity, using: &generator))
        case 8:
            return .delete(entity: entity.name, where: conditions.make(for: entity, using: &generator))
        case 9..<11 where depth > 0:
            return .several(
                (0..<(1 + generator.below(4))).map { _ in make(using: &generator, depth: depth - 1) },
                isUndone: generator.oneIn(3))
        case 11..<13:
            return .count(entity: entity.name, where: conditions.make(for: entity, using: &generator))
        case 20: return .replace(entity: entity, row: fittingRow(of: entity, isNew: false, using: &generator))
        case 21..<23: return upsert(into: entity, using: &generator)
        case 23:
            return .pages(
                entity: entity, where: conditions.make(for: entity, using: &generator),
                order: order(of: entity, using: &generator), size: 1 + generator.below(4))
        case 24..<26: return aggregate(over: entity, using: &generator)
        default:
            return .fetch(
                entity: entity.name, where: conditions.make(for: entity, using: &generator),
                order: order(of: entity, using: &generator),
                limit: generator.oneIn(3) ? generator.below(5) : nil,
                offset: generator.oneIn(4) ? generator.below(4) : 0)
        }
    }

    private func row(of entity: Entity, using generator: inout SeededGenerator) -> [StoredValue] {
        entity.attributes.map { attribute in
            if attribute.name == "id" {
                // Mostly new ids, sometimes one that may be there; all from the seed, so that stores agree.
                return .uuid(
                    generator.oneIn(5)
                        ? generator.pick(RandomValue.uuids)
                        : UUID(
                            uuid: withUnsafeBytes(of: (generator.next(), generator.next())) {
                                $0.load(as: uuid_t.self)
                            }))
            }
            return value(for: attribute, using: &generator)
        }
    }

    /// A row as a model would give it: nil only where that is allowed, and cases of the enum only.
    private func fittingRow(
        of entity: Entity, isNew: Bool, using generator: inout SeededGenerator
    ) -> [StoredValue] {
        let row = row(of: entity, using: &generator)
        return zip(entity.attributes, row).map { attribute, value in
            if attribute.name == "id", !isNew { return .uuid(generator.pick(RandomValue.uuids)) }
            if let cases = attribute.cases, !value.isNull, !cases.contains(value) { return cases[0] }
            guard value.isNull, !attribute.isOptional else { return value }
            return attribute.cases?[0] ?? RandomValue.make(for: attribute, using: &generator)
        }
    }

    /// By the id, by a unique constraint, or now and then by what is no key.
    private func upsert(into entity: Entity, using generator: inout SeededGenerator) -> RandomOperation {
        let constraint = entity.uniqueConstraints.first.map(\.attributes) ?? ["id"]
        let key = generator.oneIn(3) ? ["id"] : generator.oneIn(10) ? [entity.attributes[1].name] : constraint
        let isByID = key == ["id"]
        return .upsert(
            entity: entity,
            rows: (0..<(1 + generator.below(3))).map { _ in
                fittingRow(of: entity, isNew: !isByID, using: &generator)
            }, key: key)
    }

    /// Up to four figures over up to two keys.
    private func aggregate(over entity: Entity, using generator: inout SeededGenerator) -> RandomOperation {
        let groups = (0..<generator.below(3)).map { _ -> GroupKey in
            let attribute = generator.pick(entity.attributes)
            guard attribute.type == .timestamp, generator.oneIn(2) else { return .attribute(attribute.name) }
            return .day(of: attribute.name, offset: generator.pick([0, 3_600, -25_200, 172_800, -172_800]))
        }
        let figures = (0..<(1 + generator.below(4))).map { _ -> (Figure, String?) in
            let attribute = generator.pick(entity.attributes)
            let isNumber = [.int, .double, .decimal].contains(attribute.type)
            let figures: [Figure] =
                [.countOf, .minimum, .maximum]
                + (isNumber ? [.sum(attribute.type), .average(attribute.type)] : [])
            return generator.oneIn(6)
                ? (.count, nil) : (generator.pick(figures), attribute.name)
        }
        return .aggregate(
            entity: entity.name, where: conditions.make(for: entity, using: &generator), groups: groups,
            figures: figures)
    }

    private func order(of entity: Entity, using generator: inout SeededGenerator) -> [SortKey] {
        entity.attributes.shuffled(using: &generator).prefix(generator.below(3)).map {
            SortKey($0.name, generator.oneIn(2) ? .ascending : .descending)
        }
    }

    private func assignments(
        for entity: Entity, using generator: inout SeededGenerator
    ) -> [Assignment] {
        entity.attributes.dropFirst().shuffled(using: &generator).prefix(1 + generator.below(2)).map {
            attribute in
            let isNumber = attribute.type == .int || attribute.type == .double
            return Assignment(
                attribute: attribute.name,
                value: isNumber && generator.oneIn(3)
                    ? conditions.calculation(with: attribute, using: &generator)
                    : .value(value(for: attribute, using: &generator)))
        }
    }

    private func value(for attribute: Attribute, using generator: inout SeededGenerator) -> StoredValue {
        if generator.oneIn(attribute.isOptional ? 4 : 40) { return .null }
        if attribute.reference != nil {
            return generator.oneIn(2) ? .null : .uuid(generator.pick(RandomValue.uuids))
        }
        if let cases = attribute.cases { return generator.oneIn(20) ? .text("none") : generator.pick(cases) }
        return RandomValue.make(for: attribute, using: &generator)
    }
}
