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

    /// Takes the two ends of the conversation.
    ///
    /// - Parameters:
    ///   - readLine: The next line that the person writes, without its line break; nil at the end of input.
    ///     It must not block a thread of the cooperative pool.
    ///   - write: Shows text as it is; line breaks are in the text.
    public init(
        readLine: @escaping @Sendable () async throws -> String?,
        write: @escaping @Sendable (String) async throws -> Void
    ) {
        self.readLine = readLine
        self.write = write
    }

    /// Shows the question, with its choices or what a value looks like, and reads a line.
    public func requestValue(_ question: IntentQuestion) async throws -> IntentAnswer? {
        try await ask(question, hint: "\(question.dialog) (\(question.type.description)) ")
    }

    /// Shows the question with its choices and reads a line.
    public func requestDisambiguation(_ question: IntentQuestion) async throws -> IntentAnswer? {
        try await ask(question, hint: "\(question.dialog) ")
    }

    private func ask(_ question: IntentQuestion, hint: String) async throws -> IntentAnswer? {
        // Names are shown, and not obeyed by the terminal.
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
