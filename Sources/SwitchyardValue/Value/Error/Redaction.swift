internal import Foundation

/// Masks passwords in URLs and connection strings, for the whole project.
///
/// If in doubt it masks too much rather than too little, because a password may not be escaped properly.
public enum Redaction {
    /// The text that replaces a password.
    public static let mask = "***"

    /// The text with its passwords masked.
    ///
    /// It masks the part between the user's name and the last `@`, as in `postgres://user:***@host/db`, and the value
    /// of each parameter whose name suggests a password, secret or token, in the query of a URL (`?password=***`) and
    /// in a list of words (`host=h password=***`). Names are compared case-insensitively and with `%` escapes resolved.
    public static func redact(_ text: String) -> String {
        var bytes = Array(text.utf8)
        maskParameters(&bytes)
        maskUser(&bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Redacts each word of a sentence that is a URL or names a password; for arguments that are shown because they are
    /// in the wrong place.
    public static func redact(wordsOf sentence: String) -> String {
        let words = sentence.split(separator: " ", omittingEmptySubsequences: false).map { word in
            word.contains("://") || word.contains("=") ? redact(String(word)) : String(word)
        }
        return words.joined(separator: " ")
    }

    private static let telling = [
        "passw", "passphrase", "pwd", "secret", "token", "credential", "apikey", "api_key", "accesskey",
    ]

    private static func isTelling(_ name: ArraySlice<UInt8>) -> Bool {
        let text = String(decoding: name, as: UTF8.self)
        let plain = (text.removingPercentEncoding ?? text).lowercased()
        return plain == "pass" || plain == "pw" || telling.contains { plain.contains($0) }
    }

    /// Masks from the first colon after the scheme to the last `@`.
    private static func maskUser(_ bytes: inout [UInt8]) {
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")) else { return maskNoPort(&bytes) }
        guard var colon = bytes[..<at].firstIndex(of: UInt8(ascii: ":")) else { return }
        let rest = bytes[(colon + 1)..<at]
        // Before `//`, and in `sqlite:/data/me@home.sqlite`, the first colon belongs to the scheme.
        if rest.starts(with: "//".utf8) || rest.first.map(Array("/.~".utf8).contains) == true {
            guard let next = rest.firstIndex(of: UInt8(ascii: ":")) else { return }
            colon = next
        }
        bytes.replaceSubrange((colon + 1)..<at, with: mask.utf8)
    }

    /// Masks the text after a user's name in a URL that lacks its `@`, unless it is a port.
    private static func maskNoPort(_ bytes: inout [UInt8]) {
        guard let scheme = bytes.firstRange(of: "://".utf8) else { return }
        let rest = bytes[scheme.upperBound...]
        let authority = rest.prefix { !Array("/?#[".utf8).contains($0) }
        guard let colon = authority.firstIndex(of: UInt8(ascii: ":")) else { return }
        let port = rest[(colon + 1)...].prefix { !Array("/?#,'`\"".utf8).contains($0) }
        guard !port.isEmpty, !port.allSatisfy({ (48...57).contains($0) }) else { return }
        bytes.replaceSubrange((colon + 1)..., with: mask.utf8)
    }

    /// Masks the values of parameters whose names suggest a secret.
    private static func maskParameters(_ bytes: inout [UInt8]) {
        var index = 0
        while let equals = bytes[index...].firstIndex(of: UInt8(ascii: "=")) {
            let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || (9...13).contains($0) }
            let nameEnd = (bytes[index..<equals].lastIndex { !isSpace($0) } ?? index - 1) + 1
            let separators = Array("?&;#/'\"".utf8)
            let separator = bytes[index..<max(index, nameEnd)].lastIndex {
                separators.contains($0) || isSpace($0)
            }
            let nameStart = separator.map { $0 + 1 } ?? index
            let start = bytes[(equals + 1)...].firstIndex { !isSpace($0) } ?? bytes.endIndex
            guard nameStart < nameEnd, isTelling(bytes[nameStart..<nameEnd]) else {
                index = equals + 1
                continue
            }
            let inQuery = separator.map { "?&".utf8.contains(bytes[$0]) } ?? false
            let end = inQuery ? queryValueEnd(bytes, start) : wordEnd(bytes, start, isSpace)
            bytes.replaceSubrange(start..<end, with: mask.utf8)
            index = start + mask.utf8.count
        }
    }

    private static func queryValueEnd(_ bytes: [UInt8], _ start: Int) -> Int {
        bytes[start...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.endIndex
    }

    /// The end of a word, or of a quoted text with `\` escapes, in the syntax of libpq.
    private static func wordEnd(_ bytes: [UInt8], _ start: Int, _ isSpace: (UInt8) -> Bool) -> Int {
        guard start < bytes.endIndex, bytes[start] == UInt8(ascii: "'") else {
            return bytes[start...].firstIndex(where: isSpace) ?? bytes.endIndex
        }
        var index = start + 1
        while index < bytes.endIndex, bytes[index] != UInt8(ascii: "'") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, bytes.endIndex)
    }
}
