/// The text of a setting, which never shows a password by itself: not in `description`, not in a debugger's
/// dump.
package struct SettingText: Sendable, Hashable {
    /// The text as it was given: whoever reads it takes care of where it goes.
    package let exposed: String
    /// Whether the whole text is a secret.
    package let isSecret: Bool

    /// What is shown in place of a secret.
    package static let hidden = "(hidden)"

    /// Takes a text.
    package init(_ text: String, isSecret: Bool) {
        exposed = text
        self.isSecret = isSecret
    }

    /// The text between backquotes for a message: without passwords or control characters, and not too long.
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
    /// The text with the passwords inside it masked; nothing of it if all of it is a secret.
    package var description: String { isSecret ? Self.hidden : Redaction.redact(exposed) }
    /// The same as `description`.
    package var debugDescription: String { description }
    /// What a debugger or `dump` shows: no password.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
