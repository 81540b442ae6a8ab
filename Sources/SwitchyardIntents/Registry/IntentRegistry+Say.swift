extension IntentRegistry {
    /// Runs the intent whose phrase was said.
    ///
    /// Case, diacritics, the amount of white space and punctuation at the end do not matter. If several
    /// phrases fit, the one wins of which most was said word for word; if there are several ways to cut the
    /// words of parameters, the one whose values exist.
    ///
    /// - Parameters:
    ///   - phrase: What was said.
    ///   - parameters: What is given besides, by the names of parameters that the phrase leaves out.
    ///   - context: What the intent works with.
    /// - Returns: What the intent gives back.
    /// - Throws: `IntentError` `unknownPhrase` with all phrases, the likeliest first; `ambiguousPhrase`;
    ///   `unknownParameter` for a parameter that was said already; otherwise as `run`.
    public func say(
        _ phrase: String, _ parameters: [String: IntentArgument] = [:], in context: IntentContext
    ) async throws -> IntentResult {
        let reading = try await reading(of: phrase, in: context)
        let arguments = try reading.arguments.merging(parameters.map { ($0, $1) }) { _, _ in
            throw IntentError(
                .unknownParameter, "A parameter is given twice: \(phrase.quoted) says it already.")
        }
        return try await reading.intent.perform(with: arguments, in: context)
    }

    /// An intent and what was said for its parameters.
    private struct Reading {
        let intent: any Intent
        let phrase: String
        let arguments: [String: IntentArgument]
        let wordsInValues: Int
    }

    private func reading(of phrase: String, in context: IntentContext) async throws -> Reading {
        let all = readings(of: phrase)
        let fewest = all.map(\.wordsInValues).min()
        let best = all.filter { $0.wordsInValues == fewest }
        if best.count == 1 { return best[0] }

        var possible: [Reading] = []
        var undecided: [Reading] = []
        for reading in best {
            let refusal = try await reading.intent.refusal(of: reading.arguments, in: context)
            if refusal == nil { possible.append(reading) }
            if refusal?.code == .needsDisambiguation { undecided.append(reading) }
        }
        let left = possible.isEmpty ? undecided : possible
        switch left.count {
        case 1: return left[0]
        case 0:
            throw IntentError(
                .unknownPhrase, "\(phrase.quoted) is nothing that can be said.",
                choices: Nearest.sorted(phrases, to: phrase))
        default:
            throw IntentError(
                .ambiguousPhrase,
                "\(phrase.quoted) can mean several things; run the intent by its name instead.",
                choices: phrases.filter { phrase in left.contains { $0.phrase == phrase } })
        }
    }

    private func readings(of phrase: String) -> [Reading] {
        let spoken = Spoken(phrase)
        let applications = Set(applicationNames.map { NameMatch.key($0).filter { !$0.isWhitespace } })
        return shortcuts.flatMap { shortcut in
            shortcut.phrases.flatMap { template in
                template.matches(spoken, applications: applications).map { match in
                    Reading(
                        intent: shortcut.intent,
                        phrase: template.text(application: applicationNames.first ?? ""),
                        arguments: match.values.mapValues { .text($0) }, wordsInValues: match.wordsInValues)
                }
            }
        }
    }
}
