/// Makes text safe to show, since it may contain names that came from elsewhere.
public enum VisibleText {
    /// The text, with an escape such as `\u{1B}` for each character that a terminal would interpret: control
    /// characters, including line breaks, and those that change the writing direction.
    public static func escaping(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isObeyed) else { return text }
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isObeyed(scalar) {
                shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars
            } else {
                shown.append(scalar)
            }
        }
        return String(shown)
    }

    private static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
