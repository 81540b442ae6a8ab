public import Foundation
internal import SwitchyardCore

/// A request to run an intent, as other programs write it.
///
/// ```json
/// {
///   "intent": "FinishFeeding",
///   "parameters": {"amount": {"value": 120, "unit": "ml"}, "feedType": "babyFormula"}
/// }
/// ```
public struct IntentRequest: Sendable, Hashable {
    /// The name or the title of the intent.
    public var intent: String
    /// The arguments, by parameter name.
    ///
    /// A parameter that is null in JSON counts as not given.
    public var parameters: [String: IntentArgument]

    /// Creates a request.
    public init(intent: String, parameters: [String: IntentArgument] = [:]) {
        self.intent = intent
        self.parameters = parameters
    }

    /// Decodes a request from JSON.
    ///
    /// - Throws: `IntentError` `malformedRequest`, saying where and what was expected.
    public init(json: Data) throws {
        do {
            self = try JSONDecoder().decode(IntentRequest.self, from: json)
        } catch let error as DecodingError {
            throw Self.malformed(error.complaint)
        }
        // The decoder silently keeps only one of two equal keys.
        guard CanonicalJSON.canonical(String(decoding: json, as: UTF8.self)) != nil else {
            throw Self.malformed("it is not UTF-8, or has a key twice")
        }
    }

    private static func malformed(_ complaint: String) -> IntentError {
        IntentError(
            .malformedRequest,
            "The JSON is not a request to run an intent: \(complaint). A request is "
                + #"{"intent": "NAME", "parameters": {"NAME": VALUE}}."#)
    }
}

extension IntentRequest: Decodable {
    /// Reads `intent` and `parameters`, and refuses any other key.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: RequestKey.self)
        // Otherwise a misspelt key would run the intent without its parameters.
        if let stranger = container.allKeys.first(where: { $0 != "intent" && $0 != "parameters" }) {
            throw DecodingError.dataCorruptedError(
                forKey: stranger, in: container, debugDescription: "unknown key")
        }
        intent = try container.decode(String.self, forKey: "intent")
        let given = try container.decodeIfPresent([String: IntentArgument?].self, forKey: "parameters")
        parameters = (given ?? [:]).compactMapValues(\.self)
    }
}

extension DecodingError {
    /// What is wrong and where, without the values.
    fileprivate var complaint: String {
        func at(_ path: [any CodingKey]) -> String {
            path.isEmpty ? "" : "at " + path.map(\.stringValue).joined(separator: ".").quoted + ": "
        }
        switch self {
        case .keyNotFound(let key, let context):
            return at(context.codingPath) + "the key \(key.stringValue.quoted) is missing"
        case .typeMismatch(let type, let context):
            return at(context.codingPath) + "expected \(Self.word(for: type))"
        case .valueNotFound(let type, let context):
            return at(context.codingPath) + "expected \(Self.word(for: type)), found null"
        case .dataCorrupted(let context):
            return context.codingPath.isEmpty
                ? "it is not JSON" : at(context.codingPath) + context.debugDescription
        @unknown default: return "it cannot be decoded"
        }
    }

    /// The JSON name of a type.
    private static func word(for type: any Any.Type) -> String {
        switch type {
        case is any AnyDictionary.Type: "object"
        case is String.Type: "string"
        case is Bool.Type: "boolean"
        case is any Numeric.Type: "number"
        case is any Sequence.Type: "array"
        default: "value of this kind"
        }
    }
}

/// A dictionary of whatever type.
private protocol AnyDictionary {}

extension Dictionary: AnyDictionary {}
