internal import SwitchyardCore

/// Reads CSV as RFC 4180 has it, row by row, in memory that does not grow with the file.
///
///     var reader = CSVReader(try FileByteSource(path: "feeds.csv"))
///     while let row = try reader.next() {
///         print(row.line, row.string(at: 0))
///     }
///
/// - Text is UTF-8, with or without a byte order mark, or UTF-16 of either byte order. It is validated, never
///   repaired.
/// - A row ends with LF, CRLF or CR, also mixed in one file, or with the file. An end of line at the end of
///   the file begins no further row.
/// - An empty line elsewhere is a row of one empty field, as the RFC's grammar has it: see `CSVRow.isBlank`.
/// - Rows need not have equally many fields.
/// - Space belongs to its field. A quoted field begins with the quote itself and ends with one; what else
///   follows a closing quote is an error.
/// - A quote inside a field that does not begin with one is an error too, unless `Options.allowsBareQuotes`
///   is set: the RFC forbids it, and in a file that has spaces before its quotes, `a, "b,c"` would otherwise
///   be read as three fields without a word.
///
/// After an error the reader has ended: it throws the same error again.
public struct CSVReader: ~Copyable {
    /// What a reader accepts, and how much of it.
    public struct Options: Sendable {
        /// The most bytes of one field, at most 2 GiB; 64 MiB by default.
        public var maximumFieldBytes = Limits.valueBytes
        /// The most bytes of one row as it stands in the file, 256 MiB by default.
        public var maximumRowBytes = 4 * Limits.valueBytes
        /// The most fields of one row, 4,096 by default.
        public var maximumColumns = 4096
        /// How many bytes are asked of the source at a time, at most 1 GiB; 128 KiB by default.
        public var chunkBytes = 1 << 17
        /// Whether a quote inside an unquoted field stands for itself, and is not an error.
        public var allowsBareQuotes = false

        /// The usual limits.
        public init() {}
    }

    private(set) var options: Options
    private(set) var maximumFieldBytes: Int
    var buffer: RowBuffer
    var fields: FieldList
    var scan = RowScan()
    private var blocks = BlockCursor()
    /// The physical line at hand.
    var line = 1
    /// Whether the last row ended with CR, so that an LF right behind it is no row.
    private var endedWithCR = false
    private var failure: (any Error)?

    /// Makes a reader, which asks nothing of the source before the first call of `next`.
    public init(_ source: any ByteSource, options: Options = Options()) {
        self.options = options
        maximumFieldBytes = Self.fieldLimit(options)
        buffer = RowBuffer(source, chunkBytes: min(max(1, options.chunkBytes), 1 << 30))
        fields = FieldList(limit: max(1, options.maximumColumns))
    }

    private static func fieldLimit(_ options: Options) -> Int {
        min(options.maximumFieldBytes, Int(Int32.max))
    }

    /// Goes on with other limits for fields and rows, where a file's header tells how much is to be expected.
    ///
    /// - Parameters:
    ///   - fieldBytes: The most bytes of one field, at most 2 GiB.
    ///   - rowBytes: The most bytes of one row as it stands in the file.
    public mutating func accept(fieldBytes: Int, rowBytes: Int) {
        options.maximumFieldBytes = fieldBytes
        options.maximumRowBytes = rowBytes
        maximumFieldBytes = Self.fieldLimit(options)
    }

    /// How many bytes the source has given so far, for progress.
    public var bytesRead: Int { buffer.bytesRead }

    /// Reads the next row.
    ///
    /// - Returns: The row, good until the next call; nil at the end.
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

    /// Reads the next row that is no empty line.
    ///
    /// - Returns: The row, good until the next call; nil at the end.
    /// - Throws: As `next()`.
    public mutating func nextWithText() throws -> CSVRow? {
        while let row = try next() {
            if !row.isBlank { return row }
        }
        return nil
    }

    /// Goes from one structural byte to the next until the row ends.
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

    /// Takes a structural byte outside quotes.
    ///
    /// - Returns: Whether the row ends with it, as the other two say too.
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

    /// Reads one more chunk; false at the end of the input.
    @inline(never)
    private mutating func refill() throws -> Bool {
        // The same order as at a structural byte, so that no fault depends on where a chunk ends.
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
        // There is no separator behind which a next row could begin.
        scan.beginField(behind: buffer.end - 1, line: line)
        return try finish(end: buffer.end)
    }
}
