internal import SwitchyardCore

/// An attribute that a query names, or a count that it compares, with the references that lead to its row.
struct ResolvedPath {
    let references: [String]
    /// The entity that has the attribute.
    let entity: Entity
    let attribute: Attribute
    /// The value, seen from the row that has it.
    let operand: Operand

    var type: AttributeType { attribute.type }
    /// The attribute with its entity, for messages.
    var name: String { "\(entity.name).\(attribute.name)" }
}

extension QueryParser {
    /// One name of a path, and where it stands.
    struct Step {
        let name: String
        let token: Token
    }

    /// References, and what is named behind them.
    typealias Path = (references: [Step], last: Step)

    /// Reads names between points.
    mutating func path(_ expected: String) throws -> Path {
        var path: Path = ([], try step(expected))
        while try skip(.point) {
            path.references.append(path.last)
            try requireDepth(depth + path.references.count)
            path.last = try step(expected)
        }
        return path
    }

    private mutating func step(_ expected: String) throws -> Step {
        let start = token
        return Step(name: try name(expected), token: start)
    }

    /// Reads an attribute of an entity, or of what its references lead to.
    mutating func attributePath(in entity: Entity) throws -> ResolvedPath {
        try resolve(try path("an attribute"), in: entity)
    }

    /// The attribute that a path names.
    func resolve(_ path: Path, in entity: Entity) throws -> ResolvedPath {
        let (references, source) = try follow(path.references, from: entity)
        let attribute = try attribute(path.last, of: source)
        return ResolvedPath(
            references: references, entity: source, attribute: attribute, operand: .attribute(attribute.name))
    }

    func attribute(_ step: Step, of entity: Entity) throws -> Attribute {
        guard let attribute = entity.attribute(step.name) else { throw unknownAttribute(step, of: entity) }
        return attribute
    }

    /// The to-many relationship that a path names.
    func relationship(
        _ path: Path, in entity: Entity
    ) throws -> (references: [String], source: Entity, relationship: Relationship) {
        let (references, source) = try follow(path.references, from: entity)
        guard let relationship = source.relationship(path.last.name) else {
            throw unknownRelationship(path.last, of: source, isToMany: true)
        }
        return (references, source, relationship)
    }

    /// Whether a path leads to a to-many relationship; an error, which counts the columns of the text, would be slow here.
    func isRelationship(_ path: Path, in entity: Entity) -> Bool {
        let source = path.references.reduce(Optional(entity)) { source, step in
            source?.attribute(step.name)?.reference.flatMap { schema.entity($0) }
        }
        return source?.relationship(path.last.name) != nil
    }

    /// Follows references.
    func follow(
        _ steps: [Step], from entity: Entity
    ) throws -> (references: [String], end: Entity) {
        var (references, source): ([String], Entity) = ([], entity)
        for step in steps {
            guard let target = source.attribute(step.name)?.reference.flatMap({ schema.entity($0) }) else {
                throw notReference(step, of: source)
            }
            references.append(step.name)
            source = target
        }
        return (references, source)
    }

    private func notReference(_ step: Step, of entity: Entity) -> QueryError {
        if entity.relationship(step.name) != nil {
            return error(
                .wrongType,
                "\(entity.name).\(step.name) leads to many rows. Write `has \(step.name) where (…)` for any of them, or "
                    + "`count(\(step.name))`.", at: step.token)
        }
        guard entity.attribute(step.name) != nil else { return unknownAttribute(step, of: entity) }
        let names = entity.attributes.filter { $0.reference != nil }.map(\.name)
        return error(
            .wrongType,
            "\(entity.name).\(step.name) is no reference, so that nothing follows it. \(advice(step.name, names))",
            at: step.token)
    }

    func unknownRelationship(_ step: Step, of entity: Entity, isToMany: Bool) -> QueryError {
        let references = isToMany ? [] : entity.attributes.filter { $0.reference != nil }.map(\.name)
        let advice = advice(step.name, entity.relationships.map(\.name) + references)
        return error(
            .unknownName,
            "\(entity.name) has no \(isToMany ? "to-many " : "")relationship `\(step.name)`. \(advice)",
            at: step.token)
    }

    private func unknownAttribute(_ step: Step, of entity: Entity) -> QueryError {
        if entity.relationship(step.name) != nil { return notReference(step, of: entity) }
        return error(
            .unknownName,
            "\(entity.name) has no attribute `\(step.name)`. \(advice(step.name, entity.attributes.map(\.name)))",
            at: step.token)
    }
}
