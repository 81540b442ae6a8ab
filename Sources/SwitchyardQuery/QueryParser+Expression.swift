internal import SwitchyardCore

/// Where an expression stands.
struct ExpressionPlace {
    /// The entity of the rows that it is calculated for.
    let entity: Entity
    /// The names that each of its paths begins with: those that lead to the rows of a figure.
    var prefix: [String] = []
}

/// Calculations, and what they consist of.
extension QueryParser {
    private enum Term {
        /// A number, whose type is that of what it is calculated with.
        case number(Token)
        case value(ResolvedPath, at: Token)
    }

    /// Reads what is calculated for each row: at least an attribute or a figure.
    ///
    /// - Returns: The value, and the place for an error about it.
    mutating func expression(
        in place: ExpressionPlace, _ expected: String
    ) throws -> (value: ResolvedPath, start: Token) {
        switch try sum(in: place, expected) {
        case .value(let value, let start):
            try requireShallow(value.operand, at: start)
            return (value, start)
        case .number(let token):
            throw error(.syntax, "\(expected) is expected here, and not \(excerpt(token)).", at: token)
        }
    }

    /// Whether the number that comes next is part of a calculation.
    var isNumberCalculated: Bool {
        var ahead = self
        guard case .bare = token.kind, (try? ahead.advance()) != nil else { return false }
        return ahead.operation(amongProducts: true) != nil || ahead.operation(amongProducts: false) != nil
    }

    /// Whether the parenthesis that comes next holds a calculation, and not a condition.
    ///
    /// It is one if an operator follows. Comparisons end the search, since only those of figures stand in a calculation.
    var isCalculationParenthesised: Bool {
        var (ahead, depth, figure) = (self, 0, Int.max)
        for _ in 0..<200 {
            switch ahead.token.kind {
            case .symbol(.open): depth += 1
            case .symbol(.close): depth -= 1
            case .keyword(.where): figure = min(figure, depth)
            case .end: return false
            case .symbol(let symbol) where depth < figure:
                if Comparison.allCases.contains(where: { $0.symbol == symbol }) { return false }
            case .keyword where depth < figure: return false
            default: break
            }
            if depth < figure { figure = .max }
            guard (try? ahead.advance()) != nil else { return false }
            guard depth > 0 else { break }
        }
        guard depth == 0 else { return false }
        switch ahead.token.kind {
        case .symbol(let symbol): return ![.open, .close, .comma, .point].contains(symbol)
        case .keyword(let keyword): return [.in, .is, .not, .contains, .starts, .ends].contains(keyword)
        default: return false
        }
    }

    private mutating func sum(in place: ExpressionPlace, _ expected: String) throws -> Term {
        try chain(amongProducts: false, in: place, expected) { try $0.product(in: place, $1) }
    }

    private mutating func product(in place: ExpressionPlace, _ expected: String) throws -> Term {
        try chain(amongProducts: true, in: place, expected) { try $0.factor(in: place, $1) }
    }

    /// Reads terms and the operators between them, from left to right.
    private mutating func chain(
        amongProducts isProduct: Bool, in place: ExpressionPlace, _ expected: String,
        _ term: (inout Self, String) throws -> Term
    ) throws -> Term {
        var left = try term(&self, expected)
        while let operation = operation(amongProducts: isProduct) {
            let start = token
            try countComparison()
            try advance()
            let right = try term(&self, "a number or an attribute")
            left = try calculated(left, operation, right, in: place, at: start)
        }
        return left
    }

    private func operation(amongProducts isProduct: Bool) -> ArithmeticOperator? {
        guard case .symbol(let symbol) = token.kind else { return nil }
        let operators: [ArithmeticOperator] =
            isProduct ? [.multiply, .divide, .remainder] : [.add, .subtract]
        return operators.first { $0.symbol == symbol.rawValue }
    }

    private mutating func factor(in place: ExpressionPlace, _ expected: String) throws -> Term {
        let start = token
        if case .bare = token.kind {
            try advance()
            return .number(start)
        }
        if try skip(.open) {
            let term = try deeper { try $0.sum(in: place, "a number or an attribute") }
            try require(.close)
            return term
        }
        let path = try path(expected)
        return .value(try operand(path, in: place), at: path.last.token)
    }

