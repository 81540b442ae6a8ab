internal import Foundation

extension PredicateExpressions.OptionalFlatMap: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        let wrapped = try lowering.lower(self.wrapped)
        switch wrapped {
        case .captured(let value):
            guard let value = Lowered.unwrapped(value) else { return .operand(.value(.null)) }
            return try lowering.binding(variable.key, to: .captured(value)) { try $0.lower(transform) }
        case .optionalCondition(let present, let condition):
            let inner = try lowering.binding(variable.key, to: .condition(condition)) {
                try $0.lower(transform)
            }
            return try inner.only(where: present)
        case .related(var value):
            value.otherwise = nil
            let inner = try lowering.binding(variable.key, to: .related(value)) { try $0.lower(transform) }
            return try inner.made(of: wrapped)
        case .folded:
            return try lowering.binding(variable.key, to: wrapped) { try $0.lower(transform) }.made(
                of: wrapped)
        default:
            let operand = try wrapped.operand()
            let inner = try lowering.binding(variable.key, to: .operand(operand)) { try $0.lower(transform) }
            return try inner.made(of: wrapped)
        }
    }
}

extension PredicateExpressions.NilCoalesce: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        var first = try lowering.lower(lhs)
        let second = try lowering.lower(rhs)
        // Conditions on two different rows can be combined into one; values cannot.
        if case .related(let value) = first, case .condition = value.value, !second.isCaptured {
            first = .optionalCondition(present: value.isReached, try value.condition())
        }
        return try .combining(first, second, Lowered.coalesced)
    }
}

extension Lowered {
    /// The first value, or the second if the first is nil.
    fileprivate static func coalesced(_ first: Lowered, _ second: Lowered) throws -> Lowered {
        switch first {
        case .captured(let value):
            guard let value = Lowered.unwrapped(value) else { return second }
            return .captured(value)
        case .operand(.value(.null), _): return second
        case .condition: return first
        case .optionalCondition(let present, let condition):
            guard case .optionalCondition(let otherPresent, let other) = second else {
                return .condition(.either(present, condition, try second.condition()))
            }
            return .optionalCondition(
                present: .any(of: [present, otherPresent]), .either(present, condition, other))
        default:
            let operand = try first.operand()
            // The second is only evaluated if the first is nil, and only then must its guards hold.
            let guards = second.guards.map { Condition.any(of: [.isPresent(operand), $0]) }
            return .operand(.coalesce(operand, try second.operand()), guards: first.guards + guards)
        }
    }
}

/// `!` promises a value. If there is none, a comparison with it is false, where Swift would trap.
extension PredicateExpressions.ForcedUnwrap: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        let optional = try lowering.lower(inner)
        switch optional {
        case .related(var related):
            related.value = try Self.lowered(related.value)
            related.otherwise = nil
            return .related(related)
        default: return try Self.lowered(optional)
        }
    }

    private static func lowered(_ optional: Lowered) throws -> Lowered {
        switch optional {
        case .captured(let value):
            guard let value = Lowered.unwrapped(value) else {
                return .operand(.value(.null), guards: [.constant(false)])
            }
            return .captured(value)
        case .optionalCondition(let present, let condition):
            return .condition(.all(of: [present, condition]))
        default:
            let operand = try optional.operand()
            return .operand(operand, guards: optional.guards + [.isPresent(operand)])
        }
    }
}

extension Lowered {
    /// The value inside an optional; nil for nil.
    fileprivate static func unwrapped(_ value: Any) -> Any? {
        guard let optional = value as? any OptionalValue else { return value }
        return optional.wrapped.flatMap(unwrapped)
    }

    /// Returns this, which was made from the value of an optional, or nil if the optional is nil.
    fileprivate func made(of optional: Lowered) throws -> Lowered {
        switch (self, optional) {
        case (.related(var result), .related(let source)) where result.path == source.path:
            result.value = try result.value.made(of: source.value)
            result.otherwise = .operand(.value(.null))
            return .related(result)
        case (.related(var result), _) where optional.referencePath.map(result.path.starts(with:)) == true:
            result.otherwise = .operand(.value(.null))
            return .related(result)
        case (.related(let result), _):
            guard case .condition = result.value else { return try result.ofTheRow().made(of: optional) }
            return try Lowered.condition(try result.condition()).made(of: optional)
        case (.operand(let result, let guards), .operand(let operand, let others))
        where result.isNilWithout(operand):
            return .operand(result, guards: others + guards)
        default: return try only(where: try optional.isPresent())
        }
    }

    /// Whether this has a value.
    private func isPresent() throws -> Condition {
        try map { value in
            if case .toMany = value { return .condition(.constant(true)) }
            if case .folded(let attribute, let guards) = value {
                return .condition(.guarded(guards, .isPresent(.attribute(attribute))))
            }
            return .condition(.guarded(value.guards, .isPresent(try value.operand())))
        }.condition()
    }

    /// Returns this if a condition holds, otherwise nil.
    fileprivate func only(where present: Condition) throws -> Lowered {
        switch self {
        case .condition(let condition): .optionalCondition(present: present, condition)
        case .optionalCondition(let alsoPresent, let condition):
            .optionalCondition(present: .all(of: [present, alsoPresent]), condition)
        // A search of a nil attribute is already false.
        case .search: self
        case .folded(let attribute, _) where present == .isPresent(.attribute(attribute)): self
        default:
            .operand(
                .conditional(present, try operand(), .value(.null)), guards: guards.map { !present || $0 })
        }
    }
}

extension Operand {
    /// Whether this is nil whenever another operand is.
    fileprivate func isNilWithout(_ other: Operand) -> Bool {
        if self == other { return true }
        return switch self {
        case .arithmetic(let lhs, _, let rhs): lhs.isNilWithout(other) || rhs.isNilWithout(other)
        case .negated(let inner): inner.isNilWithout(other)
        default: false
        }
    }
}
