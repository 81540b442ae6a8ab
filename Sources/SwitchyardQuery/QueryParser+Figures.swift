internal import Foundation
internal import SwitchyardCore

/// The figures that a query asks for instead of rows.
extension QueryParser {
    /// Reads figures, each with the name that it is given.
    mutating func figures(of query: inout StoredQuery, _ entity: Entity) throws {
        var figures = query.figures ?? Figures()
        figures.items = try list { try $0.item(in: entity) }
        query.figures = figures
    }

    private mutating func item(in entity: Entity) throws -> Figures.Item {
        var span = GroupSpan.group
        if case .name(let name, isQuoted: false) = token.kind, let word = GroupSpan(word: name) {
            span = word
            try advance()
            try require(.open)
        }
        let start = token
        let function = try figure(in: entity).whole
        if span != .group { try require(.close) }
        try requireShallow(function, at: start)
        guard try skip(.as) else {
            return Figures.Item(figure: GroupFigure(function, over: span), alias: nil)
        }
        let place = token
        let alias = try name("a name")
        guard !AggregateFunction.words.contains(alias.lowercased()) else {
            throw error(.syntax, "`\(alias)` is the name of a figure. Choose another name.", at: place)
        }
        return Figures.Item(figure: GroupFigure(function, over: span), alias: alias)
    }

    /// A figure over rows, and the condition of those that count.
    struct ConditionalFigure {
        let function: AggregateFunction
        let condition: Condition

        /// The figure over all rows, of those that fulfil the condition.
        var whole: AggregateFunction {
            guard condition != .constant(true) else { return function }
            let value = function.calculated ?? function.attribute.map { .attribute($0) }
            return .calculated(
                function == .count ? .countOf("id") : function.plain.over("id"),
                of: .conditional(condition, value ?? .value(.bool(true)), .value(.null)))
        }
    }

    /// Reads a figure over rows of an entity, such as `count` or `sum(amount where kind = "bottle")`.
    mutating func figure(in entity: Entity) throws -> ConditionalFigure {
        guard case .name(let name, isQuoted: false) = token.kind, let word = FigureWord(name) else {
            throw unexpected("a figure, such as count,")
        }
        let start = token
        try advance()
        guard try skip(.open) else {
            guard word == .count else {
                throw error(
                    .syntax, "`\(word.rawValue)` needs an attribute, as in `\(word.rawValue)(amount)`.",
                    at: token)
            }
            return ConditionalFigure(function: .count, condition: .constant(true))
        }
        var function = AggregateFunction.count
        if word != .count || token.kind != .keyword(.where) {
            function = try self.function(word, in: ExpressionPlace(entity: entity))
        }
        let condition =
            try skip(.where)
            ? try withoutOverall { try $0.deeper { try $0.condition(in: entity) } } : .constant(true)
        let figure = ConditionalFigure(function: function, condition: condition)
        try requireShallow(figure.whole, at: start)
        try require(.close)
        return figure
    }

    private func requireShallow(_ function: AggregateFunction, at start: Token) throws {
        if let operand = function.calculated { try requireShallow(operand, at: start) }
    }

    /// Reads what a figure is over, and the fraction of a percentile.
    mutating func function(_ word: FigureWord, in place: ExpressionPlace) throws -> AggregateFunction {
        let isDistinct = word == .count ? try skipDistinct() : word == .distinct
        let (value, start) = try withoutOverall { try $0.expression(in: place, "an attribute") }
        let plain = try aggregate(isDistinct ? .distinct : word, at: start, over: value)
        guard value.references.isEmpty, case .attribute(let name) = value.operand else {
            return .calculated(plain, of: value.full)
        }
        return plain.over(name)
    }

    /// Reads the `distinct` of `count(distinct baby)`.
    mutating func skipDistinct() throws -> Bool {
        guard case .name(let name, isQuoted: false) = token.kind, name.lowercased() == "distinct" else {
            return false
        }
        var ahead = self
        try ahead.advance()
        guard case .name = ahead.token.kind else { return false }
        self = ahead
        return true
    }

    private mutating func aggregate(
        _ word: FigureWord, at start: Token, over value: ResolvedPath
    ) throws -> AggregateFunction {
        let fraction = word == .percentile ? try fraction() : 0.5
        let function = word.function(fraction)
        let isFit =
            switch word {
            case .count, .distinct: true
            case .minimum, .maximum: value.type != .json
            case .sum, .average, .median, .percentile: [.int, .double, .decimal].contains(value.type)
            }
        guard isFit else {
            throw error(
                .wrongType,
                "\(value.name) is of type \(value.type), which has no \(word.rawValue).", at: start)
        }
        return function
    }

    /// Reads the fraction of a percentile.
    private mutating func fraction() throws -> Double {
        try require(.comma)
        guard case .bare(let text) = token.kind, let fraction = Double(text), (0...1).contains(fraction)
        else { throw unexpected("a fraction from 0 to 1, such as 0.9,") }
        try advance()
        return fraction == 0 ? 0 : fraction
    }
}

