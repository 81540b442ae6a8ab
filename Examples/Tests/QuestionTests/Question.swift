import Switchyard

/// A question to a sample, and its answer as lines of text.
struct Question: Sendable {
    let text: String
    /// The answer, written out.
    let expected: [String]
    /// Asks by one query.
    let ask: @Sendable (ReadTransaction) throws -> [String]

    init(
        _ text: String, _ expected: [String], _ ask: @escaping @Sendable (ReadTransaction) throws -> [String]
    ) {
        (self.text, self.expected, self.ask) = (text, expected, ask)
    }
}
