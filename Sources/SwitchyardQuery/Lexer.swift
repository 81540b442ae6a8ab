internal import SwitchyardCSV

/// Divides the text of a query into tokens.
struct Lexer {
    /// The most bytes of a query.
    static let longest = 1 << 20

    private let bytes: [UInt8]
    private var position = 0
    /// Whether the last token ends a value, so that a sign after it subtracts.
    private var followsValue = false

    /// Begins at the start of a text.
    ///
    /// - Throws: `tooLarge`.
    init(_ text: String) throws {
        guard text.utf8.count <= Self.longest else {
            throw QueryError(.tooLarge, "A query has at most \(Self.longest) bytes.", column: 1)
        }
        bytes = Array(text.utf8)
    }

    /// Reads the next token; `end` again and again at the end.
    ///
    /// - Throws: `syntax` for a character that begins no token, and for a quote without its end.
    mutating func next() throws -> Token {
        while position < bytes.count, bytes[position] == 0x20 || (9...13).contains(bytes[position]) {
            position += 1
        }
        let start = position
        let kind = try kind()
        switch kind {
        case .name, .bare, .text, .symbol(.close): followsValue = true
        default: followsValue = false
        }
        return Token(kind: kind, range: start..<position)
    }

    /// An error at a place in the text.
    func error(_ code: QueryError.Code, _ message: String, at start: Int) -> QueryError {
        QueryError(code, message, column: String(decoding: bytes[..<start], as: UTF8.self).count + 1)
    }

    /// The beginning of what a token takes of the text, for an error.
    func excerpt(_ token: Token) -> String {
        token.range.isEmpty
            ? "the end" : "`\(Excerpt.of(String(decoding: bytes[token.range], as: UTF8.self)))`"
    }

    private mutating func kind() throws -> Token.Kind {
        guard position < bytes.count else { return .end }
        let byte = bytes[position]
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .text(try text(until: byte))
        case UInt8(ascii: "`"): return .name(try quotedName(), isQuoted: true)
        default: break
        }
        let isSigned =
            !followsValue && Self.isSign(byte) && position + 1 < bytes.count
            && Self.isDigit(bytes[position + 1])
        if isUUID || isSigned || Self.isDigit(byte) {
            return .bare(run { Self.isPartOfWord($0) || Self.isSign($0) || $0 == 0x2E || $0 == 0x3A })
        }
        if Self.isPartOfWord(byte) {
            let word = run { Self.isPartOfWord($0) }
            return Keyword(rawValue: word.lowercased()).map { .keyword($0) } ?? .name(word, isQuoted: false)
        }
        for count in [2, 1] {
            let end = min(position + count, bytes.count)
            guard let symbol = Symbol(rawValue: String(decoding: bytes[position..<end], as: UTF8.self)) else {
                continue
            }
            position = end
            return .symbol(symbol)
        }
        throw error(
            .syntax, "`\(Excerpt.of(String(UnicodeScalar(byte))))` begins no word, value or operator.",
            at: position)
    }

    private mutating func run(while isPart: (UInt8) -> Bool) -> String {
        let start = position
        position = bytes[position...].firstIndex { !isPart($0) } ?? bytes.count
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Reads a text with its quotes; a backslash stands before a quote, before itself, and in `\n` and `\t`.
    private mutating func text(until quote: UInt8) throws -> String {
        let start = position
        var content: [UInt8] = []
        position += 1
        while position < bytes.count, bytes[position] != quote {
            var byte = bytes[position]
            if byte == UInt8(ascii: "\\") {
                position += 1
                switch position < bytes.count ? bytes[position] : 0 {
                case UInt8(ascii: "n"): byte = 0x0A
                case UInt8(ascii: "t"): byte = 0x09
                case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"): byte = bytes[position]
                default:
                    throw error(
                        .syntax, #"A backslash stands only in \\, \", \', \n and \t."#, at: position - 1)
                }
            }
            guard byte != 0 else { throw error(.syntax, "A text cannot contain U+0000.", at: position) }
            content.append(byte)
            position += 1
        }
        guard position < bytes.count else {
            throw error(.syntax, "The text that begins here has no end.", at: start)
        }
        position += 1
        return String(decoding: content, as: UTF8.self)
    }

    private mutating func quotedName() throws -> String {
        let quote = UInt8(ascii: "`")
        guard let end = bytes[(position + 1)...].firstIndex(of: quote), end > position + 1 else {
            throw error(.syntax, "A name is expected between two backquotes.", at: position)
        }
        defer { position = end + 1 }
        return String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
    }

    /// Whether a UUID begins here, which may begin with a letter.
    private var isUUID: Bool {
        let length = 36
        guard bytes.count - position >= length, bytes[position + 8] == UInt8(ascii: "-") else { return false }
        return bytes[position..<(position + length)].withUnsafeBytes { UUIDText.uuid($0) != nil }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    private static func isSign(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
    }

    /// Whether a name may have the byte; letters of other scripts are not told apart.
    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == UInt8(ascii: "_") || (65...90).contains(byte) || (97...122).contains(byte)
            || byte >= 0x80
    }
}
