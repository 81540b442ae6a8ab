internal import SwitchyardCore

/// Conditions as numbers, for a parser whose stack limits the nesting of brackets.
///
/// `a OR b AND (c OR …)` needs brackets, because `AND` binds more tightly, and each bracket stays on the parser's stack
/// until it is closed. `&` and `|` have the same precedence and associate from left to right: with the deepest term
/// first, no brackets are needed. Each term is converted to 1 or 0 first, since NULL is neither. Indexes cannot serve
/// this form, so only deep conditions use it.
extension SQLWriter {
    /// Decides how to write the next condition.
    mutating func prepare(for condition: Condition) {
        prepare(nesting: condition.nesting, calculationDepth: condition.calculationDepth)
    }

    /// Decides how to write the next operand.
    mutating func prepare(for operand: Operand) {
        prepare(nesting: operand.nesting, calculationDepth: operand.calculationDepth)
    }

    /// A nested list takes three entries of the parser's stack and a calculation five; the rest is left for what
    /// surrounds the condition and for its terms.
    private mutating func prepare(nesting: Int, calculationDepth: Int) {
        guard let stack = dialect.parserStack else { return }
        writesBits = 3 * nesting + 5 * calculationDepth > stack / 2
    }

    /// Writes a condition as 1 or 0.
    mutating func bits(_ condition: Condition, negated: Bool, in source: SQLSource) throws {
        switch condition {
        case .not(let inner): try bits(inner, negated: !negated, in: source)
        case .all(let parts) where parts.count == 1, .any(let parts) where parts.count == 1:
            try bits(parts[0], negated: negated, in: source)
        case .all(let parts) where !parts.isEmpty:
            try bits(parts, by: negated ? .or : .and, negated: negated, in: source)
        case .any(let parts) where !parts.isEmpty:
            try bits(parts, by: negated ? .and : .or, negated: negated, in: source)
        default:
            write("((")
            try self.condition(condition, negated: negated, in: source)
            write(") IS TRUE)")
        }
    }

    private mutating func bits(
        _ parts: [Condition], by connective: SQLConnective, negated: Bool, in source: SQLSource
    ) throws {
        guard let deepest = parts.indices.max(by: { parts[$0].nesting < parts[$1].nesting }) else { return }
        try bits(parts[deepest], negated: negated, in: source)
        write(connective == .and ? " & " : " | ")
        let others = Array(parts[..<deepest] + parts[(deepest + 1)...])
        if others.count == 1, others[0].nesting > 0 {
            write("(")
            try bits(others[0], negated: negated, in: source)
            write(")")
        } else {
            // In one bracket, since a chain of operators is as deep as it is long.
            write("((")
            try chain(others[...], by: connective, negated: negated, in: source)
            write(") IS TRUE)")
        }
    }
}

extension Condition {
    /// The depth of nested lists of terms.
    var nesting: Int {
        switch self {
        case .constant, .search: 0
        case .all(let parts), .any(let parts):
            (parts.lazy.map(\.nesting).max() ?? 0) + (parts.count > 1 ? 1 : 0)
        case .not(let inner), .exists(_, let inner): inner.nesting
        case .compare(let lhs, _, let rhs), .match(let lhs, _, let rhs): max(lhs.nesting, rhs.nesting)
        case .isIn(let operand, _): operand.nesting
        }
    }
}

extension Operand {
    /// The depth of nested lists of terms.
    var nesting: Int {
        switch self {
        case .attribute, .folded, .value, .overall: 0
        case .figure(_, _, let inner): inner.nesting
        case .referenced(_, let inner): inner.nesting
        case .negated(let inner): inner.nesting
        case .arithmetic(let lhs, _, let rhs), .coalesce(let lhs, let rhs): max(lhs.nesting, rhs.nesting)
        case .conditional(let test, let yes, let no): max(test.nesting, yes.nesting, no.nesting)
        }
    }
}
