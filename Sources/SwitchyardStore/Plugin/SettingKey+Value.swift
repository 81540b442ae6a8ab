extension SettingKey.Kind {
    /// The text in the normal form of settings; nil if this kind does not allow it.
    ///
    /// A whole number loses its plus sign and leading zeros, a flag becomes `true` or `false`; other text is unchanged.
    func normalized(_ text: String) -> String? {
        // U+0000 would end a path or a connection parameter early in every C interface.
        guard !text.isEmpty, !text.utf8.contains(0) else { return nil }
        switch self {
        case .text, .path: return text
        case .host: return Self.isHostList(text) ? text : nil
        case .integer(let range): return Int(text).flatMap { range.contains($0) ? String($0) : nil }
        case .seconds(let range): return Double(text).flatMap { range.contains($0) ? text : nil }
        case .flag:
            switch text.lowercased() {
            case "true", "yes", "on", "1": return "true"
            case "false", "no", "off", "0": return "false"
            default: return nil
            }
        case .choice(let words): return words.contains(text) ? text : nil
        }
    }

    /// Whether each item can be a host: only the directory and the abstract name of a socket may contain an `@`.
    private static func isHostList(_ text: String) -> Bool {
        text.split(separator: ",").allSatisfy { host in
            !host.contains("://") && (host.hasPrefix("/") || !host.dropFirst().contains("@"))
        }
    }

    /// What is allowed, in words.
    var allowed: String {
        switch self {
        case .text: "text that is not empty"
        case .path: "the path of a file or directory"
        case .host: "the name or address of a server alone, without `@` or `://`"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .seconds(let range): "a number of seconds from \(range.lowerBound) to \(range.upperBound)"
        case .flag: "true or false"
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        }
    }
}

extension SettingKey {
    /// The value of a text, in the normal form of settings.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - key: The whole key, for the message.
    ///   - mayBeSecret: Whether the text may be a secret whatever the key: part of a URL may be a piece of a password
    ///     that was not percent-encoded, and a secrets file may have been confused with another.
    /// - Returns: The checked value.
    /// - Throws: `configuration`, naming the key and what is allowed; the message omits the text if it is or may
    ///   contain a secret.
    package func value(_ text: String, key: String, mayBeSecret: Bool = false) throws -> SettingText {
        if let normalized = kind.normalized(text) {
            return SettingText(normalized, isSecret: isSecret)
        }
        let isHidden = isSecret || mayBeSecret || kind == .host
        let shown =
            text.isEmpty
            ? "empty" : SettingText(text, isSecret: isHidden).quoted
        var message = "The setting \(key) cannot be \(shown); it takes \(kind.allowed)."
        if case .choice(let words) = kind, !isHidden, let nearest = Spelling.nearest(to: text, among: words) {
            message += " Did you mean `\(nearest)`?"
        }
        throw StoreError(.configuration, message)
    }

    /// Checks the declaration of a setting.
    ///
    /// - Throws: `configuration`, naming the key.
    package func validate(key: String) throws {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.allSatisfy(Self.isPart) else {
            throw StoreError(
                .configuration,
                "The setting \(key) is declared with a name that cannot be a key. Use letters, digits, `_` and "
                    + "`-`, begin with a letter, and put points between the parts.")
        }
        if let defaultValue { _ = try value(defaultValue, key: key) }
    }

    private static func isPart(_ part: Substring) -> Bool {
        guard let first = part.utf8.first, isLetter(first) else { return false }
        return part.utf8.allSatisfy { byte in
            isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
