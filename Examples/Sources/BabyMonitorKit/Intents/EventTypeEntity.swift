public import Switchyard
public import SwitchyardIntents

/// A type of custom event as an intent's parameter.
public struct EventTypeEntity: IntentEntity {
    /// The id of the type.
    public let id: CustomEventType.ID
    /// The name.
    public let name: String
    /// The emoji.
    public let emoji: String

    /// The type's name for people.
    public static let typeDisplayRepresentation: TypeDisplayRepresentation = "Event Type"
    /// Finds types of events.
    public static let defaultQuery = EventTypeQuery()
    /// The name, with the emoji to distinguish types of the same name.
    public var displayRepresentation: DisplayRepresentation {
        DisplayRepresentation(title: name, subtitle: emoji)
    }

    /// Creates an entity for an event type.
    public init(_ type: CustomEventType) {
        id = type.id
        name = type.name
        emoji = type.emoji
    }
}

/// Finds types of custom events, in order of creation.
public struct EventTypeQuery: EntityQuery {
    /// Creates the query.
    public init() {}

    /// The types with these ids.
    public func entities(
        for identifiers: [CustomEventType.ID], in context: IntentContext
    ) async throws -> [EventTypeEntity] {
        try await context.store.read { transaction in
            try identifiers.compactMap { try transaction.find($0).map { EventTypeEntity($0) } }
        }
    }

    /// All types, in order of creation.
    public func suggestedEntities(in context: IntentContext) async throws -> [EventTypeEntity] {
        try await context.store.read {
            try $0.fetch(CustomEventType.sorted(by: \.createdAt)).map { EventTypeEntity($0) }
        }
    }
}
