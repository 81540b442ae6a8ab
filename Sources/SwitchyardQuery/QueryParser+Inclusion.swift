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
        guard AggregateFunction.words.contains(word) else {
            throw error(
                .unknownName,
                "There is no figure `\(word)`. \(advice(word, ["first"] + AggregateFunction.words))",
                at: path.last.token)
        }
        let figure = try figure(word, in: entity)
        return Inclusion(
            kind: .figure(figure.function), references: figure.references,
            relationship: figure.relationship.name, query: figure.query, alias: try alias(in: figure.source))
    }

    /// A figure over the rows of a relationship, and the entities of the row that has it and of those rows.
    private typealias FigureParts = (
        references: [String], source: Entity, relationship: Relationship, target: Entity,
        function: AggregateFunction, query: StoredQuery
    )

    /// Reads the rest of a figure over the rows of a relationship, which a condition or an order takes.
    ///
    /// - Returns: The figure; nil if the path names something else.
    mutating func relatedFigure(_ path: Path, in entity: Entity) throws -> ResolvedPath? {
        let word = path.last.name.lowercased()
        guard path.references.isEmpty, AggregateFunction.words.contains(word), try skip(.open) else {
            return nil
        }
        let figure = try figure(word, in: entity)
        return ResolvedPath(
            references: figure.references, entity: figure.source,
            attribute: Attribute(
                figure.function.title(over: figure.relationship.name),
                type: figure.function.type(in: figure.target) ?? .int),
            operand: .figure(
                figure.function, of: figure.relationship.name, where: figure.query.condition))
    }

    /// Reads the rest of a figure over a relationship, such as `feeds.amount where end is not null)`.
    private mutating func figure(_ word: String, in entity: Entity) throws -> FigureParts {
        var path = try path("a to-many relationship")
        // `count(feeds)` counts rows; in `sum(feeds.amount)`, the last step is an attribute of them.
        let countsRows =
            word == "count" && (path.references.isEmpty || isRelationship(path, in: entity))
        var attribute: Step?
        if !countsRows {
            attribute = path.last
            guard let last = path.references.popLast() else {
                throw error(
                    .syntax,
                    "`\(word)` needs an attribute of a to-many relationship, as in `\(word)(feeds.amount)`.",
                    at: path.last.token)
            }
            path.last = last
        }
        let (references, source, relationship) = try relationship(path, in: entity)
        let target = try self.target(relationship.target)
        let function = try function(word, of: attribute, in: target)
        let query = try nested(target, allowed: [.where], hasClauses: true)
        return (references, source, relationship, target, function, query)
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