/// Choosing and sorting groups.
extension QueryParser {
    /// Reads the comparisons of figures that groups fulfil.
    mutating func having(_ figures: Figures, _ entity: Entity) throws -> [GroupChoice.Test] {
        var tests: [GroupChoice.Test] = []
        repeat {
            try countComparison()
            let function = try chosenFigure(figures, entity)
            guard case .symbol(let symbol) = token.kind,
                let comparison = Comparison.allCases.first(where: { $0.symbol == symbol })
            else { throw unexpected("an operator, such as >,") }
            try advance()
            let attribute = Attribute(function.title(), type: function.type(in: entity, of: schema) ?? .int)
            let path = ResolvedPath(
                references: [], entity: entity, attribute: attribute, operand: .attribute(attribute.name))
            tests.append(GroupChoice.Test(function, comparison, try value(for: path, isExact: false)))
        } while try skip(.and)
        return tests
    }

    /// Reads the figures and keys by which groups are sorted.
    mutating func groupOrder(_ figures: Figures, _ entity: Entity) throws -> [GroupChoice.Order] {
        try list { parser in
            let subject = try parser.orderSubject(figures, entity)
            let (direction, nils) = try parser.direction()
            return GroupChoice.Order(subject, direction, nils: nils)
        }
    }

    private mutating func orderSubject(
        _ figures: Figures, _ entity: Entity
    ) throws -> GroupChoice.Order.Subject {
        let start = token
        var isFigure = figures.keys.isEmpty
        if case .name(let name, let isQuoted) = token.kind {
            isFigure =
                isFigure || !isQuoted && FigureWord(name) != nil
                || figures.items.contains { $0.alias == name }
        }
        guard !isFigure else { return .figure(try chosenFigure(figures, entity)) }
        let key = try groupKey(in: entity)
        guard let position = figures.keys.firstIndex(of: key) else {
            throw error(
                .unknownName,
                "The groups have no key `\(key.title)`. \(advice(key.title, figures.keys.map(\.title)))",
                at: start)
        }
        return .key(position)
    }

    /// Reads a figure of one group, or the name that one was given.
    private mutating func chosenFigure(_ figures: Figures, _ entity: Entity) throws -> AggregateFunction {
        let start = token
        if case .name(let name, _) = token.kind,
            let item = figures.items.first(where: { $0.alias == name })
        {
            guard item.figure.span == .group else {
                throw error(
                    .syntax,
                    "Groups are chosen and sorted by their own figures, not by those of several groups.",
                    at: start)
            }
            try advance()
            return item.figure.function
        }
        return try figure(in: entity).whole
    }
}

/// The keys of groups.
extension QueryParser {
    /// Reads a key of groups: an attribute, or a part of a time and the zone whose clock shows it.
    mutating func groupKey(in entity: Entity) throws -> FigureKey {
        var path = try path("an attribute")
        let part = path.references.isEmpty ? FigureKey.Part(word: path.last.name) : nil
        guard let part, try skip(.open) else {
            return FigureKey(try attributePath(path, in: entity), part: nil, zone: nil)
        }
        path = try self.path("an attribute")
        let attribute = try resolve(path, in: entity)
        guard attribute.type == .timestamp else {
            throw error(
                .wrongType,
                "\(attribute.name) is of type \(attribute.type); only a time has a part such as \(part.rawValue).",
                at: path.last.token)
        }
        let zone = try skip(.in) ? try zone() : nil
        try require(.close)
        return FigureKey(try attributePath(path, in: entity), part: part, zone: zone)
    }

    private func attributePath(_ path: Path, in entity: Entity) throws -> AttributePath {
        let resolved = try resolve(path, in: entity)
        return AttributePath(references: resolved.references, attribute: resolved.attribute.name)
    }

    /// Reads the name of a time zone.
    private mutating func zone() throws -> String {
        guard case .text(let name) = token.kind else { throw unexpected("a time zone in quotes") }
        guard TimeZone(identifier: name) != nil else {
            throw error(
                .unknownName, "There is no time zone \(excerpt(token)). Write one such as \"Europe/Berlin\".",
                at: token)
        }
        try advance()
        return name
    }
}

/// The words of figures.
enum FigureWord: String, CaseIterable {
    case count, distinct, sum, average, median, percentile, minimum, maximum

    init?(_ word: String) { self.init(rawValue: word.lowercased()) }

    /// The function, over the id.
    fileprivate func function(_ fraction: Double) -> AggregateFunction {
        switch self {
        case .count: .countOf("id")
        case .distinct: .countDistinct("id")
        case .sum: .sum("id")
        case .average: .average("id")
        case .median, .percentile: .percentile("id", fraction)
        case .minimum: .minimum("id")
        case .maximum: .maximum("id")
        }
    }
}

extension GroupSpan {
    /// The span that a word before a figure names.
    init?(word: String) {
        switch word.lowercased() {
        case "running": self = .running
        case "overall": self = .overall
        default: return nil
        }
    }
}

extension AggregateFunction {
    /// The words that figures begin with.
    static let words = FigureWord.allCases.map(\.rawValue) + ["running", "overall"]

    /// The same function of an attribute.
    fileprivate func over(_ attribute: String) -> AggregateFunction {
        switch self {
        case .count, .calculated: self
        case .countOf: .countOf(attribute)
        case .countDistinct: .countDistinct(attribute)
        case .sum: .sum(attribute)
        case .average: .average(attribute)
        case .minimum: .minimum(attribute)
        case .maximum: .maximum(attribute)
        case .percentile(_, let fraction): .percentile(attribute, fraction)
        }
    }
}
