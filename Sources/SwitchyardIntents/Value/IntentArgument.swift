/// What a caller wrote for a parameter, before it is read as a value of the parameter's type.
public enum IntentArgument: Sendable, Hashable {
    /// Text, from a command line, a phrase or JSON. JSON numbers and booleans also arrive as text.
    case text(String)
    /// A number and a unit, from a JSON object with the keys `value` and `unit`.
    case quantity(Double, unit: String)
}

extension IntentArgument: ExpressibleByStringLiteral {
    /// Creates a text argument.
    public init(stringLiteral text: String) { self = .text(text) }
}

extension IntentArgument: Decodable {
    /// Decodes text, a number, a boolean, or an object with `value` and `unit`.
    public init(from decoder: any Decoder) throws {
        if let keyed = try? decoder.container(keyedBy: RequestKey.self) {
            let names = keyed.allKeys.map(\.stringValue).sorted()
            guard names == ["unit", "value"] else {
                throw DecodingError.dataCorrupted(
                    .init(
                        codingPath: decoder.codingPath,
                        debugDescription: "an object must have the keys value and unit"))
            }
            self = .quantity(
                try keyed.decode(Double.self, forKey: "value"),
                unit: try keyed.decode(String.self, forKey: "unit"))
            return
        }
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let truth = try? container.decode(Bool.self) {
            self = .text(String(truth))
        } else if let integer = try? container.decode(Int64.self) {
            self = .text(String(integer))
        } else if let number = try? container.decode(Double.self) {
            self = .text(DecimalText.text(number))
        } else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "expected text, a number, true, false, or an object with value and unit")
        }
    }
}

extension IntentArgument {
    /// The text, trimmed of white space.
    ///
    /// - Throws: `invalidValue` if it is blank, or not text.
    func text(for type: IntentValueType) throws -> String {
        switch self {
        case .text(let text):
            let trimmed = text.trimmed
            guard !trimmed.isEmpty else {
                throw IntentError(
                    .invalidValue, "An empty text is not \(type.description).", choices: type.cases ?? [])
            }
            return trimmed
        case .quantity:
            throw IntentError(
                .invalidValue, "A number with a unit is not \(type.description).", choices: type.cases ?? [])
        }
    }
}

extension IntentValueType {
    /// The error for a text that is not of this type; the closest cases come first.
    func refusal(of text: String) -> IntentError {
        IntentError(
            .invalidValue, "\(text.quoted) is not \(description).",
            choices: cases.map { Nearest.sorted($0, to: text) } ?? [])
    }
}
