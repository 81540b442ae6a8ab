public import SwitchyardCore

extension StoredQuery {
    /// Reads a query, whose grammar <doc:SwitchyardQuery> has.
    ///
    /// ```
    /// ENTITY [where CONDITION] [sort EXPRESSION [asc|desc], …] [limit N] [offset N] [show PATH, …] [include ITEM, …]
    /// ENTITY [where CONDITION] [by KEY, …] [FIGURE, …] [having FIGURE > VALUE and …] [sort FIGURE or KEY, …] [limit N] [offset N]
    /// ```
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - schema: The schema of the store that is asked.
    /// - Throws: `QueryError`, with the place in the text.
    /// - Complexity: O(length of the text), which is at most 1 MiB.
    public init(parsing text: String, schema: Schema) throws {
        var parser = try QueryParser(text, schema: schema)
        self = try parser.query()
    }
}

/// Reads a query by recursive descent.
///
/// Its depth is bounded, and so is the number of parts that cost a statement or a term of one.
struct QueryParser {
    /// The most parentheses, `not`s and steps of paths around a part of a condition; with a limit of its own on top,
    /// a condition keeps within `Limits.conditionDepth`.
    static let deepest = 50
    /// The most sort keys, figures and items that are shown or included, all together.
    static let mostItems = 200
    /// The most bytes of a name, which an error repeats.
    static let longestName = 255
    /// The most comparisons and calculations, all together; a list of values is one.
    static let mostComparisons = 1_000

    let schema: Schema
    private var lexer: Lexer
    private(set) var token: Token
    private(set) var depth = 0
    private var items = 0
    private var comparisons = 0
    /// Whether a figure over all rows may stand here: only in what is a condition of rows.
    private(set) var takesOverall = true

    init(_ text: String, schema: Schema) throws {
        self.schema = schema
        lexer = try Lexer(text)
        token = try lexer.next()
    }

    mutating func query() throws -> StoredQuery {
        let start = token
        let name = try name("the name of an entity")
        guard let entity = schema.entity(name) else {
            throw error(
                .unknownName,
                "The store has no entity `\(name)`. \(advice(name, schema.entities.map(\.name)))",
                at: start)
        }
        var query = StoredQuery(entity: entity.name)
        try clauses(of: &query, entity, allowed: Clause.allCases)
        guard token.kind == .end else {
            var advice = ""
            if case .name(let word, isQuoted: false) = token.kind,
                let nearest = Spelling.nearest(
                    to: word.lowercased(),
                    among: Clause.allCases.filter { $0 != .figures }.map(\.rawValue)
                        + AggregateFunction.words)
            {
                advice = " Did you mean `\(nearest)`?"
            }
            throw unexpected("a clause, such as where or sort,", advice)
        }
        return query
    }
}

/// A part of a query that begins with a word of its own.
enum Clause: String, CaseIterable {
    case `where`, sort, limit, offset, show, include, by, figures, having

    /// Those that choose rows of a relationship and say what of them is wanted.
    static let ofRows: [Clause] = [.where, .sort, .limit, .offset, .show, .include]
    /// Those that figures do not have.
    static let onlyOfRows: [Clause] = [.show, .include]
}

extension QueryParser {
    /// Reads the clauses that are allowed, each at most once.
    mutating func clauses(of query: inout StoredQuery, _ entity: Entity, allowed: [Clause]) throws {
        var seen: [Clause] = []
        while let clause = nextClause {
            guard allowed.contains(clause) else { throw unexpected("`)`") }
            guard !seen.contains(clause) else {
                throw error(.syntax, "This is the second \(lexer.excerpt(token)) of one query.", at: token)
            }
            let isOfRows = Clause.onlyOfRows.contains(clause)
            let isOfFigures = clause == .by || clause == .figures
            guard !isOfRows || query.figures == nil,
                !isOfFigures || Set(seen).isDisjoint(with: Clause.onlyOfRows)
            else {
                throw error(.syntax, "show and include are for rows, and not for figures.", at: token)
            }
            guard !isOfFigures || query.order.isEmpty, clause != .having || query.figures != nil else {
                throw error(
                    .syntax, "sort and having stand after the figures that groups are sorted and chosen by.",
                    at: token)
            }
            seen.append(clause)
            if clause != .figures { try advance() }
            switch clause {
            case .where: query.condition = try condition(in: entity)
            case .sort:
                if let figures = query.figures {
                    query.figures?.choice.order = try groupOrder(figures, entity)
                } else {
                    query.order = try list { try $0.sortKey(in: entity) }
                }
            case .having:
                if let figures = query.figures {
                    query.figures?.choice.conditions = try having(figures, entity)
                }
            case .limit: query.limit = try number()
            case .offset: query.offset = try number()
            case .show:
                query.shown = try list { try $0.shownPath(in: entity) }
            case .include: query.included = try inclusions(in: entity)
            case .by:
                var figures = query.figures ?? Figures()
                figures.keys = try list { try $0.groupKey(in: entity) }
                query.figures = figures
            case .figures: try figures(of: &query, entity)
            }
            if let titles = query.figures?.titles, Set(titles).count < titles.count {
                throw error(
                    .syntax,
                    "A key or a figure is named twice before this. Give one another name, by `as NAME`.",
                    at: token)
            }
        }
    }

