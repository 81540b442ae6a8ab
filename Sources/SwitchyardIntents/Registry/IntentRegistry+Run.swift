public import Foundation

extension IntentRegistry {
    /// Runs an intent with parameters given as text, as from a command line.
    ///
    /// - Parameters:
    ///   - name: The name or the title of the intent, in any case.
    ///   - parameters: Text, by parameter name, in any case, with or without hyphens.
    ///   - context: The context to run in.
    /// - Returns: The intent's result.
    /// - Throws: `IntentError`; anything that the intent throws.
    public func run(
        _ name: String, _ parameters: [String: String] = [:], in context: IntentContext
    ) async throws -> IntentResult {
        try await run(
            IntentRequest(intent: name, parameters: parameters.mapValues { .text($0) }), in: context)
    }

    /// Runs an intent as requested in JSON.
    ///
    /// - Throws: `IntentError`, with `malformedRequest` for invalid JSON; anything that the intent throws.
    public func run(json: Data, in context: IntentContext) async throws -> IntentResult {
        try await run(IntentRequest(json: json), in: context)
    }

    /// Runs an intent as requested.
    ///
    /// - Throws: `IntentError`; anything that the intent throws.
    public func run(_ request: IntentRequest, in context: IntentContext) async throws -> IntentResult {
        try await intent(named: request.intent).init().perform(with: request.parameters, in: context)
    }

    /// Describes one intent.
    ///
    /// - Parameter name: The name or the title of the intent, in any case.
    /// - Returns: The description, as in `intents`.
    /// - Throws: `IntentError` `unknownIntent`, or `declaration` as for `validate()`.
    public func declaration(named name: String) throws -> IntentDeclaration {
        try declaration(of: try entry(named: name))
    }

    /// The type of the intent with this name.
    ///
    /// - Parameter name: The name or the title of the intent, in any case.
    /// - Returns: The intent's type.
    /// - Throws: `IntentError` `unknownIntent`.
    public func intent(named name: String) throws -> any Intent.Type {
        try entry(named: name).type
    }

    private func entry(named name: String) throws -> Entry {
        if let entry = entries.first(where: { $0.name == name }) { return entry }
        let found = NameMatch.best(name, among: entries, allowsPrefix: false) { [$0.name, $0.title] }
        guard let entry = found.first else {
            throw IntentError(
                .unknownIntent, "There is no intent \(name.quoted).",
                choices: Nearest.sorted(entries.map(\.name), to: name))
        }
        return entry
    }
}
