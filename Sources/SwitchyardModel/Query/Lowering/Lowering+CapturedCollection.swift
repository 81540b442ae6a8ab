internal import Foundation

extension PredicateExpressions.SequenceContainsWhere: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        guard case .captured(let elements as LHS.Output) = try lowering.lower(sequence) else {
            throw StoreError.notCaptured("contains(where:)")
        }
        return .condition(.any(of: try lowering.conditions(elements, variable: variable.key, test)))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        guard case .captured(let elements as LHS.Output) = try lowering.lower(sequence) else {
            throw StoreError.notCaptured("allSatisfy(_:)")
        }
        return .condition(.all(of: try lowering.conditions(elements, variable: variable.key, test)))
    }
}

extension Lowering {
    /// Lowers a test once for each element of a captured collection.
    fileprivate mutating func conditions(
        _ elements: some Sequence, variable: PredicateExpressions.VariableID,
        _ test: some PredicateExpression<Bool>
    ) throws -> [Condition] {
        var conditions: [Condition] = []
        for element in elements {
            conditions.append(try binding(variable, to: .captured(element)) { try $0.condition(test) })
        }
        return conditions
    }
}

extension StoreError {
    fileprivate static func notCaptured(_ method: String) -> StoreError {
        .unsupportedExpression(
            "\(method) is only supported on a to-many relationship or a captured collection.")
    }
}
