extension Condition {
    /// How deep calculations nest, in the levels of `Limits.calculationDepth`.
    ///
    /// - Complexity: O(terms).
    public var calculationDepth: Int { calculation.depth }

    private var calculation: (depth: Int, canFail: Bool) {
        switch self {
        case .constant, .search: return (0, false)
        case .not(let inner): return inner.calculation
        case .exists(_, let inner):
            let calculation = inner.calculation
            return (calculation.depth + 3, calculation.canFail)
        case .compare(let lhs, _, let rhs), .match(let lhs, _, let rhs):
            return (max(lhs.calculationDepth, rhs.calculationDepth), lhs.canFail || rhs.canFail)
        case .isIn(let operand, _): return (operand.calculationDepth, operand.canFail)
        case .all(let parts), .any(let parts):
            let whole = parts.map(\.calculation).reduce((depth: 0, canFail: false)) {
                (max($0.depth, $1.depth), $0.canFail || $1.canFail)
            }
            return (whole.depth + (whole.canFail && parts.count > 1 ? 1 : 0), whole.canFail)
        }
    }
}

extension Operand {
    /// How deep calculations nest, in the levels of `Limits.calculationDepth`.
    ///
    /// - Complexity: O(terms).
    public var calculationDepth: Int {
        switch self {
        case .attribute, .value: 0
        case .count: 3
        case .negated(let inner): 1 + inner.calculationDepth
        case .arithmetic(let lhs, _, let rhs), .coalesce(let lhs, let rhs):
            1 + max(lhs.calculationDepth, rhs.calculationDepth)
        case .conditional(let test, let yes, let no):
            2 + max(test.calculationDepth, yes.calculationDepth, no.calculationDepth)
        }
    }
}
