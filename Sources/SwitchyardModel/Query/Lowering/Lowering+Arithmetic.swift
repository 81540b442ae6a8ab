internal import Foundation

extension PredicateExpressions.Arithmetic: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        let calculation: ArithmeticOperator =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default: throw StoreError.unsupportedExpression("The calculation \(op) is unknown.")
            }
        return try .combining(try lowering.lower(lhs), try lowering.lower(rhs)) {
            try .calculation($0, calculation, $1, of: LHS.Output.self)
        }
    }

    private typealias ArithmeticOperator = SwitchyardModel.ArithmeticOperator
}

extension PredicateExpressions.MovedDate: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        try .combining(try lowering.lower(date), try lowering.lower(seconds)) { date, seconds in
            .operand(
                .arithmetic(try date.operand(), isLater ? .add : .subtract, try seconds.operand()),
                guards: date.guards + seconds.guards)
        }
    }
}

extension PredicateExpressions.IntDivision: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        try .combining(try lowering.lower(lhs), try lowering.lower(rhs)) {
            try .calculation($0, .divide, $1, of: LHS.Output.self)
        }
    }
}

extension PredicateExpressions.FloatDivision: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        try .combining(try lowering.lower(lhs), try lowering.lower(rhs)) {
            try .calculation($0, .divide, $1, of: LHS.Output.self)
        }
    }
}

extension PredicateExpressions.IntRemainder: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        try .combining(try lowering.lower(lhs), try lowering.lower(rhs)) {
            try .calculation($0, .remainder, $1, of: LHS.Output.self)
        }
    }
}

extension PredicateExpressions.UnaryMinus: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        try lowering.lower(wrapped).map { inner in
            if case .captured(let constant) = inner, let negated = Lowered.negated(constant) {
                return negated
            }
            try Lowered.requireCalculable(Wrapped.Output.self)
            return .operand(.negated(try inner.operand()), guards: inner.guards)
        }
    }
}

extension Lowered {
    fileprivate static func calculation(
        _ lhs: Lowered, _ calculation: ArithmeticOperator, _ rhs: Lowered, of number: Any.Type
    ) throws -> Lowered {
        try requireCalculable(number)
        return .operand(
            .arithmetic(try lhs.operand(), calculation, try rhs.operand()), guards: lhs.guards + rhs.guards)
    }

    /// A negated constant, such as `-0.5`, of a type that otherwise does not support calculation but loses nothing by
    /// negation.
    fileprivate static func negated(_ constant: Any) -> Lowered? {
        switch constant {
        case let decimal as Decimal: .captured(-decimal)
        case let float as Float: .captured(-float)
        default: nil
        }
    }

    /// Refuses types whose arithmetic rounds or traps in Swift where a store's integers and doubles do not.
    fileprivate static func requireCalculable(_ number: Any.Type) throws {
        guard ArithmeticOperator.takes(number) else {
            throw StoreError.unsupportedExpression(
                "Stores calculate with 64-bit integers, doubles and decimals, not as \(number) does. Make the "
                    + "attribute an Int, a Double or a Decimal, or compare without calculating.")
        }
    }
}
