/// One row of a CSV file, in the reader's own memory.
///
/// A row is valid until the next call of the reader's `next`, or until the reader is destroyed: copy what you
/// need. Every field is valid UTF-8 without U+0000; the reader has checked that. A field beyond the end of the
/// row reads as empty and unquoted, so that short rows need no padding; see `count`.
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
    /// The physical line on which the row begins, counted from 1 including the header.
    public let line: Int

    @inlinable
    init(start: UnsafeRawPointer, fields: UnsafePointer<Field>, count: Int, line: Int) {
        self.start = start
        self.fields = fields
        self.count = count
        self.line = line
    }

    /// The contents of a field, without the quotes around it and with doubled quotes undoubled.
    ///
    /// - Parameter index: The field's position, counted from 0.
    /// - Returns: Borrowed UTF-8, valid as long as the row.
    @inlinable
    public func bytes(at index: Int) -> UnsafeRawBufferPointer {
        guard UInt(bitPattern: index) < UInt(bitPattern: count) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        let field = fields[index]
        return UnsafeRawBufferPointer(start: start + field.start, count: Int(field.count))
    }

    /// The contents of a field, copied into a string.
    ///
    /// - Parameter index: The field's position, counted from 0.
    /// - Returns: The text; empty for a field beyond the end of the row.
    @inlinable
    public func string(at index: Int) -> String { String(decoding: bytes(at: index), as: UTF8.self) }

    /// Whether a field was written in quotes, which distinguishes empty text, `""`, from null.
    ///
    /// - Parameter index: The field's position, counted from 0.
    /// - Returns: False for a field beyond the end of the row.
    @inlinable
    public func isQuoted(at index: Int) -> Bool {
        UInt(bitPattern: index) < UInt(bitPattern: count) && fields[index].isQuoted
    }

    /// The contents of a field, trimmed of white space.
    ///
    /// White space is every character with Unicode's White_Space property: spaces, tabs, line ends, no-break spaces.
    ///
    /// - Parameter index: The field's position, counted from 0.
    /// - Returns: Borrowed UTF-8, valid as long as the row.
    @inlinable
    public func trimmedBytes(at index: Int) -> UnsafeRawBufferPointer { WhiteSpace.trimmed(bytes(at: index)) }

    /// Whether the row is an empty line: one field, empty and unquoted.
    @inlinable
    public var isBlank: Bool { count == 1 && fields[0].count == 0 && !fields[0].isQuoted }
}

@available(*, unavailable)
extension CSVRow: Sendable {}
