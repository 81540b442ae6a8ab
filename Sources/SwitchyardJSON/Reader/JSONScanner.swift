internal import Foundation
internal import SwitchyardCSV
internal import SwitchyardCore

/// Finds where values begin and end in a file of any length, and holds one value at a time.
///
/// It reads brackets and quotation marks only; `JSONElement` reads the inside of a value.
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
        // A byte order mark is meaningless in UTF-8, but editors write it.
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
        try value { bytes += $0 }
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

    /// Consumes the next value, and hands it over in pieces.
    private func value(_ take: (ArraySlice<UInt8>) -> Void) throws {
        var (extent, total) = (ValueExtent(), 0)
        while !extent.isComplete {
            guard try peek() != nil else {
                // Only the end of the file ends the last word.
                if extent.isWord { return }
                throw truncated
            }
            let count = buffer.withUnsafeBufferPointer {
                extent.extend(over: UnsafeBufferPointer(rebasing: $0[position..<end]))
            }
            take(buffer[position..<position + count])
            advance(by: count)
            total += count
            guard total <= Self.mostBytes else {
                throw error(.tooLarge, "A value is longer than \(Self.mostBytes) bytes.")
            }
            switch extent.fault {
            case .noValue: throw error(.syntax, "Expected a value.")
            case .tooDeep: throw error(.tooDeep, "Values are nested more than 512 levels deep.")
            case nil: break
            }
        }
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
        advance(by: 1)
        return byte
    }

    /// Consumes bytes of the buffer, and counts their lines.
    private func advance(by count: Int) {
        buffer.withUnsafeBytes { bytes in
            guard var rest = bytes.baseAddress else { return }
            let stop = rest + position + count
            rest += position
            column += count
            while let lineBreak = memchr(rest, 0x0A, stop - rest) {
                rest = UnsafeRawPointer(lineBreak) + 1
                (line, column) = (line + 1, stop - rest + 1)
            }
        }
        position += count
    }
}
