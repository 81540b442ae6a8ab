internal import Foundation

extension PredicateExpressions.Equal: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        try Lowered.combining(try lowering.lower(lhs), try lowering.lower(rhs)) {
            .condition(try Lowered.equality($0, $1, isNegated: false))
        }
    }
}

extension PredicateExpressions.NotEqual: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        try Lowered.combining(try lowering.lower(lhs), try lowering.lower(rhs)) {
            .condition(try Lowered.equality($0, $1, isNegated: true))
        }
    }
}

extension PredicateExpressions.Comparison: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        let comparison: Comparison =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default: throw StoreError.unsupportedExpression("The comparison \(op) is unknown.")
            }
        try Condition.requireStoredOrder(of: LHS.Output.self)
        return try .combining(try lowering.lower(lhs), try lowering.lower(rhs)) {
            .condition(try .ordering($0, comparison, $1))
        }
    }

    private typealias Comparison = SwitchyardModel.Comparison
}

extension Lowered {
    /// `lhs == rhs`, or `lhs != rhs`, in two-valued logic.
    fileprivate static func equality(_ lhs: Lowered, _ rhs: Lowered, isNegated: Bool) throws -> Condition {
        switch (lhs, rhs) {
        case (.search(let attribute, let text, let guards), .captured(let order)),
            (.captured(let order), .search(let attribute, let text, let guards)):
            guard order as? ComparisonResult == .orderedSame else {
                return .constant(try lhs.operand() == rhs.operand())
            }
            let same = Condition.search(attribute: attribute, .equals, text: text)
            return .guarded(guards, isNegated ? !same : same)
        case (.folded(let attribute, let guards), let other), (let other, .folded(let attribute, let guards)):
            if case .value(.null) = try other.operand() {
                return .guarded(
                    guards, .compare(.attribute(attribute), isNegated ? .notEqual : .equal, .value(.null)))
            }
            let same = try Condition.search(of: attribute, .equals, other)
            return .guarded(guards, isNegated ? !same : same)
        case (.operand(.value(.null), _), .captured(is ComparisonResult)),
            (.captured(is ComparisonResult), .operand(.value(.null), _)):
            return .constant(isNegated)
        case (.condition(let condition), .captured(let value as Bool)),
            (.captured(let value as Bool), .condition(let condition)):
            return value != isNegated ? condition : !condition
        case (.optionalCondition(let present, let condition), let other),
            (let other, .optionalCondition(let present, let condition)):
            if let same = try other.equality(toOptional: condition, present: present) {
                return isNegated ? !same : same
            }
        default: break
        }
        return .guarded(
            lhs.guards + rhs.guards,
            .compare(try lhs.operand(), isNegated ? .notEqual : .equal, try rhs.operand()))
    }

    /// The condition that an optional condition equals this, if this is a constant.
    private func equality(toOptional condition: Condition, present: Condition) throws -> Condition? {
        guard case .value(let value) = try operand() else { return nil }
        return switch value {
        case .null: !present
        case .bool(true): .all(of: [present, condition])
        case .bool(false): .all(of: [present, !condition])
        default: nil
        }
    }

    /// Returns this as a condition that may be nil.
    func optionalCondition() throws -> (present: Condition, value: Condition) {
        switch self {
        case .optionalCondition(let present, let condition): (present, condition)
        case .condition(let condition): (.constant(true), condition)
        default:
            (
                .guarded(guards, .isPresent(try operand())),
                .compare(try operand(), .equal, .value(.bool(true)))
            )
        }
    }
}

extension Condition {
    /// Refuses to order enums and Codable values, whose own `<` can differ from the order of their raw values, the only
    /// one that stores know.
    static func requireStoredOrder(of type: Any.Type) throws {
        let type = (type as? any OptionalValue.Type)?.wrappedType ?? type
        guard type is any AttributeValue.Type else {
            throw StoreError.unsupportedExpression(
                "Values of \(type) have an order of their own, unknown to stores. Compare their raw values.")
        }
    }

    static func ordering(_ lhs: Lowered, _ comparison: Comparison, _ rhs: Lowered) throws -> Condition {
        .guarded(lhs.guards + rhs.guards, .compare(try lhs.operand(), comparison, try rhs.operand()))
    }
}
