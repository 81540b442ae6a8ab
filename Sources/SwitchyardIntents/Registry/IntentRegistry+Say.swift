extension IntentRegistry {
    /// Runs the intent that a spoken phrase matches.
    ///
    /// Case, diacritics, the amount of white space and trailing punctuation are ignored. If several phrases
    /// match, the one with the most literal words wins. If the words can be divided among the parameters in
    /// several ways, the one whose values exist wins.
    ///
    /// - Parameters:
    ///   - phrase: What was said.
    ///   - parameters: Values for parameters that the phrase leaves out, by name.
    ///   - context: The context to run in.
    /// - Returns: The intent's result.
    /// - Throws: `IntentError` `unknownPhrase` with all phrases, the closest first; `ambiguousPhrase`;
    ///   `unknownParameter` for a parameter that the phrase already contains; otherwise as for `run`.
    public func say(
        _ phrase: String, _ parameters: [String: IntentArgument] = [:], in context: IntentContext
    ) async throws -> IntentResult {
        let reading = try await reading(of: phrase, in: context)
        let arguments = try reading.arguments.merging(parameters.map { ($0, $1) }) { _, _ in
            throw IntentError(
                .unknownParameter, "A parameter is given twice: \(phrase.quoted) already contains it.")
        }
        return try await reading.intent.perform(with: arguments, in: context)
    }

    /// An intent, and the words said for its parameters.
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
                .unknownPhrase, "No phrase matches \(phrase.quoted).",
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
