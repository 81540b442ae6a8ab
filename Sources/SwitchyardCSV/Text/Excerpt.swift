/// Text from a file, as an error message quotes it: short, and harmless to a terminal.
public enum Excerpt {
    /// The most Unicode scalars shown.
    public static let longest = 60

    /// The beginning of a text.
    ///
    /// The limit counts scalars, because a single character can be a letter with a megabyte of accents.
    ///
    /// - Returns: At most `longest` scalars, then `…` if any are left out. Scalars that are invisible, or that a
    ///   terminal would interpret, are shown as escapes such as `\u{1B}`.
    public static func of(_ text: String) -> String {
        var shown = String.UnicodeScalarView()
        for (index, scalar) in text.unicodeScalars.enumerated() {
            guard index < longest else {
                shown.append("…")
                break
            }
            if isShown(scalar) {
                shown.append(scalar)
            } else {
                shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars
            }
        }
        return String(shown)
    }

    /// The beginning of a text in UTF-8.
    public static func of(_ bytes: UnsafeRawBufferPointer) -> String {
        // A scalar has at most four bytes; one that the prefix cuts lies beyond the longest excerpt.
        of(String(decoding: bytes.prefix(4 * (longest + 2)), as: UTF8.self))
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        // These two format characters are part of the spelling, in Persian and in emoji.
        if scalar == "\u{200C}" || scalar == "\u{200D}" { return true }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
        default: true
        }
    }
}
