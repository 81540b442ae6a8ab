internal import Foundation

extension PredicateExpressions.Arithmetic: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        let calculation: ArithmeticOperator =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default: throw StoreError.unsupportedExpression("The calculation \(op) is not known.")
            }
        return try .combining(try lowering.lower(lhs), try lowering.lower(rhs)) {
            try .calculation($0, calculation, $1, of: LHS.Output.self)
        }
    }

    private typealias ArithmeticOperator = SwitchyardCore.ArithmeticOperator
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

    /// A constant with its sign turned, of the types that are not calculated with otherwise and lose nothing by
    /// it; `-0.5` is one.
    fileprivate static func negated(_ constant: Any) -> Lowered? {
        switch constant {
        case let decimal as Decimal: .captured(-decimal)
        case let float as Float: .captured(-float)
        default: nil
        }
    }

    /// Refuses the numbers that Swift rounds, or ends the program over, where a store's integers of 64 bits
    /// and doubles do not.
    fileprivate static func requireCalculable(_ number: Any.Type) throws {
        guard ArithmeticOperator.takes(number) else {
            throw StoreError.unsupportedExpression(
                "Stores calculate with integers of 64 bits and with doubles, and not as \(number) does. Make the "
                    + "attribute an Int or a Double, or compare without calculating.")
        }
    }
}
