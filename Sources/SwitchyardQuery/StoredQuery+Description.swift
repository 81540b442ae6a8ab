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
            add("", figures.items.map(\.inQuery))
            let tests = figures.choice.conditions.map {
                "\($0.function.inQuery()) \($0.comparison.symbol.rawValue) \(ValueText.quoted($0.value))"
            }
            add("having ", tests.isEmpty ? [] : [tests.joined(separator: " and ")])
            add("sort ", figures.choice.order.map { $0.inQuery(of: figures) + $0.key.directionInQuery })
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
            case .figure(let function): function.inQuery(over: path, where: query.condition)
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

extension Figures.Item {
    fileprivate var inQuery: String {
        let function = figure.function.inQuery()
        let item =
            switch figure.span {
            case .group: function
            case .running: "running(\(function))"
            case .overall: "overall(\(function))"
            }
        return alias.map { "\(item) as \($0.inQuery)" } ?? item
    }
}

extension GroupChoice.Order {
    fileprivate func inQuery(of figures: Figures) -> String {
        switch subject {
        case .figure(let function): return function.inQuery()
        case .key(let position):
            let key = figures.keys[position].inQuery
            // A figure or an alias is meant by its plain name.
            let isTaken =
                AggregateFunction.words.contains(key.lowercased())
                || figures.items.contains { $0.alias?.inQuery == key }
            return isTaken ? "`\(key)`" : key
        }
    }
}

extension AggregateFunction {
    /// The function as queries have it, over rows that a path leads to and that fulfil a condition.
    func inQuery(over path: [String] = [], where condition: Condition = .constant(true)) -> String {
        var (value, condition) = (calculated, condition)
        // The condition of a figure of groups is a part of what is calculated for each row.
        if case .conditional(let test, let inner, .value(.null)) = value {
            (value, condition) = (inner == .value(.bool(true)) ? nil : inner, test)
        } else if value == nil {
            value = attribute.map { .attribute($0) }
        }
        let argument = value.map { $0.inQuery(over: path) } ?? (path.isEmpty ? nil : path.pathInQuery)
        var parts = [[argument, fraction.map { "\($0)" }].compactMap(\.self).joined(separator: ", ")]
        if condition != .constant(true) { parts.append("where \(condition.inQuery)") }
        let text = parts.filter { !$0.isEmpty }.joined(separator: " ")
        return text.isEmpty ? word : "\(word)(\(text))"
    }
}

extension Condition {
    /// The condition as a query that was parsed has it.
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
        case .search(let attribute, .equals, let text):
            "folded(\(attribute.inQuery)) = \(ValueText.quoted(.text(text)))"
        case .search(let attribute, let match, let text):
            "folded(\(attribute.inQuery)) \(match.inQuery) \(ValueText.quoted(.text(text)))"
        case .constant: description
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
    var inQuery: String { inQuery(over: []) }

    /// The value of the rows that a path leads to.
    fileprivate func inQuery(over path: [String]) -> String {
        switch self {
        case .attribute(let name): return (path + [name]).pathInQuery
        case .folded(let name): return "folded(\((path + [name]).pathInQuery))"
        case .value(let value): return ValueText.quoted(value)
        case .figure(let function, let relationship, let condition):
            return function.inQuery(over: path + [relationship], where: condition)
        case .referenced(let reference, let inner): return inner.inQuery(over: path + [reference])
        case .overall(let function, _, let condition):
            return "overall(\(function.inQuery(where: condition)))"
        case .arithmetic(let lhs, let operation, let rhs):
            let terms = [lhs, rhs].map { operand in
                let text = operand.inQuery(over: path)
                return if case .arithmetic = operand { "(\(text))" } else { text }
            }
            return terms.joined(separator: " \(operation.symbol) ")
        case .negated, .coalesce, .conditional: return description
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
