internal import SwitchyardCore

extension QueryParser {
    /// Reads terms that `or` joins.
    mutating func condition(in entity: Entity) throws -> Condition {
        var terms = [try conjunction(in: entity)]
        while try skip(.or) { terms.append(try conjunction(in: entity)) }
        return terms.count == 1 ? terms[0] : .any(terms)
    }

    private mutating func conjunction(in entity: Entity) throws -> Condition {
        var terms = [try term(in: entity)]
        while try skip(.and) { terms.append(try term(in: entity)) }
        return terms.count == 1 ? terms[0] : .all(terms)
    }

    private mutating func term(in entity: Entity) throws -> Condition {
        if try skip(.not) {
            return .not(try deeper { try $0.term(in: entity) })
        }
        if token.kind == .symbol(.open), !isCalculationParenthesised {
            return try parenthesised(in: entity)
        }
        try countComparison()
        return try skip(.has) ? try existence(in: entity) : try comparison(in: entity)
    }

    private mutating func parenthesised(in entity: Entity, after steps: Int = 0) throws
        -> Condition
    {
        try require(.open)
        let condition = try deeper(by: steps + 1) { try $0.condition(in: entity) }
        try require(.close)
        return condition
    }

    /// Reads what follows `has`: a relationship, or a reference, and the condition on the rows that it leads to.
    private mutating func existence(in entity: Entity) throws -> Condition {
        let path = try path("a relationship")
        let (references, source) = try follow(path.references, from: entity)
        guard let association = source.association(path.last.name),
            let target = schema.entity(association.target)
        else { throw unknownRelationship(path.last, of: source, isToMany: false) }
        let inner =
            try skip(.where)
            ? try parenthesised(in: target, after: path.references.count + 1) : .constant(true)
        return Condition.exists(relationship: path.last.name, inner).reached(over: references)
    }

    private mutating func comparison(in entity: Entity) throws -> Condition {
        let place = ExpressionPlace(entity: entity)
        let (value, start) = try expression(in: place, "an attribute, `not`, `has` or `(`")
        let isNegated = try skip(.not)
        let condition = try test(of: value, at: start, in: place, onlyIn: isNegated)
        return isNegated ? .not(condition) : condition
    }

    /// Reads an operator and what it compares with.
    private mutating func test(
        of path: ResolvedPath, at start: Token, in place: ExpressionPlace, onlyIn: Bool
    ) throws -> Condition {
        if token.kind == .keyword(.in) {
            try advance()
            let values = try values(for: path).map { path.isFolded ? $0.folded : $0 }
            return Condition.isIn(path.operand, values).reached(over: path.references)
        }
        guard !onlyIn else { throw unexpected("`in`") }
        switch token.kind {
        case .keyword(.is):
            try advance()
            let isNegated = try skip(.not)
            try require(.null)
            return path.compared(isNegated ? .notEqual : .equal, .null)
        case .keyword(.contains), .keyword(.starts), .keyword(.ends):
            return try match(of: path, at: start)
        case .symbol(let symbol):
            guard let comparison = Comparison.allCases.first(where: { $0.symbol == symbol }) else { break }
            try advance()
            return try comparing(path, comparison, in: place)
        default: break
        }
        throw unexpected("an operator, such as =, contains or is null,")
    }

    private mutating func match(of path: ResolvedPath, at start: Token) throws -> Condition {
        guard path.type == .text else {
            throw error(
                .wrongType, "\(path.name) is of type \(path.type), and only text is searched.", at: start)
        }
        let match: TextMatch =
            token.kind == .keyword(.contains)
            ? .contains : token.kind == .keyword(.starts) ? .hasPrefix : .hasSuffix
        try advance()
        if match != .contains { try require(.with) }
        guard case .text(let text) = token.kind else { throw unexpected("a text in quotes") }
        try advance()
        return path.matching(match, text)
    }

    private mutating func comparing(
        _ path: ResolvedPath, _ comparison: Comparison, in place: ExpressionPlace
    ) throws -> Condition {
        let start = token
        let isOrder = comparison != .equal && comparison != .notEqual
        guard !isOrder || path.type != .json else {
            throw error(.wrongType, "\(path.name) is JSON, which has no order.", at: start)
        }
        let isValue =
            switch token.kind {
            case .name, .symbol(.open): false
            default: !isNumberCalculated
            }
        guard !isValue else {
            let value = try value(for: path, isExact: !isOrder)
            guard !isOrder || !value.isNull else {
                throw error(
                    .wrongType, "null is neither before nor after a value. Write `is null`.", at: start)
            }
            return path.compared(comparison, value)
        }
        let other: ResolvedPath
        do {
            other = try expression(in: place, "a value or an attribute").value
        } catch let error as QueryError where error.code == .unknownName && path.type == .text {
            throw QueryError(
                error.code, "\(error.message) A text stands in quotes.", column: error.column)
        }
        // An integer compares with an average as numbers do.
        var isAverage = false
        if case .overall = other.operand { isAverage = path.type == .int && other.type == .double }
        guard other.type == path.type || isAverage else {
            throw error(
                .wrongType,
                "\(path.name) is of type \(path.type), and \(other.name) of type \(other.type). Only values of one "
                    + "type are compared.", at: start)
        }
        guard other.references == path.references else {
            for operand in [path.full, other.full] { try requireShallow(operand, at: start) }
            return .compare(path.full, comparison, other.full)
        }
        // Behind a missing reference both are null, and equal.
        guard comparison == .equal, !path.references.isEmpty else {
            return Condition.compare(path.operand, comparison, other.operand).reached(over: path.references)
        }
        return .not(Condition.compare(path.operand, .notEqual, other.operand).reached(over: path.references))
    }
}

extension ResolvedPath {
    /// Whether it is a text without case and diacritics, which is compared with texts that are folded as well.
    fileprivate var isFolded: Bool {
        if case .folded = operand { true } else { false }
    }

    /// A match with a text.
    fileprivate func matching(_ match: TextMatch, _ text: String) -> Condition {
        let condition: Condition =
            if case .folded(let name) = operand {
                .search(attribute: name, match, text: SearchFolding.fold(text))
            } else { .match(operand, match, .value(.text(text))) }
        return condition.reached(over: references)
    }

    /// A comparison with a value; what is behind a missing reference is null.
    fileprivate func compared(_ comparison: Comparison, _ value: StoredValue) -> Condition {
        if case .folded(let name) = operand {
            switch (comparison, value) {
            case (.equal, .text(let text)): return matching(.equals, text)
            case (.notEqual, .text(let text)): return .not(matching(.equals, text))
            case (_, .null):
                return ResolvedPath(
                    references: references, entity: entity, attribute: attribute, operand: .attribute(name)
                ).compared(comparison, value)
            default: break
            }
        }
        let value = isFolded ? value.folded : value
        func holds(_ comparison: Comparison) -> Condition {
            Condition.compare(operand, comparison, .value(value)).reached(over: references)
        }
        guard !references.isEmpty else { return holds(comparison) }
        return switch (comparison, value.isNull) {
        case (.equal, true): .not(holds(.notEqual))
        case (.notEqual, false): .not(holds(.equal))
        default: holds(comparison)
        }
    }
}

extension Condition {
    /// The condition on the row that references lead to; false where one is missing.
    fileprivate func reached(over references: [String]) -> Condition {
        references.reversed().reduce(self) { .exists(relationship: $1, $0) }
    }
}

extension Comparison {
    /// The operator as queries write it.
    var symbol: Symbol {
        switch self {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        }
    }
}
