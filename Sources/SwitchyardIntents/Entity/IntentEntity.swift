/// One of the app's own things that a parameter can refer to: a baby, a type of event.
///
/// People name an entity by its id, by its name (ignoring case and diacritics), or by the beginning of its name
/// if no other entity's name begins the same way.
///
/// ```swift
/// struct BabyEntity: IntentEntity {
///     let id: BabyProfile.ID
///     let name: String
///
///     static let typeDisplayRepresentation: TypeDisplayRepresentation = "Baby"
///     static let defaultQuery = BabyQuery()
///     var displayRepresentation: DisplayRepresentation { "\(name)" }
/// }
/// ```
public protocol IntentEntity: IntentValue, Identifiable where ID: EntityIdentifierConvertible & Sendable {
    /// The type of `defaultQuery`.
    associatedtype Query: EntityQuery where Query.Entity == Self

    /// What people call the type.
    static var typeDisplayRepresentation: TypeDisplayRepresentation { get }
    /// The query that finds entities for parameters.
    static var defaultQuery: Query { get }
}

extension IntentEntity {
    /// The type as data.
    public static var valueType: IntentValueType {
        let word = typeDisplayRepresentation
        return IntentValueType(
            name: word.name.lowercased(),
            description: "\(word.withArticle): its name, the beginning of it, or its id")
    }

    /// Accepts an id, a name, or the beginning of a name.
    public static func resolve(
        _ argument: IntentArgument, in context: IntentContext
    ) async throws -> IntentResolution<Self> {
        let text = try argument.text(for: valueType)
        if let id = ID(entityIdentifier: text),
            let entity = try await defaultQuery.entities(for: [id], in: context).first(where: { $0.id == id })
        {
            return .value(entity)
        }
        let matching = try await defaultQuery.entities(matching: text, in: context)
        let best = NameMatch.best(text, among: matching, allowsPrefix: true) {
            [$0.displayRepresentation.title]
        }
        // A query may match more widely, for example by nickname, so its result is final.
        var seen: Set<ID> = []
        let found = (best.isEmpty ? matching : best).filter { seen.insert($0.id).inserted }
        guard let first = found.first else {
            let names = choices(among: try await suggestedValues(in: context)).map(\.description)
            throw IntentError(
                .notFound, "There is no \(valueType.name) \(text.quoted).",
                choices: Nearest.sorted(names, to: text))
        }
        return found.count == 1 ? .value(first) : .ambiguous(found)
    }

    /// Whether a text is the id or the whole name, ignoring case, diacritics and extra white space; the
    /// beginning of the name is not enough.
    public func isCalled(_ text: String) -> Bool {
        ID(entityIdentifier: text) == id
            || NameMatch.key(text) == NameMatch.key(displayRepresentation.title)
    }

    /// The suggested entities of the default query.
    public static func suggestedValues(in context: IntentContext) async throws -> [Self] {
        try await defaultQuery.suggestedEntities(in: context)
    }

    /// The values' representations; those that look alike get their id as a subtitle.
    public static func choices(among values: [Self]) -> [DisplayRepresentation] {
        var counts: [DisplayRepresentation: Int] = [:]
        for value in values { counts[value.displayRepresentation, default: 0] += 1 }
        return values.map { value in
            var representation = value.displayRepresentation
            if counts[representation, default: 0] > 1 {
                representation.subtitle = value.id.entityIdentifierString
            }
            return representation
        }
    }
}
