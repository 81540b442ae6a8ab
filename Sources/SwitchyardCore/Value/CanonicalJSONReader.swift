/// Reads JSON text (RFC 8259) and writes it again in canonical form, in one pass.
///
/// Foundation's readers would not do: they keep one of two equal names and say nothing, and a number loses
/// the digits that a double does not have.
struct CanonicalJSONReader {
    /// As deep as Foundation's decoder reads.
    private static let deepest = 512

    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The canonical text; nil if there is none.
    mutating func text() -> String? {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        guard readValue(into: &output, depth: 0) else { return nil }
        skipSpace()
        return index == bytes.count ? String(decoding: output, as: UTF8.self) : nil
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private mutating func accept(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard peek == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func readValue(into output: inout [UInt8], depth: Int) -> Bool {
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): return readObject(into: &output, depth: depth + 1)
        case UInt8(ascii: "["): return readArray(into: &output, depth: depth + 1)
        case UInt8(ascii: "\""):
            guard let string = readString() else { return false }
            Self.write(string, into: &output)
            return true
        case UInt8(ascii: "t"): return readWord("true", into: &output)
        case UInt8(ascii: "f"): return readWord("false", into: &output)
        case UInt8(ascii: "n"): return readWord("null", into: &output)
        default:
            guard let number = CanonicalJSONNumber(bytes[index...]), number.isInRange else { return false }
            index = number.end
            number.write(into: &output)
            return true
        }
    }

    private mutating func readWord(_ word: StaticString, into output: inout [UInt8]) -> Bool {
        word.withUTF8Buffer { word in
            guard bytes[index...].starts(with: word) else { return false }
            output += word
            index += word.count
            return true
        }
    }

    private mutating func readArray(into output: inout [UInt8], depth: Int) -> Bool {
        guard depth <= Self.deepest, accept("[") else { return false }
        output.append(UInt8(ascii: "["))
        if !accept("]") {
            var isFirst = true
            repeat {
                if !isFirst { output.append(UInt8(ascii: ",")) }
                isFirst = false
                guard readValue(into: &output, depth: depth) else { return false }
            } while accept(",")
            guard accept("]") else { return false }
        }
        output.append(UInt8(ascii: "]"))
        return true
    }

    private mutating func readObject(into output: inout [UInt8], depth: Int) -> Bool {
        guard depth <= Self.deepest, accept("{") else { return false }
        var members: [(name: [UInt8], text: [UInt8])] = []
        if !accept("}") {
            repeat {
                skipSpace()
                guard let name = readString(), accept(":") else { return false }
                var text: [UInt8] = []
                guard readValue(into: &text, depth: depth) else { return false }
                members.append((name, text))
            } while accept(",")
            guard accept("}") else { return false }
        }
        members.sort { $0.name.lexicographicallyPrecedes($1.name) }
        guard zip(members, members.dropFirst()).allSatisfy({ $0.name != $1.name }) else { return false }
        output.append(UInt8(ascii: "{"))
        for (position, member) in members.enumerated() {
            if position > 0 { output.append(UInt8(ascii: ",")) }
            Self.write(member.name, into: &output)
            output.append(UInt8(ascii: ":"))
            output += member.text
        }
        output.append(UInt8(ascii: "}"))
        return true
    }
}

extension CanonicalJSONReader {
    /// The bytes that a string stands for; nil if it is none.
    private mutating func readString() -> [UInt8]? {
        guard peek == UInt8(ascii: "\"") else { return nil }
        index += 1
        var string: [UInt8] = []
        while let byte = peek, byte >= 0x20 {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return string
            case UInt8(ascii: "\\"):
                guard let scalar = readEscape() else { return nil }
                string += Array(String(scalar).utf8)
            default: string.append(byte)
            }
        }
        return nil
    }

    /// The character behind a backslash; nil if there is none, or half of one.
    private mutating func readEscape() -> Unicode.Scalar? {
        guard let byte = peek else { return nil }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let first = readUnit() else { return nil }
            guard (0xD800...0xDBFF).contains(first) else { return Unicode.Scalar(first) }
            guard bytes[index...].starts(with: "\\u".utf8) else { return nil }
            index += 2
            guard let second = readUnit(), (0xDC00...0xDFFF).contains(second) else { return nil }
            return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        default: return nil
        }
    }

    /// Four hexadecimal digits.
    private mutating func readUnit() -> UInt32? {
        let digits = bytes[index...].prefix(4)
        guard digits.count == 4 else { return nil }
        index += 4
        var unit: UInt32 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): unit = unit << 4 + UInt32(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                unit = unit << 4 + UInt32(digit - UInt8(ascii: "a")) + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"):
                unit = unit << 4 + UInt32(digit - UInt8(ascii: "A")) + 10
            default: return nil
            }
        }
        return unit
    }

    /// Writes a string with no escape that can be spared.
    private static func write(_ string: [UInt8], into output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in string {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
            case 0x08: output += "\\b".utf8
            case 0x09: output += "\\t".utf8
            case 0x0A: output += "\\n".utf8
            case 0x0C: output += "\\f".utf8
            case 0x0D: output += "\\r".utf8
            case ..<0x20: output += "\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))".utf8
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
