public import Foundation

/// An error in how an intent was invoked.
///
/// It concerns the words, names and values that the caller gave. Errors of the store and of the intent itself
/// pass through an invocation unchanged.
///
/// `description` is safe to log: it quotes what the caller wrote and contains nothing from the store.
/// `explanation` is for the caller: it ends with the possible choices, which may be names from the store.
public struct IntentError: Error, Sendable, Hashable {
    /// The kind of failure: switch on this.
    public let code: Code
    /// What was wrong and what to do about it.
    public var message: String
    /// The name of the intent concerned, if one is known.
    public var intent: String?
    /// The name of the parameter concerned, if one is known.
    public var parameter: String?
    /// What could be given instead, the closest match first.
    public var choices: [String]

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, intent: String? = nil, parameter: String? = nil,
        choices: [String] = []
    ) {
        self.code = code
        self.message = message
        self.intent = intent
        self.parameter = parameter
        self.choices = choices
    }

    /// The message and the first ten choices, as one paragraph.
    public var explanation: String {
        guard !choices.isEmpty else { return message }
        let more = choices.count > 10 ? ", and \(choices.count - 10) more" : ""
        return "\(message) Choose from: \(choices.prefix(10).joined(separator: ", "))\(more)."
    }
}

extension IntentError {
    /// The kind of a failure.
    ///
    /// More kinds may be added, so a `switch` over them needs a `default`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's stable name, as JSON output and logs show it.
        public let description: String

        private init(_ name: String) { description = name }

        /// No registered intent has this name or title.
        public static let unknownIntent = Code("unknownIntent")
        /// The intent has no parameter of this name, or it was given twice.
        public static let unknownParameter = Code("unknownParameter")
        /// A required parameter has no value, and no interaction could be asked.
        public static let missingParameter = Code("missingParameter")
        /// The argument is not a value of the parameter's type.
        public static let invalidValue = Code("invalidValue")
        /// No entity has the given id or name.
        public static let notFound = Code("notFound")
        /// Several values match, and no interaction could be asked which one was meant.
        public static let needsDisambiguation = Code("needsDisambiguation")
        /// The intent asks before it goes on, and no interaction could be asked.
        public static let needsConfirmation = Code("needsConfirmation")
        /// The answer to what the intent asks before it goes on was no.
        public static let declined = Code("declined")
        /// No app shortcut has this phrase.
        public static let unknownPhrase = Code("unknownPhrase")
        /// Several app shortcuts have this phrase.
        public static let ambiguousPhrase = Code("ambiguousPhrase")
        /// The JSON is not a request to run an intent.
        public static let malformedRequest = Code("malformedRequest")
        /// The context lacks something that the intent depends on.
        public static let missingDependency = Code("missingDependency")
        /// An intent, a phrase or a registry is declared incorrectly.
        public static let declaration = Code("declaration")
    }
}

extension IntentError: CustomStringConvertible, LocalizedError {
    /// The code, the message, and the intent and parameter concerned.
    public var description: String {
        let place = [intent, parameter].compactMap(\.self).joined(separator: ".")
        return place.isEmpty ? "\(code): \(message)" : "\(code): \(message) [\(place)]"
    }

    /// The explanation, so that command-line tools and alerts show it.
    public var errorDescription: String? { explanation }
}

extension IntentError: Encodable {
    private enum CodingKeys: CodingKey {
        case code, message, intent, parameter, choices
    }

    /// Encodes all members; a missing one as null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(code.description, forKey: .code)
        try container.encode(message, forKey: .message)
        try container.encode(intent, forKey: .intent)
        try container.encode(parameter, forKey: .parameter)
        try container.encode(choices, forKey: .choices)
    }
}

extension IntentError {
    /// The same error, with the intent and the parameter that it concerns.
    func about(_ intent: String, parameter: String, title: String) -> IntentError {
        guard self.parameter == nil else { return self }
        var copy = self
        copy.intent = intent
        copy.parameter = parameter
        copy.message = "\(title): \(message)"
        return copy
    }

    /// Whether another answer to the same question could succeed.
    var canBeAnswered: Bool {
        code == .invalidValue || code == .notFound || code == .needsDisambiguation
    }
}
