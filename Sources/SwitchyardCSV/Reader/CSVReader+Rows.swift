extension CSVReader {
    /// Ends the unquoted field at hand before the separator at `position`.
    @inline(__always)
    mutating func endField(count: Int, at position: Int) throws {
        try append(count: count, isQuoted: false)
        scan.beginField(behind: position, line: line)
    }

    /// Ends the quoted field at hand, whose closing quote stands before the separator at `position`.
    mutating func endQuotedField(at position: Int) throws {
        scan.contentEnd += buffer.move(scan.runStart..<scan.quote, to: scan.contentEnd)
        try append(count: scan.contentEnd - scan.fieldStart, isQuoted: true)
        scan.beginField(behind: position, line: line)
    }

    @inline(__always)
    private mutating func append(count: Int, isQuoted: Bool) throws {
        let field = CSVRow.Field(start: scan.fieldStart - scan.rowStart, count: count, isQuoted: isQuoted)
        guard fields.append(field) else { throw error(.tooManyColumns) }
    }

    /// Refuses a field or row that has more bytes before `end` than the limits allow; asked at each structural
    /// byte before it is looked at, and at the end of a chunk.
    @inline(__always)
    func requireWithinLimits(until end: Int) throws {
        if scan.fieldBytes(until: end) > maximumFieldBytes || end - scan.rowStart > options.maximumRowBytes {
            throw limitError(until: end)
        }
    }

    /// The same for a field that is known to be unquoted.
    @inline(__always)
    func requireUnquotedWithinLimits(until end: Int) throws {
        if end - scan.fieldStart > maximumFieldBytes || end - scan.rowStart > options.maximumRowBytes {
            throw limitError(until: end)
        }
    }

    /// The error for the limit whose first byte too many comes first, on the line on which the field begins: a
    /// quote that was forgotten there makes a field of all that follows.
    @inline(never)
    private func limitError(until end: Int) -> CSVError {
        let fieldExcess = scan.fieldBytes(until: end) - maximumFieldBytes
        let rowExcess = end - scan.rowStart - options.maximumRowBytes
        return error(
            fieldExcess > 0 && fieldExcess >= rowExcess ? .fieldTooLong : .rowTooLong, line: scan.fieldLine)
    }

    /// Hands out the row, whose bytes end at `end`, after the check of its text.
    @inline(__always)
    func finish(end: Int) throws -> CSVRow {
        let row = CSVRow(
            start: buffer.start + scan.rowStart, fields: fields.storage, count: fields.count,
            line: scan.firstLine)
        if scan.isSuspect {
            let bytes = UnsafeRawBufferPointer(start: row.start, count: end - scan.rowStart)
            if scan.isMoved || UTF8Validation.firstFault(in: bytes) != nil { try validate(row) }
        }
        return row
    }

    /// Finds the field that is not UTF-8, and the line within it.
    @inline(never)
    private func validate(_ row: CSVRow) throws {
        var line = row.line
        for column in 0..<row.count {
            let bytes = row.bytes(at: column)
            if let fault = UTF8Validation.firstFault(in: bytes) {
                line += lineEnds(in: bytes.prefix(fault))
                throw CSVError(
                    .invalidUTF8, "The field is not valid UTF-8. Save the file as UTF-8.", line: line,
                    column: column + 1)
            }
            line += lineEnds(in: bytes[...])
        }
    }

    private func lineEnds(in bytes: Slice<UnsafeRawBufferPointer>) -> Int {
        var count = 0
        var previous: UInt8 = 0
        for byte in bytes {
            if byte == 0x0D || byte == 0x0A && previous != 0x0D { count += 1 }
            previous = byte
        }
        return count
    }

    /// The error for the field at hand.
    @inline(never)
    func error(_ code: CSVError.Code, line: Int? = nil) -> CSVError {
        let message =
            switch code {
            case .unterminatedQuote:
                "The file ends inside a quoted field. Close the quote, or double it if it belongs to the text."
            case .textAfterQuote:
                "Text follows a closing quote. Double every quote that belongs to the field."
            case .bareQuote:
                "A quote stands inside an unquoted field. Put the whole field in quotes and double this one."
            case .nulCharacter: "The field holds U+0000, which no store can keep. Remove it."
            case .fieldTooLong:
                "The field has more than \(maximumFieldBytes) bytes, the most that is read.\(unclosedQuoteHint)"
            case .rowTooLong:
                "The row has more than \(options.maximumRowBytes) bytes, the most that is read.\(unclosedQuoteHint)"
            case .tooManyColumns:
                "The row has more than \(options.maximumColumns) fields, the most that are read."
            default: "The field cannot be read."
            }
        return CSVError(code, message, line: line ?? self.line, column: fields.count + 1)
    }

    private var unclosedQuoteHint: String {
        scan.state == .quoted ? " Is the quote with which it begins ever closed?" : ""
    }
}
