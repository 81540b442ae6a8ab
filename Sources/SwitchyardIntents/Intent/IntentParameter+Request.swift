extension IntentParameter {
    /// Asks for a value of this parameter while the intent runs.
    ///
    /// - Parameters:
    ///   - dialog: The question; by default the one in the declaration.
    ///   - run: The current run.
    /// - Returns: The value. The property itself does not change.
    /// - Throws: `IntentError` `missingParameter` if nobody answers; `invalidValue`, `notFound` or
    ///   `needsDisambiguation` if no answer was valid.
    public func requestValue(_ dialog: IntentDialog? = nil, in run: IntentRun) async throws -> Value.Item {
        try await run.requestValue(
            Value.Item.self, for: run.name(of: self), dialog: dialog ?? requestValueDialog ?? "\(title)?")
    }

    /// Asks which of several values was meant, while the intent runs.
    ///
    /// A single value is returned without a question.
    ///
    /// - Parameters:
    ///   - items: The values to choose from.
    ///   - dialog: The question; by default “Which baby did you mean?”, with the name of the type.
    ///   - run: The current run.
    /// - Returns: The chosen value. The property itself does not change.
    /// - Throws: `IntentError` `needsDisambiguation`, with the choices, if nobody answers or no answer was
    ///   valid; `notFound` if there is nothing to choose from.
    public func requestDisambiguation(
        among items: [Value.Item], dialog: IntentDialog? = nil, in run: IntentRun
    ) async throws -> Value.Item {
        try await run.requestDisambiguation(among: items, for: run.name(of: self), dialog: dialog)
    }

    /// An error to throw from `perform(_:)`: the value is then asked for and set, and `perform(_:)` runs again.
    ///
    /// - Parameter dialog: The question; by default the one in the declaration.
    /// - Returns: The error to throw.
    public func needsValueError(_ dialog: IntentDialog? = nil) -> any Error {
        ParameterRequest { run in
            slot.value = .wrapping(try await requestValue(dialog, in: run))
        }
    }

    /// An error to throw from `perform(_:)`: the person is then asked which value was meant, the property is
    /// set, and `perform(_:)` runs again.
    ///
    /// - Parameters:
    ///   - items: The values to choose from.
    ///   - dialog: The question; by default “Which baby did you mean?”, with the name of the type.
    /// - Returns: The error to throw.
    public func needsDisambiguationError(
        among items: [Value.Item], dialog: IntentDialog? = nil
    ) -> any Error {
        ParameterRequest { run in
            slot.value = .wrapping(try await requestDisambiguation(among: items, dialog: dialog, in: run))
        }
    }
}

/// The error by which `perform(_:)` asks for a parameter's value.
struct ParameterRequest: Error {
    let fulfil: @Sendable (IntentRun) async throws -> Void
}
