public import Foundation

/// Builds an `Entity` from the properties of a struct; `@Model` generates the calls, one for each property.
///
/// ```swift
/// var declaration = EntityDeclaration<FeedSession>()
/// let attribute0 = declaration.attribute("id", FeedSession.ID.self)
/// declaration.add(attribute0)
/// return declaration.entity
/// ```
///
/// The macro only sees the name of a property's type, so the compiler chooses the overload of `attribute`. The
/// overloads for types that cannot be stored return a `Refusal`, whose `add` is unavailable with a message that says
/// why. Two steps are needed because the compiler prefers any available overload: if `attribute` itself were
/// unavailable, an enum or an unsigned integer would fall through to the overload for `Codable` values.
public struct EntityDeclaration<Owner: Model> {
    private var attributes: [Attribute] = []
    private var relationships: [Relationship] = []
    private var indexes: [Index] = []
    private var uniqueConstraints: [UniqueConstraint] = []
    private var isLeftOutOfHistory = false
    private var deletedRows = DeletedRowPolicy.delete
    private var fault: StoreError?

    /// Creates an empty declaration.
    public init() {}

    /// The entity, or the first error in its relationships and filters.
    public var entity: Result<Entity, StoreError> {
        if let fault { return .failure(fault) }
        return .success(
            Entity(
                Owner.entityName, attributes: attributes, relationships: relationships, indexes: indexes,
                uniqueConstraints: uniqueConstraints, isLeftOutOfHistory: isLeftOutOfHistory,
                deletedRows: deletedRows))
    }

    /// Leaves the rows out of the store's history.
    public mutating func leaveOutOfHistory() { isLeftOutOfHistory = true }

    /// Says what the store's history keeps of an attribute that was added before.
    public mutating func keep(_ history: AttributeHistory, inHistoryOf attribute: String) {
        for index in attributes.indices where attributes[index].name == attribute {
            attributes[index].history = history
        }
    }

    /// Says how edits of two devices of an attribute that was added before are merged.
    public mutating func merge(_ attribute: String, by policy: MergePolicy) {
        for index in attributes.indices where attributes[index].name == attribute {
            attributes[index].merge = policy
        }
    }

    /// Says what edits of rows do that were deleted meanwhile.
    public mutating func merge(deletedRowsBy policy: DeletedRowPolicy) { deletedRows = policy }

    /// Adds an attribute.
    ///
    /// A default of type Decimal that Swift has misread is an error. `@Model` keeps the digits of a literal unless the
    /// type is spelled differently.
    public mutating func add(_ attribute: Attribute) {
        attributes.append(attribute)
        guard case .decimal(let value) = attribute.defaultValue, let literal = value.misreadLiteral else {
            return
        }
        fault =
            fault
            ?? StoreError(
                .schemaInvalid,
                "The default of `\(attribute.name)` is \(value), which Swift reads from the literal "
                    + "\(literal). Declare the property with the type Decimal, or write 'Decimal(string: "
                    + "\"\(literal)\")!'.",
                entity: Owner.entityName, attribute: attribute.name)
    }

    /// Adds a to-many relationship.
    public mutating func add(_ relationship: Result<Relationship, StoreError>) {
        if let relationship = accept(relationship) { relationships.append(relationship) }
    }

    /// Adds an index over attributes, in their order, of all rows or of those that match a predicate.
    public mutating func index(_ attributes: [String], where filter: Predicate<Owner>? = nil) {
        guard let condition = accept(Self.condition(filter)) else { return }
        indexes.append(Index(attributes, where: condition))
    }

    /// Adds a unique constraint over attributes of all rows, or of those that match a predicate.
    public mutating func unique(
        _ attributes: [String], where filter: Predicate<Owner>? = nil, nilsAreDistinct: Bool = true,
        merge: UniqueKeyPolicy = .reject
    ) {
        guard let condition = accept(Self.condition(filter)) else { return }
        uniqueConstraints.append(
            UniqueConstraint(attributes, where: condition, nilsAreDistinct: nilsAreDistinct, merge: merge))
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
