extension Condition: CustomStringConvertible {
    /// The condition in Swift syntax, on one line, such as `endTime == nil && amount > 0`.
    ///
    /// It contains the constants, so do not put it into an error.
    public var description: String { text(depth: Limits.conditionDepth) }

    /// Stores refuse conditions that are deeper than `depth`; describing the rest of a deeper one would overflow the
    /// stack.
    fileprivate func text(depth: Int) -> String {
        guard depth > 0 else { return "…" }
        let depth = depth - 1
        return switch self {
        case .constant(let value): String(value)
        case .all(let terms): Self.joined(terms, by: "&&", empty: "true", depth: depth)
        case .any(let terms): Self.joined(terms, by: "||", empty: "false", depth: depth)
        case .not(let inner): "!(\(inner.text(depth: depth)))"
        case .compare(let lhs, let comparison, let rhs):
            "\(lhs.term(depth: depth)) \(comparison.symbol) \(rhs.term(depth: depth))"
        case .isIn(let operand, let values):
            "\(operand.term(depth: depth)) in (\(values.map(\.literal).joined(separator: ", ")))"
        case .match(let text, let match, let other):
            "\(text.term(depth: depth)) \(match.rawValue) \(other.term(depth: depth))"
        case .search(let attribute, let match, let text):
            "folded \(attribute) \(match.rawValue) \(StoredValue.text(text).literal)"
        case .exists(let relationship, let inner):
            "\(relationship) contains (\(inner.text(depth: depth)))"
        }
    }

    private static func joined(_ terms: [Self], by symbol: String, empty: String, depth: Int) -> String {
        terms.isEmpty ? empty : terms.map { $0.term(depth: depth) }.joined(separator: " \(symbol) ")
    }

    /// The condition as a term of another one, in parentheses if necessary.
    private func term(depth: Int) -> String {
        switch self {
        case .all, .any: "(\(text(depth: depth)))"
        default: text(depth: depth)
        }
    }
}

extension Operand: CustomStringConvertible {
    /// The operand in Swift syntax, such as `amount ?? 0`.
    ///
    /// It contains the constants, so do not put it into an error.
    public var description: String { text(depth: Limits.conditionDepth) }

    /// The operand as a part of another expression, in parentheses if necessary.
    fileprivate func term(depth: Int) -> String {
        switch self {
        case .attribute, .folded, .value, .figure, .referenced, .overall: text(depth: depth)
        default: "(\(text(depth: depth)))"
        }
    }

    fileprivate func text(depth: Int) -> String {
        guard depth > 0 else { return "…" }
        let depth = depth - 1
        return switch self {
        case .attribute(let name): name
        case .value(let value): value.literal
        case .arithmetic(let lhs, let calculation, let rhs):
            "\(lhs.term(depth: depth)) \(calculation.symbol) \(rhs.term(depth: depth))"
        case .negated(let inner): "-\(inner.term(depth: depth))"
        case .coalesce(let first, let second):
            "\(first.term(depth: depth)) ?? \(second.term(depth: depth))"
        case .conditional(let test, let yes, let no):
            "(\(test.text(depth: depth))) ? \(yes.term(depth: depth)) : \(no.term(depth: depth))"
        case .folded(let name): "folded \(name)"
        case .figure(let function, let relationship, .constant(true)):
            "\(relationship).\(function.text(depth: depth))"
        case .figure(let function, let relationship, let inner):
            "\(relationship).where(\(inner.text(depth: depth))).\(function.text(depth: depth))"
        case .referenced(let reference, let inner): "\(reference).\(inner.term(depth: depth))"
        case .overall(let function, let entity, let inner):
            "\(entity).where(\(inner.text(depth: depth))).\(function.text(depth: depth))"
        }
    }
}

extension AggregateFunction: CustomStringConvertible {
    /// The function and its attribute, such as `count` or `sum(amount)`.
    public var description: String { text(depth: Limits.conditionDepth) }

    fileprivate func text(depth: Int) -> String {
        if case .calculated(_, let operand) = self { return "\(word)(\(operand.text(depth: depth)))" }
        return word + (attribute.map { "(\($0))" } ?? "")
    }
}

extension Comparison {
    fileprivate var symbol: String {
        switch self {
        case .equal: "=="
        case .notEqual: "!="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }
}

extension ArithmeticOperator {
    /// The operator in Swift and SQL.
    package var symbol: String {
        switch self {
        case .add: "+"
        case .subtract: "-"
        case .multiply: "*"
        case .divide: "/"
        case .remainder: "%"
        }
    }
}
