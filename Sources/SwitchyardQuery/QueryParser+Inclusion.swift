internal import SwitchyardCore

extension QueryParser {
    /// Reads what is included, each under a name of its own.
    mutating func inclusions(in entity: Entity) throws -> [Inclusion] {
        var names: Set<[String]> = []
        return try list { parser in
            let start = parser.token
            let inclusion = try parser.inclusion(in: entity)
            guard names.insert(inclusion.references + [inclusion.title]).inserted else {
                throw parser.error(
                    .syntax,
                    "Two items are called `\(inclusion.title)`. Give one another name, by `as NAME`.",
                    at: start)
            }
            return inclusion
        }
    }

    private mutating func inclusion(in entity: Entity) throws -> Inclusion {
        let path = try path("a relationship, or a figure over one,")
        let word = path.last.name.lowercased()
        guard path.references.isEmpty, entity.association(path.last.name) == nil, try skip(.open) else {
            return try related(path, in: entity, hasClauses: try skip(.open))
        }
        if word == "first" {
            return try related(
                try self.path("a to-many relationship"), in: entity, isFirst: true, hasClauses: true)
        }
        let figure = try relatedFigure(
            try figureWord(path.last, besides: ["first"]), at: path.last.token, in: entity)
        return Inclusion(
            kind: .figure(figure.function), references: figure.references,
            relationship: figure.relationship.name, query: figure.query, alias: try alias(in: figure.source))
    }

    /// A figure over the rows of a relationship, and the entities of the row that has it and of those rows.
    private typealias FigureParts = (
        references: [String], source: Entity, relationship: Relationship, target: Entity,
        function: AggregateFunction, query: StoredQuery
    )

    private func figureWord(_ step: Step, besides others: [String] = []) throws -> FigureWord {
        guard let word = FigureWord(step.name) else {
            throw error(
                .unknownName,
                "There is no figure `\(step.name)`. "
                    + advice(step.name, others + FigureWord.allCases.map(\.rawValue)),
                at: step.token)
        }
        return word
    }

    /// Reads the rest of a figure over the rows of a relationship, which an expression has.
    mutating func relatedFigure(_ path: Path, in entity: Entity) throws -> ResolvedPath {
        let word = try figureWord(path.last, besides: ["folded", "overall"])
        try require(.open)
        let figure = try relatedFigure(word, at: path.last.token, in: entity)
        return ResolvedPath(
            references: figure.references, entity: figure.source,
            attribute: Attribute(
                figure.function.title(over: figure.relationship.name),
                type: figure.function.type(in: figure.target, of: schema) ?? .int),
            operand: .figure(
                figure.function, of: figure.relationship.name, where: figure.query.condition))
    }

    /// Reads the rest of a figure over a relationship, such as `feeds.amount where end is not null)`.
    private mutating func relatedFigure(
        _ word: FigureWord, at start: Token, in entity: Entity
    ) throws -> FigureParts {
        let isDistinct = word == .count ? try skipDistinct() : false
        let path = try firstPath()
        let (references, source, relationship) = try firstRelationship(of: path, in: entity)
        let target = try self.target(relationship.target)
        let prefix = references + [relationship.name]
        var function = AggregateFunction.count
        if path.references.count >= prefix.count {
            function = try self.function(
                isDistinct ? .distinct : word, in: ExpressionPlace(entity: target, prefix: prefix))
        } else {
            // `count(feeds)` counts rows; in `sum(feeds.amount)`, the last step is an attribute of them.
            guard word == .count, !isDistinct else {
                throw error(
                    .syntax,
                    "`\(word.rawValue)` needs an attribute of a to-many relationship, as in "
                        + "`\(word.rawValue)(feeds.amount)`.", at: path.last.token)
            }
            _ = try self.path("a to-many relationship")
        }
        let query = try nested(target, allowed: [.where], hasClauses: true)
        try requireShallow(
            .figure(function, of: relationship.name, where: query.condition), at: start)
        return (references, source, relationship, target, function, query)
    }

    /// The path that comes next, perhaps after parentheses and numbers, which stays unread.
    private func firstPath() throws -> Path {
        var ahead = self
        while true {
            switch ahead.token.kind {
            case .symbol(.open), .bare: break
            case .symbol(let symbol) where symbol != .close && symbol != .comma: break
            default: return try ahead.path("a to-many relationship")
            }
            try ahead.advance()
        }
    }

    /// The first to-many relationship of a path, and the references that lead to its row.
    private func firstRelationship(
        of path: Path, in entity: Entity
    ) throws -> (references: [String], source: Entity, relationship: Relationship) {
        var (references, source): ([String], Entity) = ([], entity)
        for step in path.references + [path.last] {
            if let relationship = source.relationship(step.name) {
                return (references, source, relationship)
            }
            guard let target = source.attribute(step.name)?.reference,
                step.token.range != path.last.token.range
            else { throw unknownRelationship(step, of: source, isToMany: true) }
            references.append(step.name)
            source = try self.target(target)
        }
        throw unknownRelationship(path.last, of: source, isToMany: true)
    }

    /// Reads the rest of a reference or a to-many relationship, whose clauses stand in parentheses.
    private mutating func related(
        _ path: Path, in entity: Entity, isFirst: Bool = false, hasClauses: Bool
    ) throws -> Inclusion {
        let (references, source) = try follow(path.references, from: entity)
        guard let association = source.association(path.last.name), !isFirst || !association.isToOne else {
            throw unknownRelationship(path.last, of: source, isToMany: isFirst)
        }
        let allowed: [Clause] =
            association.isToOne
            ? [.show, .include] : isFirst ? [.where, .sort, .show, .include] : Clause.ofRows
        let query = try nested(try target(association.target), allowed: allowed, hasClauses: hasClauses)
        return Inclusion(
            kind: association.isToOne ? .row : isFirst ? .first : .rows, references: references,
            relationship: path.last.name, query: query,
            alias: association.isToOne ? nil : try alias(in: source))
    }

    /// Reads clauses about related rows, and the parenthesis behind them.
    private mutating func nested(
        _ target: Entity, allowed: [Clause], hasClauses: Bool
    ) throws -> StoredQuery {
        var query = StoredQuery(entity: target.name)
        guard hasClauses else { return query }
        try deeper { try $0.clauses(of: &query, target, allowed: allowed) }
        try require(.close)
        return query
    }

    /// Reads the name that an item is given.
    private mutating func alias(in entity: Entity) throws -> String? {
        guard try skip(.as) else { return nil }
        let start = token
        let alias = try name("a name")
        guard entity.attribute(alias) == nil else {
            throw error(
                .syntax, "\(entity.name) has an attribute `\(alias)`. Choose another name.", at: start)
        }
        return alias
    }

    private func target(_ name: String) throws -> Entity {
        guard let entity = schema.entity(name) else {
            throw error(.unknownName, "The store has no entity `\(name)`.", at: token)
        }
        return entity
    }
}
