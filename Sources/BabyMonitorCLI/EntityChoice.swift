import BabyMonitor
import Switchyard
import SwitchyardCore
import SwitchyardIntents

/// How much of a name must be given.
enum NameRule {
    /// All of it, where something could be lost by a slip.
    case whole
    /// The beginning, if nothing else shares it.
    case beginning
}

extension Session {
    /// What a person means, by the rules of the app's intents: by id, by the very name, by the name without
    /// regard to case and accents, or, where that is allowed, by the beginning of one.
    ///
    /// - Parameters:
    ///   - type: What it is that is meant.
    ///   - text: What the person wrote.
    ///   - rule: How much of a name must be given.
    ///   - command: The command that lists what there is.
    ///   - parameter: The name that intents have for it, by which an error tells how to add the first.
    /// - Returns: The one that is meant.
    /// - Throws: `UsageError` for no text, `IntentError` with code `notFound` or `needsDisambiguation`.
    func find<Entity: IntentEntity>(
        _ type: Entity.Type, _ text: String, by rule: NameRule, listedBy command: String,
        as parameter: String
    ) async throws -> Entity {
        do {
            return try await find(type, text, by: rule, listedBy: command)
        } catch var error as IntentError {
            error.parameter = parameter
            throw error
        }
    }

    private func find<Entity: IntentEntity>(
        _ type: Entity.Type, _ text: String, by rule: NameRule, listedBy command: String
    ) async throws -> Entity {
        let kind = Entity.valueType.name
        guard !text.allSatisfy(\.isWhitespace) else {
            throw UsageError(
                "The name of the \(kind) is empty. Give a name or an id; `babymonitor \(command)` shows both."
            )
        }
        let found: [Entity] =
            switch try await Entity.resolve(.text(text), in: intentContext) {
            case .value(let entity): [entity]
            case .ambiguous(let entities): entities
            }
        let fitting = found.filter { rule == .beginning || $0.isCalled(text) }
        guard let entity = fitting.first else {
            throw IntentError(
                .notFound, "There is no \(kind) `\(text)`. Give the whole name or the id.",
                choices: found.map(\.displayRepresentation.title))
        }
        guard fitting.count == 1 else {
            throw IntentError(
                .needsDisambiguation, "Several answer to `\(text)`. Give the id of one.",
                choices: fitting.map { "\($0.displayRepresentation.title) (\($0.id.entityIdentifierString))" }
            )
        }
        return entity
    }

    /// The baby that a person means.
    ///
    /// - Throws: As `find`.
    func baby(_ text: String, by rule: NameRule) async throws -> BabyProfile {
        let id = try await find(BabyEntity.self, text, by: rule, listedBy: "baby list", as: "baby").id
        return try await store.read { try $0.requireBaby(id) }
    }
}
