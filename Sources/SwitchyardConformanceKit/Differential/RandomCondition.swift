internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Draws valid conditions for an entity, of every kind in the language.
struct RandomCondition {
    let schema: Schema

    func make(
        for entity: Entity, depth: Int = 3, using generator: inout SeededGenerator
    ) -> Condition {
        if depth == 3, generator.oneIn(40) { return deep(for: entity, using: &generator) }
        guard depth > 0 else { return leaf(for: entity, depth: depth, using: &generator) }
        switch generator.below(8) {
        case 0: return .not(make(for: entity, depth: depth - 1, using: &generator))
        case 1, 2:
            let parts = (0..<generator.below(4)).map { _ in
                make(for: entity, depth: depth - 1, using: &generator)
            }
            return generator.oneIn(2) ? .all(parts) : .any(parts)
        case 3:
            let names =
                entity.relationships.map(\.name)
                + entity.attributes.filter { $0.reference != nil }.map(\.name)
            guard let name = names.randomElement(using: &generator),
                let target = entity.association(name).flatMap({ schema.entity($0.target) })
            else { return leaf(for: entity, depth: depth, using: &generator) }
            return .exists(relationship: name, make(for: target, depth: depth - 1, using: &generator))
        default: return leaf(for: entity, depth: depth, using: &generator)
        }
    }

    /// Nested lists of terms, up to the limit of depth and sometimes beyond.
    private func deep(for entity: Entity, using generator: inout SeededGenerator) -> Condition {
        let levels = generator.below(generator.oneIn(2) ? 20 : 205)
        return (0..<levels).reduce(leaf(for: entity, depth: 0, using: &generator)) { inner, _ in
            let term = leaf(for: entity, depth: 0, using: &generator)
            let terms = generator.oneIn(3) ? [term, inner] : [inner, term]
            let list: Condition = generator.oneIn(2) ? .any(terms) : .all(terms)
            return generator.oneIn(8) ? .not(list) : list
        }
    }

    private func leaf(
        for entity: Entity, depth: Int, using generator: inout SeededGenerator
    ) -> Condition {
        let attribute = generator.pick(entity.attributes)
        switch generator.below(6) {
        case 0:
            let values = (0..<generator.below(5)).map { _ in
                generator.oneIn(6) ? .null : value(for: attribute, using: &generator)
            }
            return .isIn(.attribute(attribute.name), values)
        case 1 where attribute.type == .text:
            let match = generator.pick(TextMatch.allCases)
            return .match(.attribute(attribute.name), match, .value(.text(generator.pick(RandomValue.texts))))
        case 2 where attribute.isSearchable:
            return .search(
                attribute: attribute.name, generator.pick(TextMatch.allCases),
                text: SearchFolding.fold(generator.pick(RandomValue.texts)))
        case 3 where generator.oneIn(4): return .constant(generator.oneIn(2))
        case 5 where depth > 0 && generator.oneIn(4):
            return overall(for: attribute, using: &generator)
        case 4 where generator.oneIn(4):
            guard let relationship = entity.relationships.randomElement(using: &generator) else {
                return .constant(true)
            }
            return figure(of: relationship, depth: depth, using: &generator)
        default:
            return .compare(
                operand(for: attribute, of: entity, depth: depth, using: &generator),
                generator.pick(Comparison.allCases),
                generator.oneIn(4)
                    ? operand(for: attribute, of: entity, depth: depth, using: &generator)
                    : .value(generator.oneIn(6) ? .null : value(for: attribute, using: &generator)))
        }
    }

    /// A comparison with a figure over related rows, of those that databases calculate and of the others.
    private func figure(
        of relationship: Relationship, depth: Int, using generator: inout SeededGenerator
    ) -> Condition {
        guard let target = schema.entity(relationship.target) else { return .constant(true) }
        let (figure, value) = figure(of: target, using: &generator)
        let condition =
            depth > 1 && generator.oneIn(3) ? make(for: target, depth: 0, using: &generator) : .constant(true)
        return .compare(
            .figure(figure, of: relationship.name, where: condition),
            generator.pick(Comparison.allCases), .value(value))
    }

