extension Intent {
    /// How often a `perform(_:)` that throws requests for values is run again, before its request is an
    /// error.
    private static var mostRequests: Int { 20 }

    /// Performs the intent: its own values, then those of the arguments, then answers to questions.
    ///
    /// All arguments are looked at before the first question, so that nobody answers in vain.
    func perform(with arguments: [String: IntentArgument], in context: IntentContext) async throws
        -> IntentResult
    {
        // A fresh intent has places of its own for its values, so that filling them changes nobody else's
        // intent.
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
            "\(Self.name) asked \(Self.mostRequests) times for values and was still not satisfied.",
            intent: Self.name)
    }

    /// Whether arguments make sense for this intent, without asking anybody and without performing it.
    ///
    /// - Returns: Why they do not; nil if they do.
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
