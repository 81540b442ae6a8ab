public import Switchyard
public import SwitchyardIntents

/// A type of custom event, as the parameter of an intent.
public struct EventTypeEntity: IntentEntity {
    /// The id of the type.
    public let id: CustomEventType.ID
    /// The name.
    public let name: String
    /// The emoji.
    public let emoji: String

    /// What people call it.
    public static let typeDisplayRepresentation: TypeDisplayRepresentation = "Event Type"
    /// Finds types of events.
    public static let defaultQuery = EventTypeQuery()
    /// The name, told from others of it by the emoji.
    public var displayRepresentation: DisplayRepresentation {
        DisplayRepresentation(title: name, subtitle: emoji)
    }

    /// Stands for a type.
    public init(_ type: CustomEventType) {
        id = type.id
        name = type.name
        emoji = type.emoji
    }
}

/// Finds types of custom events, in the order in which they were made.
public struct EventTypeQuery: EntityQuery {
    /// The query.
    public init() {}

    /// The types of some ids.
    public func entities(
        for identifiers: [CustomEventType.ID], in context: IntentContext
    ) async throws -> [EventTypeEntity] {
        try await context.store.read { transaction in
            try identifiers.compactMap { try transaction.find($0).map { EventTypeEntity($0) } }
        }
    }

    /// All types, in the order in which they were made.
    public func suggestedEntities(in context: IntentContext) async throws -> [EventTypeEntity] {
        try await context.store.read {
            try $0.fetch(CustomEventType.sorted(by: \.createdAt)).map { EventTypeEntity($0) }
        }
    }
}
