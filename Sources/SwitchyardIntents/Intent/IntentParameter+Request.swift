extension IntentParameter {
    /// Asks for a value of this parameter while the intent runs.
    ///
    /// - Parameters:
    ///   - dialog: The question; that of the declaration, unless given.
    ///   - run: The run that asks.
    /// - Returns: The value. The property keeps the one that it has.
    /// - Throws: `IntentError` `missingParameter` if nobody answers; `invalidValue`, `notFound` or
    ///   `needsDisambiguation` if the answers made no sense.
    public func requestValue(_ dialog: IntentDialog? = nil, in run: IntentRun) async throws -> Value.Item {
        try await run.requestValue(
            Value.Item.self, for: run.name(of: self), dialog: dialog ?? requestValueDialog ?? "\(title)?")
    }

    /// Asks which of several values was meant, while the intent runs.
    ///
    /// One value alone needs no question.
    ///
    /// - Parameters:
    ///   - items: The values to choose from.
    ///   - dialog: The question; “Which baby did you mean?”, with the word for the type, unless given.
    ///   - run: The run that asks.
    /// - Returns: The value chosen. The property keeps the one that it has.
    /// - Throws: `IntentError` `needsDisambiguation`, with the choices, if nobody answers or the answers made
    ///   no sense; `notFound` if there is nothing to choose from.
    public func requestDisambiguation(
        among items: [Value.Item], dialog: IntentDialog? = nil, in run: IntentRun
    ) async throws -> Value.Item {
        try await run.requestDisambiguation(among: items, for: run.name(of: self), dialog: dialog)
    }

    /// An error to throw from `perform(_:)`, which asks for a value, sets the property, and performs again.
    ///
    /// - Parameter dialog: The question; that of the declaration, unless given.
    /// - Returns: The error to throw.
    public func needsValueError(_ dialog: IntentDialog? = nil) -> any Error {
        ParameterRequest { run in
            slot.value = .wrapping(try await requestValue(dialog, in: run))
        }
    }

    /// An error to throw from `perform(_:)`, which asks which value was meant, sets the property, and
    /// performs again.
    ///
    /// - Parameters:
    ///   - items: The values to choose from.
    ///   - dialog: The question; “Which baby did you mean?”, with the word for the type, unless given.
    /// - Returns: The error to throw.
    public func needsDisambiguationError(
        among items: [Value.Item], dialog: IntentDialog? = nil
    ) -> any Error {
        ParameterRequest { run in
            slot.value = .wrapping(try await requestDisambiguation(among: items, dialog: dialog, in: run))
        }
    }
}

/// What `perform(_:)` throws to have a parameter filled in.
struct ParameterRequest: Error {
    let fulfil: @Sendable (IntentRun) async throws -> Void
}
