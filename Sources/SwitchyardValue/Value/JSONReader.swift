/// Reads JSON text (RFC 8259) piece by piece.
///
/// Foundation's decoders are unsuitable: of two equal names they silently keep one, they lose the text of a
/// number, and they do not report the line of a value.
package struct JSONReader {
    /// What is wrong with a text, and where.
    ///
    /// It quotes names, but never values.
    package struct SyntaxError: Error {
        /// What is wrong, without a full stop.
        package let problem: String
        /// What distinguishes it from the others.
        package let kind: Kind
        /// The line, from 1.
        package let line: Int
        /// The column, from 1 and in bytes.
        package let column: Int

        /// The errors with another message where a text is not quoted, or counts as something else.
        package enum Kind {
            case missingColon, duplicateName, tooDeep, other
        }
    }

    /// The kind of a value, as seen from its first character.
    package enum Kind {
        case object, array, string, number, word
    }

    /// The literal names.
    package enum Word: String {
        case `true`, `false`, null
    }

    private let bytes: [UInt8]
    private let depthLimit: Int
    private var index = 0
    private var line = 1
    private var lineStart = 0
    private var depth = 0
    /// Whether the next member or element is the first of its object or array.
    private var isFirst = false

    /// Creates a reader of a text, with a limit on how deeply objects and arrays may be nested.
    package init(_ text: String, depthLimit: Int) {
        bytes = Array(text.utf8)
        self.depthLimit = depthLimit
    }

    /// An error at the reader's current position.
    package func error(_ problem: String, kind: SyntaxError.Kind = .other) -> SyntaxError {
        SyntaxError(problem: problem, kind: kind, line: line, column: index - lineStart + 1)
    }

    /// The error of a name that its object has already.
    package var duplicateName: SyntaxError { error("a name is given twice", kind: .duplicateName) }

    /// Whether only white space is left.
    package mutating func isAtEnd() -> Bool {
        skipSpace()
        return index == bytes.count
    }

    /// The kind of the next value.
    package mutating func nextKind() throws(SyntaxError) -> Kind {
        skipSpace()
        guard let byte = peek else { throw noValue }
        switch byte {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): return .word
        default: throw noValue
        }
    }

    /// Enters an object; call `nextName` for each of its members.
    package mutating func enterObject() throws(SyntaxError) { try enter("{") }

    /// The name of the next member and its line; nil at the end of the object.
    ///
    /// Read the member's value next.
    package mutating func nextName() throws(SyntaxError) -> (name: [UInt8], line: Int)? {
        guard try goesOn(to: "}", "expected `}` or `,` after a value") else { return nil }
        skipSpace()
        let line = line
        guard peek == UInt8(ascii: "\"") else { throw error("expected a name in quotation marks") }
        let name = try readString()
        guard accept(":") else {
            throw error(
                "expected `:` after the name `\(String(decoding: name, as: UTF8.self))`", kind: .missingColon)
        }
        return (name, line)
    }

    /// Enters an array; call `nextElement` before each of its elements.
    package mutating func enterArray() throws(SyntaxError) { try enter("[") }

    /// Whether the array has another element.
    ///
    /// If so, read it next.
    package mutating func nextElement() throws(SyntaxError) -> Bool {
        try goesOn(to: "]", "expected `]` or `,` in a list")
    }

    /// Reads a number.
    package mutating func readNumber() throws(SyntaxError) -> JSONNumber {
        guard let number = JSONNumber(bytes[index...]) else { throw noValue }
        index = number.text.endIndex
        return number
    }

    /// Reads `true`, `false` or `null`.
    package mutating func readWord() throws(SyntaxError) -> Word {
        let letters = bytes[index...].prefix { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
        guard let word = Word(rawValue: String(decoding: letters, as: UTF8.self)) else { throw noValue }
        index = letters.endIndex
        return word
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private var noValue: SyntaxError {
        error("expected a value: a text in quotation marks, a number, true, false or an object")
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            index += 1
            if byte == 0x0A { (line, lineStart) = (line + 1, index) }
        }
    }

    private mutating func accept(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard peek == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func enter(_ bracket: Unicode.Scalar) throws(SyntaxError) {
        guard depth < depthLimit else { throw error("it is nested too deeply", kind: .tooDeep) }
        guard accept(bracket) else { throw noValue }
        depth += 1
        isFirst = true
    }

    /// Whether another member or element follows; if not, leaves the object or array.
    private mutating func goesOn(
        to bracket: Unicode.Scalar, _ problem: @autoclosure () -> String
    ) throws(SyntaxError) -> Bool {
        let isFirst = isFirst
        self.isFirst = false
        if accept(bracket) {
            depth -= 1
            return false
        }
        guard isFirst || accept(",") else { throw error(problem()) }
        return true
    }
}

extension JSONReader {
    /// Reads a string.
    ///
    /// - Returns: Its UTF-8 bytes, without quotes and escapes.
    package mutating func readString() throws(SyntaxError) -> [UInt8] {
        index += 1
        var string: [UInt8] = []
        while let byte = peek, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else {
                throw error("a text cannot hold a line break or another control character")
            }
            index += 1
            if byte == UInt8(ascii: "\\") {
                string += String(try readEscape()).utf8
            } else {
                string.append(byte)
            }
        }
        guard peek != nil else { throw error("a text has no closing quotation mark") }
        index += 1
        return string
    }

    /// Reads the rest of an escape, after the backslash.
    private mutating func readEscape() throws(SyntaxError) -> Unicode.Scalar {
        guard let byte = peek else { throw error("a text has no closing quotation mark") }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let first = try readUnit()
            if let scalar = Unicode.Scalar(first) { return scalar }
            if first < 0xDC00, bytes[index...].starts(with: "\\u".utf8) {
                index += 2
                let second = try readUnit()
                if (0xDC00...0xDFFF).contains(second),
                    let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
                {
                    return scalar
                }
            }
            throw error("a `\\u` escape is half of a surrogate pair")
        default: throw error("`\\` stands before a character that it cannot escape")
        }
    }

    /// Reads four hexadecimal digits.
    private mutating func readUnit() throws(SyntaxError) -> UInt32 {
        let digits = String(decoding: bytes[index...].prefix(4), as: UTF8.self)
        guard digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit), let unit = UInt32(digits, radix: 16)
        else {
            throw error("`\\u` needs four hexadecimal digits")
        }
        index += 4
        return unit
    }
}
