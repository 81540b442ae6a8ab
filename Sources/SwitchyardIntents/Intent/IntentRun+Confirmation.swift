extension IntentRun {
    /// Asks whether to go on with what the intent is about to do.
    ///
    /// - Parameter dialog: The question, which yes or no answers.
    /// - Throws: `IntentError` `needsConfirmation` if nobody can be asked, or `declined` if the answer is no.
    public func requestConfirmation(_ dialog: IntentDialog) async throws {
        let question = IntentQuestion(
            intent: intent, parameter: "confirmation", title: "Confirmation", dialog: dialog,
            type: IntentValueType(name: "boolean", description: "yes or no", cases: ["yes", "no"]),
            choices: [])
        let unanswered = IntentError(
            .needsConfirmation,
            "\(intent) asks before it goes on, and nobody can answer here. Run it on a terminal; nothing was done.",
            intent: intent)
        let isConfirmed = try await ask(question, ifUnanswered: unanswered) { question in
            try await context.interaction.requestValue(question)
        } reading: { answer in
            guard case .text(let text) = answer,
                case .value(let isConfirmed) = try await Bool.resolve(.text(text), in: context)
            else { throw IntentError(.invalidValue, "Answer yes or no.") }
            return isConfirmed
        }
        guard isConfirmed else {
            throw IntentError(.declined, "\(intent) was not confirmed; nothing was done.", intent: intent)
        }
    }
}
