/// Reads the leaves of a JSON object (RFC 8259) as settings.
///
/// Foundation's readers would not do: of two equal names they keep one and say nothing, and a number loses
/// the text it was written as, which matters where the setting is a text, such as a password made of digits.
struct JSONSettingsReader {
    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    private var lineStart = 0
    private var found: [ConfigurationFile.Entry] = []

    /// Takes a text.
    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The leaves, in the order of the text.
    mutating func entries() throws(SettingsSyntaxError) -> [ConfigurationFile.Entry] {
        skipSpace()
        guard peek == UInt8(ascii: "{") else {
            throw error("a configuration is a JSON object, in `{` and `}`")
        }
        try readObject(path: [], line: line)
        skipSpace()
        guard peek == nil else { throw error("there is something after the end of the object") }
        return found
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private func error(_ problem: String) -> SettingsSyntaxError {
        SettingsSyntaxError(problem, line: line, column: index - lineStart + 1)
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

    private mutating func expect(_ character: Unicode.Scalar, _ place: String) throws(SettingsSyntaxError) {
        guard accept(character) else { throw error("expected `\(character)` \(place)") }
    }

    private mutating func add(_ value: ConfigurationFile.Value, _ path: [String], _ line: Int)
        throws(SettingsSyntaxError)
    {
        guard found.count < ConfigurationFile.entryLimit else { throw error("there are too many settings") }
        found.append(.init(key: path.joined(separator: "."), value: value, line: line))
    }

    private mutating func readObject(path: [String], line start: Int) throws(SettingsSyntaxError) {
        guard path.count < ConfigurationFile.depthLimit else {
            throw error("the objects are nested too deeply")
        }
        try expect("{", "")
        if accept("}") {
            if !path.isEmpty { try add(.emptyObject, path, start) }
            return
        }
        repeat {
            skipSpace()
            let nameLine = line
            guard peek == UInt8(ascii: "\"") else { throw error("expected a name in quotation marks") }
            let name = try readString()
            try expect(":", "after the name `\(name)`")
            try readValue(path: path + [name], line: nameLine)
        } while accept(",")
        try expect("}", "or `,` after a value")
    }

    private mutating func readValue(path: [String], line start: Int) throws(SettingsSyntaxError) {
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): try readObject(path: path, line: start)
        case UInt8(ascii: "["):
            try skipList(depth: path.count)
            try add(.list, path, start)
        default: try add(readScalar(), path, start)
        }
    }

    /// Reads over a list, which no setting takes, so that the error names its key and not a comma.
    private mutating func skipList(depth: Int) throws(SettingsSyntaxError) {
        guard depth < ConfigurationFile.depthLimit else { throw error("the lists are nested too deeply") }
        try expect("[", "")
        if accept("]") { return }
        repeat {
            skipSpace()
            switch peek {
            case UInt8(ascii: "["): try skipList(depth: depth + 1)
            case UInt8(ascii: "{"):
                let kept = found
                try readObject(path: Array(repeating: "", count: depth + 1), line: line)
                found = kept
            default: _ = try readScalar()
            }
        } while accept(",")
        try expect("]", "or `,` in a list")
    }

    private mutating func readScalar() throws(SettingsSyntaxError) -> ConfigurationFile.Value {
        if peek == UInt8(ascii: "\"") { return .text(try readString()) }
        let start = index
        while let byte = peek, !" \n\r\t,]}:[{\"".utf8.contains(byte) { index += 1 }
        let word = String(decoding: bytes[start..<index], as: UTF8.self)
        if word == "null" { return .null }
        if word == "true" || word == "false" || Self.isNumber(bytes[start..<index]) { return .text(word) }
        index = start
        throw error("expected a value: a text in quotation marks, a number, true, false or an object")
    }

    /// Whether a word is a number as JSON writes it: `-`, digits without a leading zero, a fraction, an
    /// exponent.
    private static func isNumber(_ word: ArraySlice<UInt8>) -> Bool {
        var rest = word
        func takeDigits() -> Int {
            let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let startsWithZero = rest.first == UInt8(ascii: "0")
        let digits = takeDigits()
        guard digits == 1 || (digits > 1 && !startsWithZero) else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard takeDigits() > 0 else { return false }
        }
        if rest.first.map({ $0 | 0x20 }) == UInt8(ascii: "e") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
            guard takeDigits() > 0 else { return false }
        }
        return rest.isEmpty
    }

    private mutating func readString() throws(SettingsSyntaxError) -> String {
        index += 1
        var text: [UInt8] = []
        while let byte = peek, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else {
                throw error("a text cannot hold a line break or another control character")
            }
            index += 1
            if byte == UInt8(ascii: "\\") { text += try readEscape() } else { text.append(byte) }
        }
        guard peek != nil else { throw error("a text has no closing quotation mark") }
        index += 1
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func readEscape() throws(SettingsSyntaxError) -> [UInt8] {
        guard let byte = peek else { throw error("a text has no closing quotation mark") }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return Array(String(try readScalarEscape()).utf8)
        default: throw error("`\\` stands before a character that it cannot escape")
        }
    }

    private mutating func readScalarEscape() throws(SettingsSyntaxError) -> Unicode.Scalar {
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
    }

    private mutating func readUnit() throws(SettingsSyntaxError) -> UInt32 {
        let digits = String(decoding: bytes[index...].prefix(4), as: UTF8.self)
        guard digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit), let unit = UInt32(digits, radix: 16)
        else {
            throw error("`\\u` needs four hexadecimal digits")
        }
        index += 4
        return unit
    }
}
