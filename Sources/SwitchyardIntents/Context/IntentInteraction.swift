/// Answers an intent's questions: a person at a terminal, a dialog on a screen, or nothing.
public protocol IntentInteraction: Sendable {
    /// Asks for the value of a parameter.
    ///
    /// - Returns: The answer; nil if nobody can give one. After an invalid answer the question is asked again, a
    ///   few times, with the reason in `problem`.
    /// - Throws: Any error; it ends the intent.
    func requestValue(_ question: IntentQuestion) async throws -> IntentAnswer?

    /// Asks which of the question's choices was meant.
    ///
    /// - Returns: The answer; nil if nobody can give one. A text selects the choice whose title or subtitle it
    ///   equals or begins.
    /// - Throws: Any error; it ends the intent.
    func requestDisambiguation(_ question: IntentQuestion) async throws -> IntentAnswer?
}

/// A question that an intent asks.
public struct IntentQuestion: Sendable, Hashable {
    /// The name of the intent that asks.
    public let intent: String
    /// The name of the parameter that needs a value.
    public let parameter: String
    /// The parameter's name for people.
    public let title: String
    /// The question.
    public let dialog: IntentDialog
    /// What a value looks like.
    public let type: IntentValueType
    /// The values to choose from, or to suggest.
    public let choices: [DisplayRepresentation]
    /// Why the last answer was invalid; nil the first time.
    public internal(set) var problem: String?
}

/// The answer to a question.
public enum IntentAnswer: Sendable, Hashable {
    /// Free text.
    case text(String)
    /// The index of one of the question's choices, counted from 0.
    case choice(Int)
}

/// Answers no questions, so that a missing value is an error.
public struct NoInteraction: IntentInteraction {
    /// Creates the interaction.
    public init() {}

    /// Returns nil.
    public func requestValue(_ question: IntentQuestion) async throws -> IntentAnswer? { nil }

    /// Returns nil.
    public func requestDisambiguation(_ question: IntentQuestion) async throws -> IntentAnswer? { nil }
}
