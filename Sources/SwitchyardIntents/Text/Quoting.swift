extension String {
    /// The caller's text as a message quotes it: in backticks, cut to 80 characters, on one line.
    var quoted: String {
        let cut = count > 80 ? prefix(80) + "…" : self[...]
        let visible = String.UnicodeScalarView(
            cut.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 })
        return "`\(String(visible))`"
    }

    /// The text, trimmed of white space.
    var trimmed: String {
        guard let start = firstIndex(where: { !$0.isWhitespace }),
            let end = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[start...end])
    }
}
