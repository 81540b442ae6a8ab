/// A word of SQL, as SQLite divides it (sqlite.org/lang_keywords.html, tokenize.c).
struct SQLToken: Sendable, Equatable {
    enum Kind: Sendable {
        /// A keyword, or a name without quotes.
        case word
        /// A name in double quotes, brackets or backticks; in double quotes it may also be a text.
        case quotedName
        case text, number, blob
        case symbol
        /// Anything else, such as a parameter.
        case other
    }

    let kind: Kind
    /// The word without its quotes.
    let text: String

    func isWord(_ word: String) -> Bool { kind == .word && text.uppercased() == word }

    func isSymbol(_ symbol: String) -> Bool { kind == .symbol && text == symbol }

    /// Divides SQL into words, without comments and spaces.
    static func tokens(of sql: String) -> [SQLToken] {
        var scanner = SQLScanner(sql)
        var tokens: [SQLToken] = []
        while let token = scanner.next() { tokens.append(token) }
        return tokens
    }
}

extension [SQLToken] {
    /// The words inside each pair of parentheses that begins at a level of none, and where the closing one is.
    func parenthesised(from start: Int = 0) -> (inner: [SQLToken], end: Int)? {
        guard let open = self[start...].firstIndex(where: { $0.isSymbol("(") }) else { return nil }
        var depth = 0
        for index in open..<count {
            if self[index].isSymbol("(") { depth += 1 }
            if self[index].isSymbol(")") { depth -= 1 }
            if depth == 0 { return (Array(self[(open + 1)..<index]), index) }
        }
        return nil
    }

    /// The parts between the commas outside parentheses.
    var parts: [[SQLToken]] {
        var parts: [[SQLToken]] = [[]]
        var depth = 0
        for token in self {
            if token.isSymbol("(") { depth += 1 }
            if token.isSymbol(")") { depth -= 1 }
            if depth == 0, token.isSymbol(",") {
                parts.append([])
            } else {
                parts[parts.count - 1].append(token)
            }
        }
        return parts
    }
}

private struct SQLScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ sql: String) { bytes = Array(sql.utf8) }

    mutating func next() -> SQLToken? {
        skipSpace()
        guard position < bytes.count else { return nil }
        switch bytes[position] {
        case UInt8(ascii: "'"): return quoted(by: UInt8(ascii: "'"), .text)
        case UInt8(ascii: "\""): return quoted(by: UInt8(ascii: "\""), .quotedName)
        case UInt8(ascii: "`"): return quoted(by: UInt8(ascii: "`"), .quotedName)
        case UInt8(ascii: "["): return quoted(by: UInt8(ascii: "]"), .quotedName)
        case let first where Self.isDigit(first) || (first == UInt8(ascii: ".") && Self.isDigit(byte(1))):
            return number()
        case let first where Self.isLetter(first):
            if first | 0x20 == UInt8(ascii: "x"), byte(1) == UInt8(ascii: "'") {
                position += 1
                return quoted(by: UInt8(ascii: "'"), .blob)
            }
            return take(.word) { Self.isLetter($0) || Self.isDigit($0) || $0 == UInt8(ascii: "$") }
        default:
            for symbol in ["||", "<=", ">=", "<>", "!=", "=="] where matches(symbol) {
                position += 2
                return SQLToken(kind: .symbol, text: symbol)
            }
            position += 1
            let symbol = String(decoding: [bytes[position - 1]], as: UTF8.self)
            return SQLToken(kind: "(),;+-*/%=<>.&|~".contains(symbol) ? .symbol : .other, text: symbol)
        }
    }

    private func byte(_ offset: Int) -> UInt8 {
        position + offset < bytes.count ? bytes[position + offset] : 0
    }

    private func matches(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

    private mutating func skipSpace() {
        while position < bytes.count {
            if [9, 10, 12, 13, 32].contains(bytes[position]) {
                position += 1
            } else if matches("--") {
                while position < bytes.count, bytes[position] != 10 { position += 1 }
            } else if matches("/*") {
                position += 2
                while position < bytes.count, !matches("*/") { position += 1 }
                position = min(position + 2, bytes.count)
            } else {
                return
            }
        }
    }

    /// A quoted word; a doubled closing quote stands for one, except for brackets.
    private mutating func quoted(by quote: UInt8, _ kind: SQLToken.Kind) -> SQLToken {
        var text: [UInt8] = []
        position += 1
        while position < bytes.count {
            if bytes[position] == quote {
                guard quote != UInt8(ascii: "]"), byte(1) == quote else { break }
                position += 1
            }
            text.append(bytes[position])
            position += 1
        }
        position = min(position + 1, bytes.count)
        return SQLToken(kind: kind, text: String(decoding: text, as: UTF8.self))
    }

    private mutating func number() -> SQLToken {
        let isHexadecimal = bytes[position] == 48 && byte(1) | 0x20 == UInt8(ascii: "x")
        var last: UInt8 = 0
        return take(.number) { byte in
            defer { last = byte }
            if Self.isDigit(byte) || Self.isLetter(byte) || byte == UInt8(ascii: ".") { return true }
            let isSign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            return isSign && last | 0x20 == UInt8(ascii: "e") && !isHexadecimal
        }
    }

    private mutating func take(_ kind: SQLToken.Kind, while isPart: (UInt8) -> Bool) -> SQLToken {
        let start = position
        while position < bytes.count, isPart(bytes[position]) { position += 1 }
        return SQLToken(kind: kind, text: String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (97...122).contains(byte | 0x20) || byte == UInt8(ascii: "_") || byte >= 0x80
    }
}
