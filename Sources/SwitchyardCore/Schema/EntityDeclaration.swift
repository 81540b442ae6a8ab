public import Foundation

/// Gathers what `@Model` reads from a struct into an `Entity`; the macro writes the calls, one for each
/// property.
///
/// ```swift
/// var declaration = EntityDeclaration<FeedSession>()
/// let attribute0 = declaration.attribute("id", FeedSession.ID.self)
/// declaration.add(attribute0)
/// return declaration.entity
/// ```
///
/// The compiler chooses the overload of `attribute` that fits the property's type, which the macro sees as a
/// name only. An overload for what cannot be stored gives a `Refusal`, and the `add` for that refusal is
/// unavailable with a message that says why. Two steps are needed because the compiler prefers any overload
/// that is available, so that an unavailable `attribute` would let an enum or an unsigned integer slip into
/// the one for `Codable` values.
public struct EntityDeclaration<Owner: Model> {
    private var attributes: [Attribute] = []
    private var relationships: [Relationship] = []
    private var indexes: [Index] = []
    private var uniqueConstraints: [UniqueConstraint] = []
    private var fault: StoreError?

    /// Starts with nothing.
    public init() {}

    /// The entity, or the first fault among its relationships and filters.
    public var entity: Result<Entity, StoreError> {
        if let fault { return .failure(fault) }
        return .success(
            Entity(
                Owner.entityName, attributes: attributes, relationships: relationships, indexes: indexes,
                uniqueConstraints: uniqueConstraints))
    }

    /// Takes an attribute.
    ///
    /// A default of type Decimal that Swift has misread is a fault. `@Model` keeps the digits of a literal
    /// unless the type has another name.
    public mutating func add(_ attribute: Attribute) {
        attributes.append(attribute)
        guard case .decimal(let value) = attribute.defaultValue, let literal = value.misreadLiteral else {
            return
        }
        fault =
            fault
            ?? StoreError(
                .schemaInvalid,
                "The default of `\(attribute.name)` is \(value), which Swift makes of the literal \(literal). Declare the "
                    + "property with the type Decimal, or write 'Decimal(string: \"\(literal)\")!'.",
                entity: Owner.entityName, attribute: attribute.name)
    }

    /// Takes a to-many relationship.
    public mutating func add(_ relationship: Result<Relationship, StoreError>) {
        if let relationship = accept(relationship) { relationships.append(relationship) }
    }

    /// Takes an index over attributes, in their order, of all rows or of those that a predicate picks.
    public mutating func index(_ attributes: [String], where filter: Predicate<Owner>? = nil) {
        guard let condition = accept(Self.condition(filter)) else { return }
        indexes.append(Index(attributes, where: condition))
    }

    /// Takes a unique constraint over attributes of all rows, or of those that a predicate picks.
    public mutating func unique(
        _ attributes: [String], where filter: Predicate<Owner>? = nil, nilsAreDistinct: Bool = true
    ) {
        guard let condition = accept(Self.condition(filter)) else { return }
        uniqueConstraints.append(
            UniqueConstraint(attributes, where: condition, nilsAreDistinct: nilsAreDistinct))
    }

    private static func condition(_ filter: Predicate<Owner>?) -> Result<Condition?, StoreError> {
        filter.map { Condition.lowering($0).map(Optional.some) } ?? .success(nil)
    }

    private mutating func accept<Value>(_ result: Result<Value, StoreError>) -> Value? {
        switch result {
        case .success(let value): return value
        case .failure(let error):
            fault = fault ?? error
            return nil
        }
    }
}

@available(*, unavailable)
extension EntityDeclaration: Sendable {}
