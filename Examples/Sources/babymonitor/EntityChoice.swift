import BabyMonitorKit
import Switchyard
import SwitchyardCommands
import SwitchyardCore
import SwitchyardIntents

/// How much of a name must be given.
enum NameRule {
    /// All of it, for commands where a slip could lose data.
    case whole
    /// Its beginning, if no other name begins the same way.
    case beginning
}

extension Session {
    /// Finds the entity that a person means, by the rules of the app's intents: by id, by exact name, by name
    /// ignoring case and accents, or, if allowed, by the beginning of the name.
    ///
    /// - Parameters:
    ///   - type: The type of entity.
    ///   - text: What the person wrote.
    ///   - rule: How much of a name must be given.
    ///   - command: The command that lists the entities.
    ///   - parameter: The name of the parameter in intents, from which an error derives how to add the first one.
    /// - Returns: The entity.
    /// - Throws: `UsageError` for empty text, `IntentError` with code `notFound` or `needsDisambiguation`.
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
                .needsDisambiguation, "Several match `\(text)`. Give the id of one.",
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
