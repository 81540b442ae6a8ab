/// What a condition needs beyond the values of its row, which some filters must not use.
package struct ConditionNeeds: OptionSet {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Rows of another entity.
    package static let otherRows = Self(rawValue: 1)
    /// A calculation, which can leave the range of doubles.
    package static let arithmetic = Self(rawValue: 2)
}

extension Condition {
    /// What the condition needs; the recursion is as deep as the condition.
    var needs: ConditionNeeds {
        switch self {
        case .constant, .search: []
        case .all(let terms), .any(let terms): terms.reduce([]) { $0.union($1.needs) }
        case .not(let inner): inner.needs
        case .compare(let lhs, _, let rhs), .match(let lhs, _, let rhs): lhs.needs.union(rhs.needs)
        case .isIn(let operand, _): operand.needs
        case .exists(_, let inner): inner.needs.union(.otherRows)
        }
    }
}

extension Operand {
    /// What the operand needs; the recursion is as deep as the operand.
    package var needs: ConditionNeeds {
        switch self {
        case .attribute, .folded, .value: []
        case .figure(let function, _, let inner), .overall(let function, _, let inner):
            inner.needs.union(function.calculated?.needs ?? []).union(.otherRows)
        case .referenced(_, let inner): inner.needs.union(.otherRows)
        case .arithmetic(let lhs, _, let rhs): lhs.needs.union(rhs.needs).union(.arithmetic)
        case .negated(let inner): inner.needs.union(.arithmetic)
        case .coalesce(let first, let second): first.needs.union(second.needs)
        case .conditional(let test, let yes, let no): test.needs.union(yes.needs).union(no.needs)
        }
    }
}
