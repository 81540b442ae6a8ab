/// What an intent gives back: a value for programs and a dialog for people, either or both.
public struct IntentResult: Sendable {
    /// The value, if the intent has one.
    public let value: (any Encodable & Sendable)?
    /// What to say or show, if anything.
    public let dialog: IntentDialog?
    /// The name of the intent that ran.
    public internal(set) var intent = ""

    /// Gives back nothing.
    public static func result() -> IntentResult { IntentResult(value: nil, dialog: nil) }

    /// Gives back a dialog.
    public static func result(dialog: IntentDialog) -> IntentResult {
        IntentResult(value: nil, dialog: dialog)
    }

    /// Gives back a value and, perhaps, a dialog.
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

    /// Writes `intent`, `value` and `dialog`; what is not there is null.
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
