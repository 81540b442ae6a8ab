import Switchyard

/// A question to a sample, or a change of it, and its answer as lines of text.
struct Question<Transaction>: Sendable {
    let text: String
    /// The answer, written out.
    let expected: [String]
    /// Asks by one query.
    let ask: @Sendable (Transaction) throws -> [String]

    init(
        _ text: String, _ expected: [String], _ ask: @escaping @Sendable (Transaction) throws -> [String]
    ) {
        (self.text, self.expected, self.ask) = (text, expected, ask)
    }
}