    private func calculated(
        _ lhs: Term, _ operation: ArithmeticOperator, _ rhs: Term, in place: ExpressionPlace, at start: Token
    ) throws -> Term {
        let operands: (Operand, Operand)
        let types: (AttributeType, AttributeType)
        let first: Token
        switch (lhs, rhs) {
        case (.value(let left, let token), .value(let right, _)):
            (operands, types, first) = ((left.full, right.full), (left.type, right.type), token)
        case (.value(let left, let token), .number(let number)):
            let type = left.type == .timestamp ? .double : left.type
            operands = (left.full, try constant(number, of: type, beside: left))
            (types, first) = ((left.type, type), token)
        case (.number(let number), .value(let right, _)):
            operands = (try constant(number, of: right.type, beside: right), right.full)
            (types, first) = ((right.type, right.type), number)
        case (.number, .number(let number)):
            throw error(
                .syntax, "Only what depends on the row is calculated. Write the result of these numbers.",
                at: number)
        }
        guard let type = operation.type(types.0, types.1) ?? nil else {
            throw error(
                .wrongType,
                "`\(operation.symbol)` has no result for \(types.0) and \(types.1). It takes numbers of one type; to a time "
                    + "it adds seconds.", at: start)
        }
        let operand = Operand.arithmetic(operands.0, operation, operands.1)
        try requireShallow(operand, at: start)
        return .value(
            ResolvedPath(
                references: [], entity: place.entity, attribute: Attribute(operand.inQuery, type: type),
                operand: operand), at: first)
    }

    /// A number that is calculated with.
    private func constant(
        _ number: Token, of type: AttributeType, beside other: ResolvedPath
    ) throws -> Operand {
        guard [.int, .double, .decimal].contains(type), case .bare(let text) = number.kind,
            let value = Attribute(other.attribute.name, type: type).value(text, inQuotes: false)
        else {
            throw error(
                .wrongType,
                "\(other.name) is of type \(other.type), and \(excerpt(number)) is nothing to calculate with it.",
                at: number)
        }
        return .value(value)
    }

    /// Reads the rest of what begins with a path: an attribute, a figure or a folded text.
    private mutating func operand(_ path: Path, in place: ExpressionPlace) throws -> ResolvedPath {
        let word = path.last.name.lowercased()
        guard path.references.isEmpty, token.kind == .symbol(.open) else {
            return try resolve(try unprefixed(path, in: place), in: place.entity)
        }
        switch word {
        case "folded":
            try advance()
            return try folded(in: place)
        case "overall" where takesOverall:
            try advance()
            let figure = try figure(in: place.entity)
            try require(.close)
            let operand = Operand.overall(
                figure.function, of: place.entity.name, where: figure.condition)
            return ResolvedPath(
                references: [], entity: place.entity,
                attribute: Attribute(
                    operand.inQuery, type: figure.function.type(in: place.entity, of: schema) ?? .int),
                operand: operand)
        case "overall":
            throw error(
                .syntax, "A figure over all rows stands in the condition of rows, or is a figure of groups.",
                at: path.last.token)
        default:
            guard place.prefix.isEmpty else {
                throw error(.syntax, "A figure over related rows is not over figures.", at: path.last.token)
            }
            return try relatedFigure(path, in: place.entity)
        }
    }

    /// Reads the rest of `folded(title)`.
    private mutating func folded(in place: ExpressionPlace) throws -> ResolvedPath {
        let path = try path("a searchable attribute")
        let text = try resolve(try unprefixed(path, in: place), in: place.entity)
        guard text.attribute.isSearchable else {
            throw error(
                .wrongType,
                "\(text.name) is not searchable. "
                    + advice(path.last.name, text.entity.attributes.filter(\.isSearchable).map(\.name)),
                at: path.last.token)
        }
        try require(.close)
        return ResolvedPath(
            references: text.references, entity: text.entity,
            attribute: Attribute("folded(\(text.attribute.name))", type: .text),
            operand: .folded(text.attribute.name))
    }

    /// A path without the names that lead to the rows of a figure.
    private func unprefixed(_ path: Path, in place: ExpressionPlace) throws -> Path {
        let names = place.prefix
        guard path.references.map(\.name).starts(with: names) else {
            let prefix = names.joined(separator: ".")
            throw error(
                .syntax, "Each attribute of this figure is one of `\(prefix)`, as in `\(prefix).id`.",
                at: path.references.first?.token ?? path.last.token)
        }
        return (Array(path.references.dropFirst(names.count)), path.last)
    }

    /// Refuses a value that no store calculates.
    func requireShallow(_ operand: Operand, at start: Token) throws {
        guard operand.calculationDepth <= Limits.calculationDepth else {
            throw error(
                .tooLarge,
                "This leads over more than four relationships, or calculates in more than \(Limits.calculationDepth) steps.",
                at: start)
        }
    }
}
