/// The text of a setting, which never shows a password by itself, neither in `description` nor in a debugger's dump.
package struct SettingText: Sendable, Hashable {
    /// The original text, secrets included: take care where it goes.
    package let exposed: String
    /// Whether the whole text is a secret.
    package let isSecret: Bool

    /// The text that is shown instead of a secret.
    package static let hidden = "(hidden)"

    /// Creates a setting's text.
    package init(_ text: String, isSecret: Bool) {
        exposed = text
        self.isSecret = isSecret
    }

    /// The text in backquotes for a message, without passwords or control characters, and shortened if too long.
    var quoted: String {
        if isSecret { return "the given value" }
        let limit = 80
        var shown = ""
        for scalar in description.unicodeScalars.prefix(limit) {
            shown +=
                scalar.properties.generalCategory == .control ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return "`\(shown)\(description.unicodeScalars.count > limit ? "…" : "")`"
    }
}

extension SettingText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text with passwords masked, or `hidden` if the whole text is a secret.
    package var description: String { isSecret ? Self.hidden : Redaction.redact(exposed) }
    /// The same as `description`.
    package var debugDescription: String { description }
    /// Empty, so that a debugger or `dump` shows no password.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
