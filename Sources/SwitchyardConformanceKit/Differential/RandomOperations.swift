internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Draws operations for a schema.
struct RandomOperations {
    let schema: Schema
    let conditions: RandomCondition

    init(schema: Schema) {
        self.schema = schema
        conditions = RandomCondition(schema: schema)
    }

    func make(using generator: inout SeededGenerator, depth: Int = 4) -> RandomOperation {
        let entity = generator.pick(schema.entities)
        switch generator.below(26) {
        case 0..<6:
            if generator.oneIn(10) {
                return .insert(
                    entity: entity.name, rows: batch(of: entity, using: &generator),
                    skipsExisting: generator.oneIn(3))
            }
            return .insert(
                entity: entity.name,
                rows: (0..<(1 + generator.below(4))).map { _ in row(of: entity, using: &generator) },
                skipsExisting: generator.oneIn(6))
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
        case 20:
            return .replace(
                entity: entity.name, row: fittingRow(of: entity, isNew: false, using: &generator))
        case 21..<23: return upsert(into: entity, using: &generator)
        case 23:
            return .pages(
                entity: entity.name, where: conditions.make(for: entity, using: &generator),
                order: order(of: entity, using: &generator), size: 1 + generator.below(4))
        case 24..<26:
            return generator.oneIn(2)
                ? aggregate(over: entity, using: &generator) : report(over: entity, using: &generator)
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
                // Mostly new ids, sometimes one that may exist; all from the seed, so that the stores agree.
                return .uuid(
                    generator.oneIn(5)
                        ? generator.pick(RandomValue.uuids)
                        : generator.uuid())
            }
            return value(for: attribute, using: &generator)
        }
    }

    /// A row as a model would produce it: nil only if allowed, and enums only with their cases.
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

    /// New valid rows, about as many as backends send at a time, or one more or less.
    private func batch(of entity: Entity, using generator: inout SeededGenerator) -> [[StoredValue]] {
        let size = generator.oneIn(12) ? 1_000 : generator.pick([32, 64, 128, 256]) + generator.below(3) - 1
        let unique = Set(entity.uniqueConstraints.flatMap(\.attributes))
        return (0..<size).map { _ in
            var row = fittingRow(of: entity, isNew: true, using: &generator)
            row[0] = .uuid(generator.uuid())
            for (column, attribute) in entity.attributes.enumerated().dropFirst() {
                // A batch in which one row is refused says little about the others.
                let isRisky = attribute.reference != nil || unique.contains(attribute.name)
                if isRisky, attribute.isOptional { row[column] = .null }
                while let domain = attribute.domain, !row[column].isNull, !domain.contains(row[column]) {
                    row[column] = RandomValue.make(for: attribute, using: &generator)
                }
            }
            return row
        }
    }

    /// By the id, by a unique constraint, or occasionally by something that is not a key.
    private func upsert(into entity: Entity, using generator: inout SeededGenerator) -> RandomOperation {
        let constraint = entity.uniqueConstraints.first.map(\.attributes) ?? ["id"]
        let key = generator.oneIn(3) ? ["id"] : generator.oneIn(10) ? [entity.attributes[1].name] : constraint
        let isByID = key == ["id"]
        if isByID, generator.oneIn(6) {
            return .upsert(entity: entity.name, rows: batch(of: entity, using: &generator), key: key)
        }
        return .upsert(
            entity: entity.name,
            rows: (0..<(1 + generator.below(3))).map { _ in
                fittingRow(of: entity, isNew: !isByID, using: &generator)
            }, key: key)
    }

    /// Up to four figures over up to two keys.
    private func aggregate(over entity: Entity, using generator: inout SeededGenerator) -> RandomOperation {
        let groups = (0..<generator.below(3)).map { _ -> GroupKey in
            let attribute = generator.pick(entity.attributes)
            guard attribute.type == .timestamp, generator.oneIn(2) else { return .attribute(attribute.name) }
            return .period(
                generator.pick(ClockPeriod.allCases), of: attribute.name, clock(using: &generator))
        }
        let figures = (0..<(1 + generator.below(4))).map { _ in figure(over: entity, using: &generator) }
        return .aggregate(
            entity: entity.name, where: conditions.make(for: entity, using: &generator), groups: groups,
            figures: figures)
    }

    /// Up to three figures, also over several groups, by keys behind references and parts of the calendar.
    private func report(over entity: Entity, using generator: inout SeededGenerator) -> RandomOperation {
        let keys = (0..<generator.below(3)).map { _ -> GroupingKey in
            var (source, references) = (entity, [String]())
            while references.count < 2, generator.oneIn(2),
                let reference = source.attributes.first(where: { $0.reference != nil }),
                let target = reference.reference.flatMap({ schema.entity($0) })
            {
                references.append(reference.name)
                source = target
            }
            let attribute = generator.pick(source.attributes)
            let isPart = attribute.type == .timestamp && generator.oneIn(2)
            var key = GroupingKey(attribute.name, part: isPart ? part(using: &generator) : nil)
            key.references = references
            return key
        }
        let figures = (0..<(1 + generator.below(3))).map { _ in
            GroupFigure(
                figure(over: entity, using: &generator),
                over: generator.pick([.group, .running, .overall]))
        }
        return .report(
            entity: entity.name, where: conditions.make(for: entity, using: &generator), keys: keys,
            figures: figures)
    }

    private func part(using generator: inout SeededGenerator) -> CalendarPart? {
        let units: [CalendarPart.Unit] = [
            .hour, .hourOfDay, .day, .weekday, .week(from: .sunday), .month, .quarter, .year,
        ]
        let zones = ["GMT", "Asia/Kolkata", "Pacific/Auckland"]
        return TimeZone(identifier: generator.pick(zones)).flatMap {
            CalendarPart(generator.pick(units), in: $0, startingAt: .seconds(generator.pick([0, 25_200])))
        }
    }

    /// A figure of an attribute, or of what is calculated for each row.
    private func figure(
        over entity: Entity, using generator: inout SeededGenerator
    ) -> AggregateFunction {
        let attribute = generator.pick(entity.attributes)
        let isNumber = [.int, .double, .decimal].contains(attribute.type)
        let isCalculated = generator.oneIn(4)
        let name = isCalculated ? "id" : attribute.name
        let figures: [AggregateFunction] =
            [.countOf(name), .countDistinct(name), .minimum(name), .maximum(name)]
            + (isNumber ? [.sum(name), .average(name), .percentile(name, 0.25)] : [])
        guard !generator.oneIn(6) else { return .count }
        let function = generator.pick(figures)
        guard isCalculated else { return function }
        return .calculated(
            function, of: conditions.operand(for: attribute, of: entity, depth: 2, using: &generator))
    }

    /// A clock that changes up to three times, at some of the times that rows have.
    private func clock(using generator: inout SeededGenerator) -> ClockOffsets {
        let offsets = [0, 3_600, 1_800, -25_200, 172_800, -172_800]
        let times = (0..<generator.below(4)).compactMap { _ -> Int64? in
            guard case .timestamp(let time) = RandomValue.make(.timestamp, using: &generator) else {
                return nil
            }
            return time
        }
        return ClockOffsets(
            generator.pick(offsets),
            changes: Set(times).sorted().map {
                ClockOffsets.Change(at: $0, to: generator.pick(offsets))
            })
    }

    private func order(of entity: Entity, using generator: inout SeededGenerator) -> [SortKey] {
        entity.attributes.shuffled(using: &generator).prefix(generator.below(3)).map { attribute in
            let direction: SortDirection = generator.oneIn(2) ? .ascending : .descending
            let nils: NilOrder? = generator.oneIn(3) ? (generator.oneIn(2) ? .first : .last) : nil
            guard generator.oneIn(4) else { return SortKey(attribute.name, direction, nils: nils) }
            return SortKey(sorted(attribute, of: entity, using: &generator), direction, nils: nils)
        }
    }

    /// A value to sort by that is calculated for each row.
    private func sorted(
        _ attribute: Attribute, of entity: Entity, using generator: inout SeededGenerator
    ) -> Operand {
        if generator.oneIn(2), let relationship = entity.relationships.randomElement(using: &generator),
            let target = schema.entity(relationship.target)
        {
            return .figure(
                conditions.figure(of: target, using: &generator).0, of: relationship.name,
                where: generator.oneIn(2)
                    ? .constant(true) : conditions.make(for: target, depth: 0, using: &generator))
        }
        if attribute.isSearchable, generator.oneIn(2) { return .folded(attribute.name) }
        return conditions.operand(for: attribute, of: entity, depth: 2, using: &generator)
    }

    private func assignments(
        for entity: Entity, using generator: inout SeededGenerator
    ) -> [Assignment] {
        entity.attributes.dropFirst().shuffled(using: &generator).prefix(1 + generator.below(2)).map {
            attribute in
            let isNumber = [.int, .double, .timestamp, .decimal].contains(attribute.type)
            if generator.oneIn(6),
                let value = conditions.referenced(for: attribute, of: entity, depth: 0, using: &generator)
            {
                return Assignment(attribute: attribute.name, value: value)
            }
            return Assignment(
                attribute: attribute.name,
                value: isNumber && generator.oneIn(3)
                    ? conditions.calculation(with: attribute, in: .assignment, using: &generator)
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

extension SeededGenerator {
    /// A UUID of 16 random bytes.
    fileprivate mutating func uuid() -> UUID {
        UUID(uuid: withUnsafeBytes(of: (next(), next())) { $0.load(as: uuid_t.self) })
    }
}
