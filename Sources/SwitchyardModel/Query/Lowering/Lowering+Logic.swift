internal import Foundation

extension PredicateExpressions.Conjunction: LowerableExpression {
    var conjunction: (any PredicateExpression<Bool>, any PredicateExpression<Bool>)? { (lhs, rhs) }

    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        .condition(.all(of: try terms(of: self, \.conjunction).map { try lowering.condition($0) }))
    }
}

extension PredicateExpressions.Disjunction: LowerableExpression {
    var disjunction: (any PredicateExpression<Bool>, any PredicateExpression<Bool>)? { (lhs, rhs) }

    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        .condition(.any(of: try terms(of: self, \.disjunction).map { try lowering.condition($0) }))
    }
}

/// Returns the terms of a whole chain, `a && b && c`, in order.
///
/// It is a loop rather than a recursion, because a chain of ten thousand terms is ten thousand levels deep.
private func terms(
    of chain: some PredicateExpression<Bool>,
    _ sides: (any LowerableExpression) -> (any PredicateExpression<Bool>, any PredicateExpression<Bool>)?
) -> [any PredicateExpression<Bool>] {
    var terms: [any PredicateExpression<Bool>] = []
    var pending: [any PredicateExpression<Bool>] = [chain]
    while let next = pending.popLast() {
        if let (lhs, rhs) = (next as? any LowerableExpression).flatMap(sides) {
            pending.append(rhs)
            pending.append(lhs)
        } else {
            terms.append(next)
        }
    }
    return terms
}

extension PredicateExpressions.Negation: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        .condition(!(try lowering.condition(wrapped)))
    }
}

extension PredicateExpressions.Conditional: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        let test = try lowering.condition(test)
        let yes = try lowering.lower(trueBranch)
        let no = try lowering.lower(falseBranch)
        if case .constant(let value) = test { return value ? yes : no }
        switch (yes, no) {
        case (.condition, _), (_, .condition),
            (.related, _) where Output.self == Bool.self, (_, .related) where Output.self == Bool.self:
            return .condition(.either(test, try yes.condition(), try no.condition()))
        case (.optionalCondition, _), (_, .optionalCondition):
            let (yes, no) = (try yes.optionalCondition(), try no.optionalCondition())
            return .optionalCondition(
                present: .either(test, yes.present, no.present), .either(test, yes.value, no.value))
        default:
            // The guards of a branch only matter if it is taken.
            let guards = yes.guards.map { !test || $0 } + no.guards.map { test || $0 }
            return .operand(.conditional(test, try yes.operand(), try no.operand()), guards: guards)
        }
    }
}

extension Condition {
    /// A condition that all terms hold, flattened and without constants.
    static func all(of terms: [Condition]) -> Condition {
        var flat: [Condition] = []
        for term in terms {
            switch term {
            case .constant(true): continue
            case .constant(false): return term
            case .all(let inner): flat += inner
            default: flat.append(term)
            }
        }
        return flat.count == 1 ? flat[0] : flat.isEmpty ? .constant(true) : .all(flat)
    }

    /// A condition that any term holds, flattened and without constants.
    static func any(of terms: [Condition]) -> Condition {
        var flat: [Condition] = []
        for term in terms {
            switch term {
            case .constant(false): continue
            case .constant(true): return term
            case .any(let inner): flat += inner
            default: flat.append(term)
            }
        }
        return flat.count == 1 ? flat[0] : flat.isEmpty ? .constant(false) : .any(flat)
    }

    /// The first condition if the test holds, otherwise the second.
    static func either(_ test: Condition, _ yes: Condition, _ no: Condition) -> Condition {
        any(of: [all(of: [test, yes]), all(of: [!test, no])])
    }
}
