public import Switchyard
public import SwitchyardIntents

/// A baby as an intent's parameter.
public struct BabyEntity: IntentEntity {
    /// The id of the baby.
    public let id: BabyProfile.ID
    /// The name.
    public let name: String

    /// The type's name for people.
    public static let typeDisplayRepresentation: TypeDisplayRepresentation = "Baby"
    /// Finds babies.
    public static let defaultQuery = BabyQuery()
    /// The name.
    public var displayRepresentation: DisplayRepresentation { DisplayRepresentation(title: name) }

    /// Creates an entity for a baby.
    public init(_ baby: BabyProfile) {
        id = baby.id
        name = baby.name
    }
}

/// Finds babies, by name.
public struct BabyQuery: EntityQuery {
    /// Creates the query.
    public init() {}

    /// The babies with these ids.
    public func entities(for identifiers: [BabyProfile.ID], in context: IntentContext) async throws
        -> [BabyEntity]
    {
        try await context.store.read { transaction in
            try identifiers.compactMap { try transaction.find($0).map { BabyEntity($0) } }
        }
    }

    /// All babies, by name.
    public func suggestedEntities(in context: IntentContext) async throws -> [BabyEntity] {
        try await context.store.read { try $0.babies().map { BabyEntity($0) } }
    }
}
