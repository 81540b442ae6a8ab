import BabyMonitor
import Switchyard
import SwitchyardIntents

/// How much of a baby's name must be given.
enum NameRule {
    /// All of it, where something could be lost by a slip.
    case whole
    /// The beginning, if no other baby shares it.
    case beginning
}

extension Session {
    /// The baby that a person means, by the rules of the app's intents: by id, by the very name, by the name
    /// without regard to case and accents, or, where that is allowed, by the beginning of one.
    ///
    /// - Throws: `UsageError` for no text, `IntentError` with code `notFound` or `needsDisambiguation`.
    func baby(_ text: String, by rule: NameRule) async throws -> BabyProfile {
        guard !text.allSatisfy(\.isWhitespace) else {
            throw UsageError(
                "The name of the baby is empty. Give a name or an id; `babymonitor baby list` shows both.")
        }
        let found = try await babies(meantBy: text)
        let fitting = found.filter { rule == .beginning || $0.isCalled(text) }
        guard let baby = fitting.first else {
            throw IntentError(
                .notFound, "There is no baby `\(text)`. Give the whole name or the id.",
                choices: found.map(\.name))
        }
        guard fitting.count == 1 else {
            throw IntentError(
                .needsDisambiguation, "Several babies answer to `\(text)`. Give the id of one.",
                choices: fitting.map { "\($0.name) (\($0.id))" })
        }
        return try await store.read { try $0.requireBaby(baby.id) }
    }

    private func babies(meantBy text: String) async throws -> [BabyEntity] {
        do {
            switch try await BabyEntity.resolve(.text(text), in: intentContext) {
            case .value(let baby): return [baby]
            case .ambiguous(let babies): return babies
            }
        } catch var error as IntentError where error.code == .notFound && error.choices.isEmpty {
            error.message += " There are no babies yet; add one with: babymonitor baby add NAME"
            throw error
        }
    }
}
