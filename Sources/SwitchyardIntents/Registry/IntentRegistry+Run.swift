public import Foundation

extension IntentRegistry {
    /// Runs an intent with parameters given as text, as from a command line.
    ///
    /// - Parameters:
    ///   - name: The name or the title of the intent, in any case.
    ///   - parameters: Text by the parameters' names, in any case, with or without hyphens.
    ///   - context: What the intent works with.
    /// - Returns: What the intent gives back.
    /// - Throws: `IntentError`; what the intent throws.
    public func run(
        _ name: String, _ parameters: [String: String] = [:], in context: IntentContext
    ) async throws -> IntentResult {
        try await run(
            IntentRequest(intent: name, parameters: parameters.mapValues { .text($0) }), in: context)
    }

    /// Runs the intent that JSON asks for.
    ///
    /// - Throws: `IntentError`, `malformedRequest` among them; what the intent throws.
    public func run(json: Data, in context: IntentContext) async throws -> IntentResult {
        try await run(IntentRequest(json: json), in: context)
    }

    /// Runs the intent that a request asks for.
    ///
    /// - Throws: `IntentError`; what the intent throws.
    public func run(_ request: IntentRequest, in context: IntentContext) async throws -> IntentResult {
        try await intent(named: request.intent).init().perform(with: request.parameters, in: context)
    }

    /// What there is to know about one intent.
    ///
    /// - Parameter name: The name or the title of the intent, in any case.
    /// - Returns: The same as in `intents`.
    /// - Throws: `IntentError` `unknownIntent`; `declaration` as `validate()`.
    public func declaration(named name: String) throws -> IntentDeclaration {
        try declaration(of: try entry(named: name))
    }

    /// The intent of a name.
    ///
    /// - Parameter name: The name or the title of the intent, in any case.
    /// - Returns: Its type.
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
