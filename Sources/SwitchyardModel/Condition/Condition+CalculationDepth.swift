extension Condition {
    /// The depth of nested calculations, as `Limits.calculationDepth` counts it.
    ///
    /// - Complexity: O(terms).
    public var calculationDepth: Int {
        switch self {
        case .constant, .search: 0
        case .not(let inner): inner.calculationDepth
        case .exists(_, let inner): 3 + inner.calculationDepth
        case .compare(let lhs, _, let rhs), .match(let lhs, _, let rhs):
            max(lhs.calculationDepth, rhs.calculationDepth)
        case .isIn(let operand, _): operand.calculationDepth
        case .all(let parts), .any(let parts): parts.lazy.map(\.calculationDepth).max() ?? 0
        }
    }
}

extension Operand {
    /// The depth of nested calculations, as `Limits.calculationDepth` counts it.
    ///
    /// - Complexity: O(terms).
    public var calculationDepth: Int {
        switch self {
        case .attribute, .folded, .value: 0
        case .figure(let function, _, let inner):
            3 + max(inner.calculationDepth, function.calculated?.calculationDepth ?? 0)
        case .referenced(_, let inner): 3 + inner.calculationDepth
        // It becomes a constant.
        case .overall: 0
        case .negated(let inner): 1 + inner.calculationDepth
        case .arithmetic(let lhs, _, let rhs), .coalesce(let lhs, let rhs):
            1 + max(lhs.calculationDepth, rhs.calculationDepth)
        case .conditional(let test, let yes, let no):
            2 + max(test.calculationDepth, yes.calculationDepth, no.calculationDepth)
        }
    }
}
