internal import Foundation

extension String: IntentValue {
    /// The type as data.
    public static var valueType: IntentValueType { IntentValueType(name: "text", description: "text") }

    /// Accepts any text, unchanged.
    public static func resolve(
        _ argument: IntentArgument, in context: IntentContext
    ) async throws -> IntentResolution<String> {
        guard case .text(let text) = argument else { return .value(try argument.text(for: valueType)) }
        return .value(text)
    }

    /// The value as text.
    public var displayRepresentation: DisplayRepresentation { DisplayRepresentation(title: self) }
}

extension Bool: IntentValue {
    /// The type as data.
    public static var valueType: IntentValueType {
        IntentValueType(name: "boolean", description: "true or false", cases: ["true", "false"])
    }

    /// Accepts `true`, `yes`, `on`, `false`, `no` or `off`, in any case.
    public static func resolve(
        _ argument: IntentArgument, in context: IntentContext
    ) async throws -> IntentResolution<Bool> {
        let text = try argument.text(for: valueType)
        switch text.lowercased() {
        case "true", "yes", "on": return .value(true)
        case "false", "no", "off": return .value(false)
        default: throw valueType.refusal(of: text)
        }
    }

    /// The value as text.
    public var displayRepresentation: DisplayRepresentation { DisplayRepresentation(title: String(self)) }
}

extension Int: IntentValue {
    /// The type as data.
    public static var valueType: IntentValueType {
        IntentValueType(name: "integer", description: "a whole number")
    }

    /// Accepts digits with an optional sign, in the range of 64 bits.
    public static func resolve(
        _ argument: IntentArgument, in context: IntentContext
    ) async throws -> IntentResolution<Int> {
        let text = try argument.text(for: valueType)
        guard let number = Int(text) else { throw valueType.refusal(of: text) }
        return .value(number)
    }

    /// The value as text.
    public var displayRepresentation: DisplayRepresentation { DisplayRepresentation(title: String(self)) }
}

extension Double: IntentValue {
    /// The type as data.
    public static var valueType: IntentValueType { IntentValueType(name: "number", description: "a number") }

    /// Accepts what `DecimalText` reads.
    public static func resolve(
        _ argument: IntentArgument, in context: IntentContext
    ) async throws -> IntentResolution<Double> {
        .value(try DecimalText.parse(try argument.text(for: valueType)))
    }

    /// The value as text.
    public var displayRepresentation: DisplayRepresentation {
        DisplayRepresentation(title: DecimalText.text(self))
    }
}
