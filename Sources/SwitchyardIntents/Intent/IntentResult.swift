/// The result of an intent: a value for programs, a dialog for people, both or neither.
public struct IntentResult: Sendable {
    /// The value, if the intent has one.
    public let value: (any Encodable & Sendable)?
    /// What to say or show, if anything.
    public let dialog: IntentDialog?
    /// The name of the intent that ran.
    public internal(set) var intent = ""

    /// An empty result.
    public static func result() -> IntentResult { IntentResult(value: nil, dialog: nil) }

    /// A result with a dialog only.
    public static func result(dialog: IntentDialog) -> IntentResult {
        IntentResult(value: nil, dialog: dialog)
    }

    /// A result with a value and, optionally, a dialog.
    public static func result(
        value: some Encodable & Sendable, dialog: IntentDialog? = nil
    ) -> IntentResult {
        IntentResult(value: value, dialog: dialog)
    }
}

extension IntentResult: Encodable {
    private enum CodingKeys: CodingKey {
        case intent, value, dialog
    }

    /// Encodes `intent`, `value` and `dialog`; a missing one as null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(intent, forKey: .intent)
        if let value {
            try container.encode(value, forKey: .value)
        } else {
            try container.encodeNil(forKey: .value)
        }
        try container.encode(dialog?.text, forKey: .dialog)
    }
}
