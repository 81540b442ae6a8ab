/// Who answers an intent's questions: a person at a terminal, a dialog on a screen, or nobody.
public protocol IntentInteraction: Sendable {
    /// Asks for the value of a parameter.
    ///
    /// - Returns: The answer; nil if there is nobody to give one. An answer that makes no sense is asked for
    ///   again, a few times, with `problem` saying why.
    /// - Throws: Anything; it ends the intent.
    func requestValue(_ question: IntentQuestion) async throws -> IntentAnswer?

    /// Asks which of the question's choices was meant.
    ///
    /// - Returns: The answer; nil if there is nobody to give one. Text stands for the choice whose title or
    ///   subtitle it is, or begins.
    /// - Throws: Anything; it ends the intent.
    func requestDisambiguation(_ question: IntentQuestion) async throws -> IntentAnswer?
}

/// What is asked.
public struct IntentQuestion: Sendable, Hashable {
    /// The name of the intent that asks.
    public let intent: String
    /// The name of the parameter that needs a value.
    public let parameter: String
    /// What people call the parameter.
    public let title: String
    /// The question.
    public let dialog: IntentDialog
    /// What a value looks like.
    public let type: IntentValueType
    /// The values to choose from, or some that are suggested.
    public let choices: [DisplayRepresentation]
    /// Why the last answer would not do; nil at first.
    public internal(set) var problem: String?
}

/// What was answered.
public enum IntentAnswer: Sendable, Hashable {
    /// Words.
    case text(String)
    /// One of the question's choices, counted from 0.
    case choice(Int)
}

/// Nobody to ask: a missing value is an error.
public struct NoInteraction: IntentInteraction {
    /// Makes it.
    public init() {}

    /// Nobody answers.
    public func requestValue(_ question: IntentQuestion) async throws -> IntentAnswer? { nil }

    /// Nobody answers.
    public func requestDisambiguation(_ question: IntentQuestion) async throws -> IntentAnswer? { nil }
}
