internal import SwitchyardCore

extension StoredQuery: CustomStringConvertible {
    /// A text that parses to the same query.
    ///
    /// It contains the constants of the conditions, so do not put it into an error.
    public var description: String { ([entity.inQuery] + clauses).joined(separator: " ") }

    /// The clauses after the entity.
    fileprivate var clauses: [String] {
        var clauses: [String] = []
        func add(_ word: String, _ items: [String]) {
            if !items.isEmpty { clauses.append(word + items.joined(separator: ", ")) }
        }
        if condition != .constant(true) { add("where ", [condition.inQuery]) }
        add(
            "sort ",
            order.map { key in
                key.value.inQuery(over: key.references) + key.directionInQuery
            })
        if let limit { add("limit ", ["\(limit)"]) }
        if offset > 0 { add("offset ", ["\(offset)"]) }
        add("show ", (shown ?? []).map { ($0.references + [$0.attribute]).pathInQuery })
        add("include ", included.map(\.inQuery))
        if let figures {
            add("by ", figures.keys.map(\.inQuery))
            add("", figures.functions.map { $0.inQuery() })
            let tests = figures.choice.conditions.map {
                "\($0.function.inQuery()) \($0.comparison.symbol.rawValue) \(ValueText.quoted($0.value))"
            }
            add("having ", tests.isEmpty ? [] : [tests.joined(separator: " and ")])
            add("sort ", figures.choice.order.map { $0.function.inQuery() + $0.key.directionInQuery })
        }
        return clauses
    }
}

extension SortKey {
    fileprivate var directionInQuery: String {
        (direction == .descending ? " desc" : "")
            + (nils == .usual(direction) ? "" : " nulls \(nils.rawValue)")
    }
}

extension Inclusion {
    fileprivate var inQuery: String {
        let path = references + [relationship]
        let clauses = query.clauses
        let item =
            switch kind {
            case .row, .rows:
                clauses.isEmpty ? path.pathInQuery : "\(path.pathInQuery)(\(clauses.joined(separator: " ")))"
            case .first: "first(\(([path.pathInQuery] + clauses).joined(separator: " ")))"
            case .figure(let function): function.inQuery(over: path, clauses)
            }
        return alias.map { "\(item) as \($0.inQuery)" } ?? item
    }
}

extension FigureKey {
    fileprivate var inQuery: String {
        let name = (path.references + [path.attribute]).pathInQuery
        guard let part else { return name }
        return "\(part.rawValue)(\(name)\(zone.map { " in \(ValueText.quoted(.text($0)))" } ?? ""))"
    }
}

extension AggregateFunction {
    fileprivate func inQuery(over path: [String] = [], _ clauses: [String] = []) -> String {
        let path = path + [attribute].compactMap(\.self)
        return path.isEmpty ? word : "\(word)(\(([path.pathInQuery] + clauses).joined(separator: " ")))"
    }
}

extension Condition {
    /// The condition as a query that was parsed has it: without calculations and searches.
    fileprivate var inQuery: String {
        switch self {
        case .all(let terms): terms.map(\.termInQuery).joined(separator: " and ")
        case .any(let terms): terms.map(\.termInQuery).joined(separator: " or ")
        case .not(let inner): "not \(inner.termInQuery)"
        case .compare(let lhs, .equal, .value(.null)): "\(lhs.inQuery) is null"
        case .compare(let lhs, .notEqual, .value(.null)): "\(lhs.inQuery) is not null"
        case .compare(let lhs, let comparison, let rhs):
            "\(lhs.inQuery) \(comparison.symbol.rawValue) \(rhs.inQuery)"
        case .isIn(let operand, let values):
            "\(operand.inQuery) in (\(values.map(ValueText.quoted).joined(separator: ", ")))"
        case .match(let text, let match, let other): "\(text.inQuery) \(match.inQuery) \(other.inQuery)"
        case .exists(let relationship, .constant(true)): "has \(relationship.inQuery)"
        case .exists(let relationship, let inner): "has \(relationship.inQuery) where (\(inner.inQuery))"
        case .constant, .search: description
        }
    }

    private var termInQuery: String {
        switch self {
        case .all, .any: "(\(inQuery))"
        default: inQuery
        }
    }
}

extension Operand {
    fileprivate var inQuery: String {
        switch self {
        case .attribute(let name): name.inQuery
        case .value(let value): ValueText.quoted(value)
        case .figure: inQuery(over: [])
        case .referenced: inQuery(over: [])
        case .folded, .arithmetic, .negated, .coalesce, .conditional, .overall: description
        }
    }

    /// The value of the row that references lead to.
    fileprivate func inQuery(over references: [String]) -> String {
        switch self {
        case .attribute(let name): (references + [name]).pathInQuery
        case .figure(let function, let relationship, let condition):
            function.inQuery(
                over: references + [relationship],
                condition == .constant(true) ? [] : ["where \(condition.inQuery)"])
        case .referenced(let reference, let inner): inner.inQuery(over: references + [reference])
        default: inQuery
        }
    }
}

extension TextMatch {
    fileprivate var inQuery: String {
        switch self {
        case .contains: "contains"
        case .hasPrefix: "starts with"
        case .hasSuffix: "ends with"
        case .equals: "="
        }
    }
}

extension String {
    /// The name, in backquotes where it would be read as something else.
    fileprivate var inQuery: String {
        let isPlain = utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || (48...57).contains(byte) || (65...90).contains(byte)
                || (97...122).contains(byte) || byte >= 0x80
        }
        let beginsWithDigit = utf8.first.map { (48...57).contains($0) } ?? true
        return isPlain && !beginsWithDigit && Keyword(rawValue: lowercased()) == nil ? self : "`\(self)`"
    }
}

extension [String] {
    fileprivate var pathInQuery: String { map(\.inQuery).joined(separator: ".") }
}
