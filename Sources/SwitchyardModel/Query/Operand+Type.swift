/// What calculations give, and which of them are Core's.
///
/// Drivers calculate with integers and with doubles. Core calculates with decimals and times, so that a backend has nothing
/// to add.
extension Operand {
    /// The type of a validated operand's values; nil if it is always nil.
    package func type(in entity: Entity, of schema: Schema) -> AttributeType? {
        switch self {
        case .attribute(let name): entity.attribute(name)?.type
        case .value(let value): value.type
        case .folded: .text
        case .negated(let inner): inner.type(in: entity, of: schema)
        case .arithmetic(let lhs, let calculation, let rhs):
            calculation.type(lhs.type(in: entity, of: schema), rhs.type(in: entity, of: schema)) ?? nil
        case .coalesce(let first, let second), .conditional(_, let first, let second):
            first.type(in: entity, of: schema) ?? second.type(in: entity, of: schema)
        case .figure(let function, let name, _):
            entity.relationship(name).flatMap { schema.entity($0.target) }.flatMap {
                function.type(in: $0, of: schema)
            }
        case .referenced(let name, let inner):
            entity.attribute(name)?.reference.flatMap { schema.entity($0) }.flatMap {
                inner.type(in: $0, of: schema)
            }
        case .overall(let function, let name, _):
            schema.entity(name).flatMap { function.type(in: $0, of: schema) }
        }
    }
}

extension ArithmeticOperator {
    /// The type of the result; nil for types that cannot be calculated with, and a nil type goes with every other.
    package func type(_ lhs: AttributeType?, _ rhs: AttributeType?) -> AttributeType?? {
        switch (lhs, self, rhs) {
        case (nil, _, nil): .some(nil)
        case (.timestamp, .add, .double), (.timestamp, .subtract, .double): .timestamp
        case (_, .remainder, .double), (.double, .remainder, _), (_, .remainder, .decimal),
            (.decimal, .remainder, _):
            nil
        case (.int, _, .int), (.double, _, .double), (.decimal, _, .decimal): lhs
        case (.int, _, nil), (.double, _, nil), (.decimal, _, nil): lhs
        case (nil, _, .int), (nil, _, .double), (nil, _, .decimal): rhs
        default: nil
        }
    }

    /// Whether drivers calculate with values of these types.
    package static func isDrivers(_ lhs: AttributeType?, _ rhs: AttributeType?) -> Bool {
        [lhs, rhs].allSatisfy { $0 == nil || $0 == .int || $0 == .double }
    }
}
