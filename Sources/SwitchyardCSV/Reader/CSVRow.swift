/// One row of a CSV file, in the reader's own memory.
///
/// A row is good until the reader moves on or goes: copy what is to stay. Every field is valid UTF-8 without
/// U+0000; the reader has seen to that. A field that the row does not have reads as empty and unquoted, so
/// that short rows need no padding; `count` tells.
@frozen
public struct CSVRow {
    /// Where a field lies within its row.
    @frozen @usableFromInline
    struct Field {
        @usableFromInline let start: Int
        @usableFromInline let count: Int32
        @usableFromInline let isQuoted: Bool

        @inlinable
        init(start: Int, count: Int, isQuoted: Bool) {
            self.start = start
            self.count = Int32(truncatingIfNeeded: count)
            self.isQuoted = isQuoted
        }
    }

    @usableFromInline let start: UnsafeRawPointer
    @usableFromInline let fields: UnsafePointer<Field>
    /// The number of fields, at least one.
    public let count: Int
    /// The physical line on which the row begins, counted from 1 with the header.
    public let line: Int

    @inlinable
    init(start: UnsafeRawPointer, fields: UnsafePointer<Field>, count: Int, line: Int) {
        self.start = start
        self.fields = fields
        self.count = count
        self.line = line
    }

    /// The contents of a field, without its quotes and with doubled quotes made single.
    ///
    /// - Parameter index: The field's position, counted from 0.
    /// - Returns: Borrowed UTF-8, good until the reader moves on.
    @inlinable
    public func bytes(at index: Int) -> UnsafeRawBufferPointer {
        guard UInt(bitPattern: index) < UInt(bitPattern: count) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        let field = fields[index]
        return UnsafeRawBufferPointer(start: start + field.start, count: Int(field.count))
    }

    /// The contents of a field as a string of its own.
    ///
    /// - Parameter index: The field's position, counted from 0.
    /// - Returns: The text, empty for a field that the row does not have.
    @inlinable
    public func string(at index: Int) -> String { String(decoding: bytes(at: index), as: UTF8.self) }

    /// Whether a field was written in quotes, which tells the empty text `""` from no value.
    ///
    /// - Parameter index: The field's position, counted from 0.
    /// - Returns: False for a field that the row does not have.
    @inlinable
    public func isQuoted(at index: Int) -> Bool {
        UInt(bitPattern: index) < UInt(bitPattern: count) && fields[index].isQuoted
    }

    /// The contents of a field without the white space around it.
    ///
    /// White space is what Unicode gives the property White_Space: spaces, tabs, line ends, no-break spaces.
    ///
    /// - Parameter index: The field's position, counted from 0.
    /// - Returns: Borrowed UTF-8, good until the reader moves on.
    @inlinable
    public func trimmedBytes(at index: Int) -> UnsafeRawBufferPointer { WhiteSpace.trimmed(bytes(at: index)) }

    /// Whether the row is an empty line: one field, empty and unquoted.
    @inlinable
    public var isBlank: Bool { count == 1 && fields[0].count == 0 && !fields[0].isQuoted }
}

@available(*, unavailable)
extension CSVRow: Sendable {}
