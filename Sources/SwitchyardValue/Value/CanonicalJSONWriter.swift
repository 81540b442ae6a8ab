/// Rewrites JSON text in canonical form, in one pass.
struct CanonicalJSONWriter {
    private var reader: JSONReader

    /// Creates a writer; the text may be nested as deeply as Foundation's decoder allows.
    init(_ text: String) { reader = JSONReader(text, depthLimit: 512) }

    init(_ reader: JSONReader) { self.reader = reader }

    /// The canonical text.
    mutating func text() throws(JSONReader.SyntaxError) -> String {
        var output: [UInt8] = []
        try writeValue(into: &output)
        guard reader.isAtEnd() else { throw reader.error("there is something after the end") }
        return String(decoding: output, as: UTF8.self)
    }

    /// The canonical text of an array of strings.
    static func text(of strings: [String]) -> String {
        var output = [UInt8(ascii: "[")]
        for (position, string) in strings.enumerated() {
            if position > 0 { output.append(UInt8(ascii: ",")) }
            write(Array(string.utf8), into: &output)
        }
        output.append(UInt8(ascii: "]"))
        return String(decoding: output, as: UTF8.self)
    }

    private mutating func writeValue(into output: inout [UInt8]) throws(JSONReader.SyntaxError) {
        switch try reader.nextKind() {
        case .object: try writeObject(into: &output)
        case .array: try writeArray(into: &output)
        case .string: Self.write(try reader.readString(), into: &output)
        case .word: output += try reader.readWord().rawValue.utf8
        case .number:
            let number = try reader.readNumber()
            guard number.isInRange else { throw reader.error("no type has a number of this size") }
            number.write(into: &output)
        }
    }

    /// The canonical text of the reader's next value, and the reader after it.
    mutating func value() throws(JSONReader.SyntaxError) -> (text: String, rest: JSONReader) {
        var output: [UInt8] = []
        try writeValue(into: &output)
        return (String(decoding: output, as: UTF8.self), reader)
    }

    private mutating func writeArray(into output: inout [UInt8]) throws(JSONReader.SyntaxError) {
        try reader.enterArray()
        output.append(UInt8(ascii: "["))
        let start = output.count
        while try reader.nextElement() {
            if output.count > start { output.append(UInt8(ascii: ",")) }
            try writeValue(into: &output)
        }
        output.append(UInt8(ascii: "]"))
    }

    private mutating func writeObject(into output: inout [UInt8]) throws(JSONReader.SyntaxError) {
        try reader.enterObject()
        var members: [(name: [UInt8], text: [UInt8])] = []
        while let (name, _) = try reader.nextName() {
            var text: [UInt8] = []
            try writeValue(into: &text)
            members.append((name, text))
        }
        members.sort { $0.name.lexicographicallyPrecedes($1.name) }
        guard zip(members, members.dropFirst()).allSatisfy({ $0.name != $1.name }) else {
            throw reader.duplicateName
        }
        output.append(UInt8(ascii: "{"))
        for (position, member) in members.enumerated() {
            if position > 0 { output.append(UInt8(ascii: ",")) }
            Self.write(member.name, into: &output)
            output.append(UInt8(ascii: ":"))
            output += member.text
        }
        output.append(UInt8(ascii: "}"))
    }

    /// Writes a string with no unnecessary escapes.
    fileprivate static func write(_ string: some Sequence<UInt8>, into output: inout [UInt8]) {
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

extension CanonicalJSON {
    /// Writes a string of UTF-8 bytes with quotation marks and no unnecessary escapes.
    package static func write(_ string: some Sequence<UInt8>, into output: inout [UInt8]) {
        CanonicalJSONWriter.write(string, into: &output)
    }
}

extension JSONReader {
    /// Reads a value of any kind.
    ///
    /// - Returns: Its canonical text.
    package mutating func readCanonical() throws(SyntaxError) -> String {
        var writer = CanonicalJSONWriter(self)
        let (text, rest) = try writer.value()
        self = rest
        return text
    }
}
