internal import SwitchyardCSV
internal import SwitchyardCore

/// Finds where values begin and end in a file of any length, of which it holds one value at a time.
///
/// It looks at brackets and quotation marks alone; what is inside a value, `JSONElement` reads.
final class JSONScanner {
    /// The maximum length of a value.
    static let mostBytes = 1 << 29
    /// A row, and the JSON values in it, which are at most 512 levels deep.
    static let mostLevels = 513

    private let source: any ByteSource
    private let path: String
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    private var (position, end) = (0, 0)
    private var (line, column) = (1, 1)

    init(_ input: CSVInput, path: String) throws {
        self.path = path
        source = try JSONFile.naming(path) { try input.open() }
        // A mark of the byte order says nothing of UTF-8, but editors write it.
        if try peek() == 0xEF {
            for byte: UInt8 in [0xEF, 0xBB, 0xBF] {
                guard try peek() == byte else { throw error(.invalidUTF8, "The text is not UTF-8.") }
                _ = try next()
            }
            column = 1
        }
    }

    /// An error at the next byte.
    func error(_ code: JSONError.Code, _ message: String) -> JSONError {
        JSONError(code, message, file: path, line: line, column: column)
    }

    /// Whether only white space is left.
    func isAtEnd() throws -> Bool {
        try skipSpace()
        return try peek() == nil
    }

    /// Checks that only white space is left.
    func requireEnd() throws {
        guard try isAtEnd() else { throw error(.syntax, "Something follows the end of the text.") }
    }

    /// Consumes a punctuation mark after white space, if it comes next.
    func accept(_ mark: Unicode.Scalar) throws -> Bool {
        try skipSpace()
        guard try peek() == UInt8(ascii: mark) else { return false }
        _ = try next()
        return true
    }

    /// Consumes a punctuation mark after white space.
    func require(_ mark: Unicode.Scalar, _ message: String) throws {
        guard try !accept(mark) else { return }
        throw try peek() == nil ? truncated : error(.syntax, message)
    }

    /// Whether another element or member follows in an array or object; if not, its end is consumed.
    func goesOn(to bracket: Unicode.Scalar, isFirst: Bool) throws -> Bool {
        if try accept(bracket) { return false }
        if !isFirst { try require(",", "Expected `,` or `\(bracket)` after a value.") }
        return true
    }

    /// Reads the next value.
    func element() throws -> JSONElement {
        try skipSpace()
        var bytes: [UInt8] = []
        let (line, column) = (line, column)
        try value { bytes.append($0) }
        return JSONElement(bytes: bytes, path: path, line: line, column: column)
    }

    /// Skips the next value.
    func skipElement() throws {
        try skipSpace()
        try value { _ in }
    }

    private var truncated: JSONError {
        error(.truncated, "The file ends before its text does: it was cut off.")
    }

    private func value(_ take: (UInt8) -> Void) throws {
        var (count, depth) = (0, 0)
        repeat {
            guard let byte = try peek() else { throw truncated }
            switch byte {
            case UInt8(ascii: "\""): try string(&count, take)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                guard depth <= Self.mostLevels else {
                    throw error(.tooDeep, "Values are nested more than 512 levels deep.")
                }
                try one(&count, take)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { throw error(.syntax, "Expected a value.") }
                depth -= 1
                try one(&count, take)
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                guard depth > 0 else { throw error(.syntax, "Expected a value.") }
                try one(&count, take)
            case _ where depth > 0: try one(&count, take)
            default: try word(&count, take)
            }
        } while depth > 0
    }

    private func string(_ count: inout Int, _ take: (UInt8) -> Void) throws {
        try one(&count, take)
        while let byte = try peek() {
            try one(&count, take)
            if byte == UInt8(ascii: "\"") { return }
            if byte == UInt8(ascii: "\\"), try peek() != nil { try one(&count, take) }
        }
        throw truncated
    }

    /// A number or a word, which ends where white space or a mark begins, or at the end of the file.
    private func word(_ count: inout Int, _ take: (UInt8) -> Void) throws {
        while let byte = try peek(), !Self.isSpace(byte), !",:[]{}\"".utf8.contains(byte) {
            try one(&count, take)
        }
    }

    private func one(_ count: inout Int, _ take: (UInt8) -> Void) throws {
        guard count < Self.mostBytes else {
            throw error(.tooLarge, "A value is longer than \(Self.mostBytes) bytes.")
        }
        count += 1
        if let byte = try next() { take(byte) }
    }

    private func skipSpace() throws {
        while let byte = try peek(), Self.isSpace(byte) { _ = try next() }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    private func peek() throws -> UInt8? {
        if position == end {
            (position, end) = (0, 0)
            end = try JSONFile.naming(path) {
                try buffer.withUnsafeMutableBytes { try source.read(into: $0) }
            }
        }
        return position < end ? buffer[position] : nil
    }

    private func next() throws -> UInt8? {
        guard let byte = try peek() else { return nil }
        position += 1
        (line, column) = byte == 0x0A ? (line + 1, 1) : (line, column + 1)
        return byte
    }
}
