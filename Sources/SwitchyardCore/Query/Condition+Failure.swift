/// Which conditions can raise an error: a row that fails makes the whole question fail, so that every backend
/// must try the same rows in the same order of terms, and no others.
///
/// The terms of `all` and `any` are tried in their order until one decides, for every row that the terms
/// before have left open. An `exists` tries all rows that are related to the row, whichever of them decides.
/// Rows are tried whether or not a limit leaves them out of the answer later on.
extension Condition {
    /// Whether evaluating it can raise an error: only calculations can.
    ///
    /// - Complexity: O(terms).
    public var canFail: Bool {
        switch self {
        case .constant, .search: false
        case .all(let parts), .any(let parts): parts.contains(where: \.canFail)
        case .not(let inner), .exists(_, let inner): inner.canFail
        case .compare(let lhs, _, let rhs), .match(let lhs, _, let rhs): lhs.canFail || rhs.canFail
        case .isIn(let operand, _): operand.canFail
        }
    }
}

extension Operand {
    /// Whether working it out can raise an error.
    ///
    /// - Complexity: O(terms).
    public var canFail: Bool {
        switch self {
        case .attribute, .value, .count: false
        case .arithmetic, .negated: true
        case .coalesce(let first, let second): first.canFail || second.canFail
        case .conditional(let condition, let first, let second):
            condition.canFail || first.canFail || second.canFail
        }
    }
}