    /// A comparison with a figure over all rows of an entity that fulfil a condition.
    private func overall(for attribute: Attribute, using generator: inout SeededGenerator) -> Condition {
        let entities = schema.entities.map { entity in
            (entity, entity.attributes.filter { $0.type == attribute.type && $0.type != .json })
        }.filter { !$0.1.isEmpty }
        guard let (entity, others) = entities.randomElement(using: &generator) else {
            return .constant(true)
        }
        let name = generator.pick(others).name
        let figures: [AggregateFunction] =
            [.minimum(name), .maximum(name), .calculated(.maximum("id"), of: .attribute(name))]
            + (attribute.type == .int ? [.count, .countDistinct(name), .average(name)] : [])
        return .compare(
            .attribute(attribute.name), generator.pick(Comparison.allCases),
            .overall(
                generator.pick(figures), of: entity.name,
                where: generator.oneIn(2)
                    ? .constant(true) : make(for: entity, depth: 0, using: &generator)))
    }

    /// A figure over rows of an entity whose value does not depend on the order in which a backend adds, and a value to
    /// compare it with.
    func figure(
        of entity: Entity, using generator: inout SeededGenerator
    ) -> (AggregateFunction, StoredValue) {
        let attribute = generator.pick(entity.attributes.filter { $0.type != .json })
        let (name, number) = (attribute.name, StoredValue.int(Int64(generator.below(4))))
        return switch generator.below(7) {
        case 6:
            (
                .calculated(
                    .minimum("id"), of: operand(for: attribute, of: entity, depth: 1, using: &generator)),
                value(for: attribute, using: &generator)
            )
        case 0: (.minimum(name), value(for: attribute, using: &generator))
        case 1: (.maximum(name), value(for: attribute, using: &generator))
        case 2: (.countOf(name), number)
        case 3: (.countDistinct(name), number)
        case 4 where attribute.type == .int: (.average(name), .double(Double(generator.below(4))))
        default: (.count, number)
        }
    }

    /// A value of the attribute's type.
    func operand(
        for attribute: Attribute, of entity: Entity, depth: Int, using generator: inout SeededGenerator
    ) -> Operand {
        if depth > 0, generator.oneIn(40) {
            return deepOperand(for: attribute, of: entity, using: &generator)
        }
        if depth > 0, generator.oneIn(8),
            let value = referenced(for: attribute, of: entity, depth: depth - 1, using: &generator)
        {
            return value
        }
        return switch generator.below(6) {
        case 0: .coalesce(.attribute(attribute.name), .value(value(for: attribute, using: &generator)))
        case 1 where depth > 1:
            .conditional(
                make(for: entity, depth: depth - 2, using: &generator), .attribute(attribute.name),
                .value(value(for: attribute, using: &generator)))
        case 2..<4 where [.int, .double, .timestamp, .decimal].contains(attribute.type):
            calculation(with: attribute, in: .condition, using: &generator)
        default: .attribute(attribute.name)
        }
    }

    /// A value of the attribute's type in the row that a reference points to; nil if no row has one.
    func referenced(
        for attribute: Attribute, of entity: Entity, depth: Int, using generator: inout SeededGenerator
    ) -> Operand? {
        let references = entity.attributes.filter { $0.reference != nil }
        guard let reference = references.randomElement(using: &generator),
            let target = reference.reference.flatMap({ schema.entity($0) }),
            let other = target.attributes.filter({ $0.type == attribute.type })
                .randomElement(using: &generator)
        else { return nil }
        return .referenced(
            reference.name, operand(for: other, of: target, depth: depth, using: &generator))
    }

