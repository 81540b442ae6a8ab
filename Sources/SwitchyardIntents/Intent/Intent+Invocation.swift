extension Intent {
    /// How many times `perform(_:)` is run again for the values that it throws requests for.
    private static var mostRequests: Int { 20 }

    /// Performs the intent: with its own values, then those of the arguments, then answers to questions.
    ///
    /// All arguments are checked before the first question, so that no answer is wasted.
    func perform(with arguments: [String: IntentArgument], in context: IntentContext) async throws
        -> IntentResult
    {
        // A fresh intent has parameter slots of its own, so filling them does not change the caller's intent.
        let intent = Self()
        let run = try await prepared(intent, with: arguments, in: context)
        for row in run.parameters.rows where !row.parameter.hasValue {
            try await row.parameter.fill(in: run)
        }
        for _ in 0..<Self.mostRequests {
            do {
                var result = try await intent.perform(run)
                result.intent = Self.name
                return result
            } catch let request as ParameterRequest {
                try await request.fulfil(run)
            }
        }
        throw IntentError(
            .declaration,
            "\(Self.name) asked for values \(Self.mostRequests) times and still needs more. Ask for each value once.",
            intent: Self.name)
    }

    /// Checks arguments against this intent, without asking questions and without performing it.
    ///
    /// - Returns: What is wrong with them; nil if they are valid.
    /// - Throws: Errors of the store.
    func refusal(of arguments: [String: IntentArgument], in context: IntentContext) async throws
        -> IntentError?
    {
        var silent = context
        silent.interaction = NoInteraction()
        do {
            _ = try await prepared(Self(), with: arguments, in: silent)
            return nil
        } catch let error as IntentError {
            return error
        }
    }

    private func prepared(
        _ intent: Self, with arguments: [String: IntentArgument], in context: IntentContext
    ) async throws -> IntentRun {
        let parameters = try ParameterTable(of: intent)
        parameters.adopt(try ParameterTable(of: self))
        let run = IntentRun(parameters, in: context)
        for (row, argument) in try parameters.match(arguments) {
            try await row.parameter.accept(argument, in: run)
        }
        return run
    }
}