    /// The clause that the next token begins, if any.
    private var nextClause: Clause? {
        switch token.kind {
        case .keyword(let keyword): Clause(rawValue: keyword.rawValue)
        case .name(let word, isQuoted: false):
            AggregateFunction.words.contains(word.lowercased()) ? .figures : nil
        default: nil
        }
    }

    private mutating func sortKey(in entity: Entity) throws -> SortKey {
        let (value, start) = try withoutOverall {
            try $0.expression(in: ExpressionPlace(entity: entity), "an attribute")
        }
        guard value.type != .json else {
            throw error(.wrongType, "\(value.name) is JSON, which has no order.", at: start)
        }
        let (direction, nils) = try direction()
        return SortKey(value.operand, over: value.references, direction, nils: nils)
    }

    /// Reads a direction, and where null comes.
    mutating func direction() throws -> (SortDirection, NilOrder?) {
        let direction: SortDirection = try skip(.desc) ? .descending : .ascending
        if direction == .ascending { _ = try skip(.asc) }
        guard case .name(let word, isQuoted: false) = token.kind, word.lowercased() == "nulls" else {
            return (direction, nil)
        }
        try advance()
        guard case .name(let place, isQuoted: false) = token.kind,
            let nils = NilOrder(rawValue: place.lowercased())
        else { throw unexpected("`first` or `last`") }
        try advance()
        return (direction, nils)
    }

    private mutating func shownPath(in entity: Entity) throws -> AttributePath {
        let path = try attributePath(in: entity)
        return AttributePath(references: path.references, attribute: path.attribute.name)
    }

    /// Reads a number of rows.
    private mutating func number() throws -> Int {
        guard case .bare(let text) = token.kind, let number = Int(text), number >= 0 else {
            throw unexpected("a number of rows, such as 10,")
        }
        try advance()
        return number
    }
}

extension QueryParser {
    mutating func advance() throws { token = try lexer.next() }

    /// Reads a keyword if it is next.
    mutating func skip(_ keyword: Keyword) throws -> Bool {
        guard token.kind == .keyword(keyword) else { return false }
        try advance()
        return true
    }

    /// Reads a symbol if it is next.
    mutating func skip(_ symbol: Symbol) throws -> Bool {
        guard token.kind == .symbol(symbol) else { return false }
        try advance()
        return true
    }

    mutating func require(_ symbol: Symbol) throws {
        guard try skip(symbol) else { throw unexpected("`\(symbol.rawValue)`") }
    }

    mutating func require(_ keyword: Keyword) throws {
        guard try skip(keyword) else { throw unexpected("`\(keyword.rawValue)`") }
    }

    /// Reads a name.
    mutating func name(_ expected: String) throws -> String {
        guard case .name(let name, _) = token.kind else {
            if case .keyword = token.kind {
                throw unexpected(expected, " A name that is a keyword stands in backquotes.")
            }
            throw unexpected(expected)
        }
        guard name.utf8.count <= Self.longestName else {
            throw error(.tooLarge, "A name has at most \(Self.longestName) bytes.", at: token)
        }
        try advance()
        return name
    }

    /// Reads items that commas separate.
    mutating func list<Item>(_ item: (inout Self) throws -> Item) throws -> [Item] {
        var list: [Item] = []
        repeat {
            items += 1
            guard items <= Self.mostItems else {
                throw error(
                    .tooLarge,
                    "A query sorts by, shows, includes and calculates at most \(Self.mostItems) items.",
                    at: token)
            }
            list.append(try item(&self))
        } while try skip(.comma)
        return list
    }

    mutating func countComparison() throws {
        comparisons += 1
        guard comparisons <= Self.mostComparisons else {
            throw error(
                .tooLarge, "A query has at most \(Self.mostComparisons) comparisons and calculations.",
                at: token)
        }
    }

    /// Reads a part that lies some levels deeper.
    mutating func deeper<Part>(
        by levels: Int = 1, _ body: (inout Self) throws -> Part
    ) throws -> Part {
        try requireDepth(depth + levels)
        depth += levels
        defer { depth -= levels }
        return try body(&self)
    }

    /// Reads a part that has no figure over all rows.
    mutating func withoutOverall<Part>(_ body: (inout Self) throws -> Part) rethrows -> Part {
        let before = takesOverall
        takesOverall = false
        defer { takesOverall = before }
        return try body(&self)
    }

    func requireDepth(_ depth: Int) throws {
        guard depth <= Self.deepest else {
            throw error(.tooLarge, "A query is at most \(Self.deepest) levels deep.", at: token)
        }
    }

    func error(_ code: QueryError.Code, _ message: String, at token: Token) -> QueryError {
        lexer.error(code, message, at: token.range.lowerBound)
    }

    /// The error of a token that is not the one that was expected.
    func unexpected(_ expected: String, _ advice: String = "") -> QueryError {
        error(.syntax, "\(expected) is expected here, and not \(lexer.excerpt(token)).\(advice)", at: token)
    }

    func excerpt(_ token: Token) -> String { lexer.excerpt(token) }

    /// The known name that was probably meant, or all of them.
    func advice(_ name: String, _ known: [String]) -> String {
        guard let nearest = Spelling.nearest(to: name, among: known) else {
            return known.isEmpty ? "It has none." : "It has: \(known.joined(separator: ", "))."
        }
        return "Did you mean `\(nearest)`?"
    }
}
