public import Foundation

/// A value of a database that Switchyard did not make.
public enum ForeignValue: Sendable, Hashable {
    /// No value.
    case null
    /// An integer; 0 or 1 where the database has truth values.
    case integer(Int64)
    /// A double.
    case real(Double)
    /// Text; also a server's text of a time (ISO 8601), of a decimal and of JSON.
    case text(String)
    /// Bytes.
    case blob(Data)
    /// A UUID, where the database has a type for it.
    case uuid(UUID)
    /// A time in microseconds since 1970-01-01 00:00 UTC, where the database's software has a type for it.
    case timestamp(Int64)
    /// The bytes of a text that is not valid in the database's encoding, such as UTF-8.
    case invalidText(Data)
    /// A value that cannot be read, and why, without its contents: such as one in a file of its own that is missing.
    case unreadable(String)

    /// The value of a cell, whose bytes are copied.
    package init(_ cell: Cell) {
        switch cell.kind {
        case .null: self = .null
        case .integer: self = .integer(cell.word)
        case .double: self = .real(cell.double)
        case .blob: self = .blob(Data(cell.bytes))
        case .text:
            self =
                String(validating: cell.bytes, as: UTF8.self).map { .text($0) }
                ?? .invalidText(Data(cell.bytes))
        }
    }

    /// The value that a column's default in SQL gives; nil for anything but a literal, such as a call of a function.
    ///
    /// - Parameter sql: The default as SQLite and PostgreSQL keep it: `0`, `(-1.5)`, `'it''s'`, `TRUE` or `'red'::text`.
    package init?(literal sql: String) {
        let space = UInt8(ascii: " "), quote = UInt8(ascii: "'"), colon = UInt8(ascii: ":")
        var bytes = Array(sql.utf8)[...]
        func trim() {
            bytes = bytes.drop { $0 == space }
            while bytes.last == space { bytes.removeLast() }
        }
        trim()
        while bytes.first == UInt8(ascii: "("), bytes.last == UInt8(ascii: ")") {
            bytes = bytes.dropFirst().dropLast()
            trim()
        }
        guard bytes.first == quote else {
            self.init(word: String(decoding: bytes.prefix { $0 != colon }, as: UTF8.self))
            return
        }
        var text: [UInt8] = []
        bytes = bytes.dropFirst()
        while let byte = bytes.popFirst() {
            if byte == quote {
                // Two are one of the text. What follows the last is nothing, or the name of a type.
                guard bytes.first == quote else {
                    guard bytes.isEmpty || bytes.starts(with: [colon, colon]), !bytes.contains(quote) else {
                        return nil
                    }
                    self = .text(String(decoding: text, as: UTF8.self))
                    return
                }
                bytes.removeFirst()
            }
            text.append(byte)
        }
        return nil
    }

    private init?(word: String) {
        switch word.lowercased() {
        case "true": self = .integer(1)
        case "false": self = .integer(0)
        default:
            guard word.utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }) else { return nil }
            if let integer = Int64(word) {
                self = .integer(integer)
            } else if let real = Double(word), real.isFinite {
                self = .real(real)
            } else {
                return nil
            }
        }
    }
}
