internal import Foundation

extension PredicateExpressions.SequenceContainsWhere: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        switch try lowering.lower(sequence) {
        case .toMany(let name, let model):
            return .condition(.exists(relationship: name, try lowering.inside(variable.key, of: model, test)))
        case .captured(let value):
            guard let elements = value as? LHS.Output else { break }
            return .condition(.any(of: try lowering.conditions(elements, variable: variable.key, test)))
        default: break
        }
        throw StoreError.unsupportedExpression(
            "contains(where:) can be asked of a to-many relationship and of a captured collection only.")
    }
}

extension PredicateExpressions.SequenceAllSatisfy: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        switch try lowering.lower(sequence) {
        case .toMany(let name, let model):
            return .condition(
                !.exists(relationship: name, !(try lowering.inside(variable.key, of: model, test))))
        case .captured(let value):
            guard let elements = value as? LHS.Output else { break }
            return .condition(.all(of: try lowering.conditions(elements, variable: variable.key, test)))
        default: break
        }
        throw StoreError.unsupportedExpression(
            "allSatisfy(_:) can be asked of a to-many relationship and of a captured collection only.")
    }
}

extension Lowering {
    /// A test written out for each element of a captured collection.
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
