internal import Foundation

extension PredicateExpressions.Conjunction: LowerableExpression, ChainedExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        .condition(.all(of: try terms { $0 as? any ConjunctionChain }.map { try lowering.condition($0) }))
    }
}

extension PredicateExpressions.Disjunction: LowerableExpression, ChainedExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        .condition(.any(of: try terms { $0 as? any DisjunctionChain }.map { try lowering.condition($0) }))
    }
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
        case (.condition, _), (_, .condition):
            return .condition(.either(test, try yes.condition(), try no.condition()))
        case (.optionalCondition, _), (_, .optionalCondition):
            let (yes, no) = (try yes.optionalCondition(), try no.optionalCondition())
            return .optionalCondition(
                present: .either(test, yes.present, no.present), .either(test, yes.value, no.value))
        default:
            // The guards of a branch matter only where it is taken.
            let guards = yes.guards.map { !test || $0 } + no.guards.map { test || $0 }
            return .operand(.conditional(test, try yes.operand(), try no.operand()), guards: guards)
        }
    }
}

/// One of the two expressions that chain: `a && b && c`.
private protocol ChainedExpression {
    associatedtype LHS: PredicateExpression<Bool>
    associatedtype RHS: PredicateExpression<Bool>
    var lhs: LHS { get }
    var rhs: RHS { get }
}

private protocol ConjunctionChain: ChainedExpression {}
private protocol DisjunctionChain: ChainedExpression {}
extension PredicateExpressions.Conjunction: ConjunctionChain {}
extension PredicateExpressions.Disjunction: DisjunctionChain {}

extension ChainedExpression {
    /// The terms of a whole chain, in order.
    ///
    /// A loop, because a chain of ten thousand terms is ten thousand levels deep.
    fileprivate func terms(
        _ chain: (any PredicateExpression<Bool>) -> (any ChainedExpression)?
    ) -> [any PredicateExpression<Bool>] {
        var terms: [any PredicateExpression<Bool>] = []
        var pending: [any PredicateExpression<Bool>] = [rhs, lhs]
        while let next = pending.popLast() {
            if let link = chain(next) {
                link.unfold(into: &pending)
            } else {
                terms.append(next)
            }
        }
        return terms
    }

    private func unfold(into pending: inout [any PredicateExpression<Bool>]) {
        pending.append(rhs)
        pending.append(lhs)
    }
}

extension Condition {
    /// All of the terms, flat and without constants.
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

    /// Any of the terms, flat and without constants.
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

    /// The first condition where the test holds, else the second.
    static func either(_ test: Condition, _ yes: Condition, _ no: Condition) -> Condition {
        any(of: [all(of: [test, yes]), all(of: [!test, no])])
    }
}
