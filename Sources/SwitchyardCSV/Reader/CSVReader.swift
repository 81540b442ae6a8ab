internal import SwitchyardCore

/// Reads CSV as RFC 4180 defines it, row by row, in memory that does not grow with the file.
///
///     var reader = CSVReader(try FileByteSource(path: "feeds.csv"))
///     while let row = try reader.next() {
///         print(row.line, row.string(at: 0))
///     }
///
/// - Text is UTF-8, with or without a byte order mark, or UTF-16 of either byte order. It is validated, never
///   repaired.
/// - A row ends with LF, CRLF or CR, even mixed in one file, or at the end of the file. A line end at the end
///   of the file does not start another row.
/// - An empty line elsewhere is a row with one empty field, as in the RFC's grammar: see `CSVRow.isBlank`.
/// - Rows may have different numbers of fields.
/// - Spaces belong to their field. A quoted field begins and ends with a quote; anything else after the closing
///   quote is an error.
/// - A quote inside an unquoted field is an error too, unless `Options.allowsBareQuotes` is set. The RFC forbids
///   it, and in a file with spaces before its quotes, `a, "b,c"` would otherwise silently read as three fields.
///
/// After an error, every call of `next` throws that error again.
public struct CSVReader: ~Copyable {
    /// What a reader accepts, and its limits.
    public struct Options: Sendable {
        /// The longest field, in bytes, at most 2 GiB; 64 MiB by default.
        public var maximumFieldBytes = Limits.valueBytes
        /// The longest row as written in the file, in bytes; 256 MiB by default.
        public var maximumRowBytes = 4 * Limits.valueBytes
        /// The most fields in a row; 4,096 by default.
        public var maximumColumns = 4096
        /// How many bytes are requested from the source at a time, at most 1 GiB; 128 KiB by default.
        public var chunkBytes = 1 << 17
        /// Whether a quote inside an unquoted field is accepted as text.
        public var allowsBareQuotes = false

        /// The default limits.
        public init() {}
    }

    private(set) var options: Options
    private(set) var maximumFieldBytes: Int
    var buffer: RowBuffer
    var fields: FieldList
    var scan = RowScan()
    private var blocks = BlockCursor()
    /// The current physical line.
    var line = 1
    /// Whether the last row ended with CR, so that an LF right after it does not start a row.
    private var endedWithCR = false
    private var failure: (any Error)?

    /// Creates a reader; it does not touch the source before the first call of `next`.
    public init(_ source: any ByteSource, options: Options = Options()) {
        self.options = options
        maximumFieldBytes = Self.fieldLimit(options)
        buffer = RowBuffer(source, chunkBytes: min(max(1, options.chunkBytes), 1 << 30))
        fields = FieldList(limit: max(1, options.maximumColumns))
    }

    private static func fieldLimit(_ options: Options) -> Int {
        min(options.maximumFieldBytes, Int(Int32.max))
    }

    /// Sets other limits for the remaining fields and rows, once the header has shown what to expect.
    ///
    /// - Parameters:
    ///   - fieldBytes: The longest field, in bytes, at most 2 GiB.
    ///   - rowBytes: The longest row as written in the file, in bytes.
    public mutating func accept(fieldBytes: Int, rowBytes: Int) {
        options.maximumFieldBytes = fieldBytes
        options.maximumRowBytes = rowBytes
        maximumFieldBytes = Self.fieldLimit(options)
    }

    /// How many bytes have been read from the source so far, for showing progress.
    public var bytesRead: Int { buffer.bytesRead }

    /// Reads the next row.
    ///
    /// - Returns: The row, valid until the next call; nil at the end.
    /// - Throws: `CSVError` with line and column.
    /// - Complexity: O(*n*) in the bytes of the row.
    public mutating func next() throws -> CSVRow? {
        if let failure { throw failure }
        do {
            fields.removeAll()
            scan.beginRow(line: line, isSuspect: blocks.isMultibyte)
            return try scanRow()
        } catch {
            failure = error
            throw error
        }
    }

    /// Reads the next row, skipping empty lines.
    ///
    /// - Returns: The row, valid until the next call; nil at the end.
    /// - Throws: As `next()`.
    public mutating func nextWithText() throws -> CSVRow? {
        while let row = try next() {
            if !row.isBlank { return row }
        }
        return nil
    }

