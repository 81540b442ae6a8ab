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
    /// What is found.
    associatedtype Entity: IntentEntity

    /// The entities of some ids. An id that nothing has is left out.
    ///
    /// - Throws: Errors of the store.
    func entities(for identifiers: [Entity.ID], in context: IntentContext) async throws -> [Entity]

    /// The entities to offer when one is asked for, in the order to show them.
    ///
    /// - Throws: Errors of the store.
    func suggestedEntities(in context: IntentContext) async throws -> [Entity]

    /// The entities that a text could mean. Of these, names that fit the text better win over those that fit
    /// it less.
    ///
    /// Unless given, those among the suggested entities whose name the text is, or begins, without regard to
    /// case and diacritics. Write it where there are too many entities to suggest, or where other words are
    /// names as well.
    ///
    /// - Throws: Errors of the store.
    func entities(matching text: String, in context: IntentContext) async throws -> [Entity]
}

extension EntityQuery {
    /// Those among the suggested entities whose name the text is, or begins.
    public func entities(matching text: String, in context: IntentContext) async throws -> [Entity] {
        NameMatch.best(text, among: try await suggestedEntities(in: context), allowsPrefix: true) {
            [$0.displayRepresentation.title]
        }
    }
}
