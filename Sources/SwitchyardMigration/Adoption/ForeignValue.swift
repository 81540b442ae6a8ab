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
}
