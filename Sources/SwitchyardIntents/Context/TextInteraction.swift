/// Questions and answers as lines of text, as on a terminal.
///
/// ```
/// Which baby did you mean?
///   1. Leo
///   2. Mia
/// Number or name: 2
/// ```
public struct TextInteraction: IntentInteraction {
    private let readLine: @Sendable () async throws -> String?
    private let write: @Sendable (String) async throws -> Void

    /// Creates an interaction from its input and output.
    ///
    /// - Parameters:
    ///   - readLine: Returns the person's next line, without its line break; nil at the end of input. It must
    ///     not block a thread of the cooperative pool.
    ///   - write: Shows text as given; line breaks are part of the text.
    public init(
        readLine: @escaping @Sendable () async throws -> String?,
        write: @escaping @Sendable (String) async throws -> Void
    ) {
        self.readLine = readLine
        self.write = write
    }

    /// Shows the question, with its choices or a description of the value, and reads a line.
    public func requestValue(_ question: IntentQuestion) async throws -> IntentAnswer? {
        try await ask(question, hint: "\(question.dialog) (\(question.type.description)) ")
    }

    /// Shows the question with its choices and reads a line.
    public func requestDisambiguation(_ question: IntentQuestion) async throws -> IntentAnswer? {
        try await ask(question, hint: "\(question.dialog) ")
    }

    private func ask(_ question: IntentQuestion, hint: String) async throws -> IntentAnswer? {
        // Names are escaped, so that the terminal shows them and does not interpret them.
        var text = question.problem.map { VisibleText.escaping($0) + "\n" } ?? ""
        if question.choices.isEmpty {
            text += VisibleText.escaping(hint)
        } else {
            text += VisibleText.escaping(question.dialog.text) + "\n"
            for (index, choice) in question.choices.enumerated() {
                text += "  \(index + 1). \(VisibleText.escaping(choice.description))\n"
            }
            text += "Number or name: "
        }
        try await write(text)
        guard let line = try await readLine()?.trimmed else { return nil }
        let isTitle = question.choices.contains { $0.title == line }
        if !isTitle, let number = Int(line), question.choices.indices.contains(number - 1) {
            return .choice(number - 1)
        }
        return .text(line)
    }
}