    /// Moves from one structural byte to the next until the row ends.
    private mutating func scanRow() throws -> CSVRow? {
        while true {
            guard let position = blocks.next() else {
                if blocks.end == buffer.end, try !refill() { return try finishAtEnd() }
                blocks.load(from: buffer)
                scan.isSuspect = scan.isSuspect || blocks.isMultibyte
                continue
            }
            let byte = buffer.start.load(fromByteOffset: position, as: UInt8.self)
            let isRowEnd =
                switch scan.state {
                case .unquoted: try takeUnquoted(byte, at: position)
                case .quoted: try takeQuoted(byte, at: position)
                case .behindQuote: try takeBehindQuote(byte, at: position)
                }
            if isRowEnd { return try finish(end: position) }
        }
    }

    /// Handles a structural byte outside quotes.
    ///
    /// - Returns: Whether the row ends here; the other two handlers return the same.
    @inline(__always)
    private mutating func takeUnquoted(_ byte: UInt8, at position: Int) throws -> Bool {
        try requireUnquotedWithinLimits(until: position)
        if byte == UInt8(ascii: ",") {
            try endField(count: position - scan.fieldStart, at: position)
            return false
        }
        if byte == 0x0A || byte == 0x0D {
            if byte == 0x0A, endedWithCR, position == scan.rowStart {
                endedWithCR = false
                scan.skipLineFeed()
                return false
            }
            try endField(count: position - scan.fieldStart, at: position)
            endLine(byte)
            return true
        }
        guard byte != 0 else { throw error(.nulCharacter) }
        if position == scan.fieldStart {
            scan.openQuote(at: position)
        } else if !options.allowsBareQuotes {
            throw error(.bareQuote)
        }
        return false
    }

    private mutating func takeQuoted(_ byte: UInt8, at position: Int) throws -> Bool {
        try requireWithinLimits(until: position)
        switch byte {
        case UInt8(ascii: "\""):
            scan.state = .behindQuote
            scan.quote = position
        case 0x0D: line += 1
        case 0x0A:
            let isSecond =
                position > scan.runStart
                && buffer.start.load(fromByteOffset: position - 1, as: UInt8.self) == 0x0D
            if !isSecond { line += 1 }
        case 0: throw error(.nulCharacter)
        default: break
        }
        return false
    }

    private mutating func takeBehindQuote(_ byte: UInt8, at position: Int) throws -> Bool {
        try requireWithinLimits(until: scan.quote + 1)
        guard position == scan.quote + 1, byte != 0 else { throw error(.textAfterQuote) }
        if byte == UInt8(ascii: "\"") {
            // The first of the two quotes belongs to the text.
            scan.contentEnd += buffer.move(scan.runStart..<position, to: scan.contentEnd)
            scan.runStart = position + 1
            scan.isMoved = true
            scan.state = .quoted
            return false
        }
        try endQuotedField(at: position)
        guard byte != UInt8(ascii: ",") else { return false }
        endLine(byte)
        return true
    }

    @inline(__always)
    private mutating func endLine(_ byte: UInt8) {
        endedWithCR = byte == 0x0D
        line += 1
    }

    /// Reads one more chunk; returns false at the end of the input.
    @inline(never)
    private mutating func refill() throws -> Bool {
        // The same order of checks as at a structural byte, so that no error depends on where a chunk ends.
        let isBehindQuote = scan.state == .behindQuote
        try requireWithinLimits(until: isBehindQuote ? scan.quote + 1 : buffer.end)
        if isBehindQuote, scan.quote + 1 < buffer.end { throw error(.textAfterQuote) }
        do {
            let shift = try buffer.fill(keeping: scan.rowStart)
            scan.shift(by: shift)
            blocks.shift(by: shift)
            return blocks.end < buffer.end
        } catch var fault as CSVError {
            if fault.line == nil {
                fault.line = line
                fault.column = fields.count + 1
            }
            throw fault
        }
    }

    /// Ends the last row, if one has begun.
    private mutating func finishAtEnd() throws -> CSVRow? {
        switch scan.state {
        case .quoted: throw error(.unterminatedQuote, line: scan.fieldLine)
        case .behindQuote: try endQuotedField(at: buffer.end)
        case .unquoted:
            if scan.rowStart == buffer.end { return nil }
            try endField(count: buffer.end - scan.fieldStart, at: buffer.end)
        }
        // No separator follows the last row, so the next field would start at the end of the input.
        scan.beginField(behind: buffer.end - 1, line: line)
        return try finish(end: buffer.end)
    }
}
