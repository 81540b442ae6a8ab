/// Finds the entities of one type.
///
/// ```swift
/// struct BabyQuery: EntityQuery {
///     func entities(
///         for identifiers: [BabyProfile.ID], in context: IntentContext
///     ) async throws -> [BabyEntity] {
///         try await context.store.read { tx in try identifiers.compactMap(tx.find) }.map(BabyEntity.init)
///     }
///
///     func suggestedEntities(in context: IntentContext) async throws -> [BabyEntity] {
///         try await context.store.read { tx in try tx.fetch(BabyProfile.sorted(by: \.name))
///         }.map(BabyEntity.init) } }
/// ```
public protocol EntityQuery<Entity>: Sendable {
    /// The type of the entities.
    associatedtype Entity: IntentEntity

    /// The entities with these ids; unknown ids are left out.
    ///
    /// - Throws: Errors of the store.
    func entities(for identifiers: [Entity.ID], in context: IntentContext) async throws -> [Entity]

    /// The entities to suggest when a person is asked for one, in display order.
    ///
    /// - Throws: Errors of the store.
    func suggestedEntities(in context: IntentContext) async throws -> [Entity]

    /// The entities that a text could mean; those whose name matches better take precedence.
    ///
    /// By default these are the suggested entities whose name equals the text or begins with it, ignoring case and
    /// diacritics. Implement this if there are too many entities to suggest, or if other words also name them.
    ///
    /// - Throws: Errors of the store.
    func entities(matching text: String, in context: IntentContext) async throws -> [Entity]
}

extension EntityQuery {
    /// The suggested entities whose name equals the text or begins with it.
    public func entities(matching text: String, in context: IntentContext) async throws -> [Entity] {
        NameMatch.best(text, among: try await suggestedEntities(in: context), allowsPrefix: true) {
            [$0.displayRepresentation.title]
        }
    }
}