    /// Nested operands, up to the limit of depth and a little beyond.
    private func deepOperand(
        for attribute: Attribute, of entity: Entity, using generator: inout SeededGenerator
    ) -> Operand {
        let isNumber = attribute.type == .int || attribute.type == .double
        let start = calculable(attribute)
        return (0..<generator.below(14)).reduce(start) { inner, _ in
            let other = Operand.value(
                attribute.type == .double
                    ? .double(generator.pick(Self.doubles)) : value(for: attribute, using: &generator))
            switch generator.below(isNumber ? 8 : 5) {
            case 0: return .coalesce(inner, other)
            case 1...3: return .coalesce(start, inner)
            case 4:
                let test = leaf(for: entity, depth: 0, using: &generator)
                return generator.oneIn(2)
                    ? .conditional(test, inner, other) : .conditional(test, other, inner)
            default:
                let (zero, two): (StoredValue, StoredValue) =
                    attribute.type == .int ? (.int(0), .int(2)) : (.double(0), .double(2))
                return generator.oneIn(2)
                    ? .arithmetic(.value(zero), .add, inner) : .arithmetic(inner, .divide, .value(two))
            }
        }
    }

    /// A calculation: most have a result for most values, some have none for some rows.
    func calculation(
        with attribute: Attribute, in context: CalculationContext, using generator: inout SeededGenerator
    ) -> Operand {
        let operand = context == .condition ? calculable(attribute) : .attribute(attribute.name)
        if generator.oneIn(8) { return .negated(operand) }
        let isInteger = attribute.type == .int
        if attribute.type == .timestamp || attribute.type == .decimal {
            return movedOrMultiplied(operand, attribute.type, using: &generator)
        }
        let constant: StoredValue =
            isInteger
            ? .int(generator.pick([-1, 0, 1, 2, 3, 7, .max, .min]))
            : .double(generator.pick(Self.doubles + (context == .condition ? [] : [1e300])))
        let operators = ArithmeticOperator.allCases.filter { isInteger || $0 != .remainder }
        let calculation = generator.pick(operators + (generator.oneIn(3) ? [] : [.divide, .divide, .divide]))
        return switch generator.below(6) {
        case 0: .arithmetic(operand, calculation, operand)
        case 1, 2: .arithmetic(.value(constant), calculation, operand)
        default: .arithmetic(operand, calculation, .value(constant))
        }
    }

    /// A calculation that is Core's.
    private func movedOrMultiplied(
        _ operand: Operand, _ type: AttributeType, using generator: inout SeededGenerator
    ) -> Operand {
        guard type == .decimal else {
            return .arithmetic(
                operand, generator.pick([.add, .subtract]),
                .value(.double(generator.pick([0, 0.000_001, -604_800, 1e11]))))
        }
        return .arithmetic(
            operand, generator.pick([.add, .subtract, .multiply, .divide]),
            generator.oneIn(3) ? operand : .value(.decimal(generator.pick([0, 1, -3, 100]))))
    }

    private static let doubles: [Double] = [0, 2, -4, 0.1]

    /// An attribute to calculate with in a condition.
    ///
    /// Very large and very small doubles are replaced: when a result leaves the range of doubles, it depends on the
    /// backend for which rows it calculates.
    private func calculable(_ attribute: Attribute) -> Operand {
        let operand = Operand.attribute(attribute.name)
        guard attribute.type == .double else { return operand }
        func between(_ lower: Double, _ upper: Double) -> Condition {
            .all([
                .compare(operand, .greater, .value(.double(lower))),
                .compare(operand, .less, .value(.double(upper))),
            ])
        }
        let isCalculable = Condition.any([
            .isIn(operand, [.null, .double(0), .double(.infinity), .double(-.infinity)]), between(1e-9, 1e9),
            between(-1e9, -1e-9),
        ])
        return .conditional(isCalculable, operand, .value(.double(2.5)))
    }

    private func value(for attribute: Attribute, using generator: inout SeededGenerator) -> StoredValue {
        if let cases = attribute.cases, !generator.oneIn(4) { return generator.pick(cases) }
        return RandomValue.make(attribute.type, using: &generator)
    }
}
