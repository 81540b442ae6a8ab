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
        return try .calculation(try lowering.lower(lhs), calculation, try lowering.lower(rhs))
    }

    private typealias ArithmeticOperator = SwitchyardCore.ArithmeticOperator
}

extension PredicateExpressions.IntDivision: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        try .calculation(try lowering.lower(lhs), .divide, try lowering.lower(rhs))
    }
}

extension PredicateExpressions.FloatDivision: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        try .calculation(try lowering.lower(lhs), .divide, try lowering.lower(rhs))
    }
}

extension PredicateExpressions.IntRemainder: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        try .calculation(try lowering.lower(lhs), .remainder, try lowering.lower(rhs))
    }
}

extension PredicateExpressions.UnaryMinus: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        let inner = try lowering.lower(wrapped)
        return .operand(.negated(try inner.operand()), guards: inner.guards)
    }
}

extension Lowered {
    fileprivate static func calculation(
        _ lhs: Lowered, _ calculation: ArithmeticOperator, _ rhs: Lowered
    ) throws -> Lowered {
        .operand(
            .arithmetic(try lhs.operand(), calculation, try rhs.operand()), guards: lhs.guards + rhs.guards)
    }
}
