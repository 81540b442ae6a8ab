extension CSVReader {
    /// Ends the current unquoted field at the separator at `position`.
    @inline(__always)
    mutating func endField(count: Int, at position: Int) throws {
        try append(count: count, isQuoted: false)
        scan.beginField(behind: position, line: line)
    }

    /// Ends the current quoted field, whose closing quote comes right before the separator at `position`.
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

    /// Throws if the field or row is longer, up to `end`, than the limits allow; called before each structural
    /// byte is handled, and at the end of a chunk.
    @inline(__always)
    func requireWithinLimits(until end: Int) throws {
        if scan.fieldBytes(until: end) > maximumFieldBytes || end - scan.rowStart > options.maximumRowBytes {
            throw limitError(until: end)
        }
    }

    /// The same check for a field known to be unquoted.
    @inline(__always)
    func requireUnquotedWithinLimits(until end: Int) throws {
        if end - scan.fieldStart > maximumFieldBytes || end - scan.rowStart > options.maximumRowBytes {
            throw limitError(until: end)
        }
    }

    /// The error for the limit that is exceeded first, on the line where the field begins: if its quote is never
    /// closed, everything after it belongs to the field.
    @inline(never)
    private func limitError(until end: Int) -> CSVError {
        let fieldExcess = scan.fieldBytes(until: end) - maximumFieldBytes
        let rowExcess = end - scan.rowStart - options.maximumRowBytes
        return error(
            fieldExcess > 0 && fieldExcess >= rowExcess ? .fieldTooLong : .rowTooLong, line: scan.fieldLine)
    }

    /// Validates the text of the row, whose bytes end at `end`, and returns it.
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

    /// Finds the field that is not valid UTF-8, and its line.
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

    /// The error for the current field.
    @inline(never)
    func error(_ code: CSVError.Code, line: Int? = nil) -> CSVError {
        let message =
            switch code {
            case .unterminatedQuote:
                "The file ends inside a quoted field. Close the quote, or double it if it belongs to the text."
            case .textAfterQuote:
                "Text follows a closing quote. Double every quote that belongs to the field."
            case .bareQuote:
                "An unquoted field contains a quote. Put the whole field in quotes and double this one."
            case .nulCharacter: "The field holds U+0000, which no store can keep. Remove it."
            case .fieldTooLong:
                "The field has more than \(maximumFieldBytes) bytes, which is the limit.\(unclosedQuoteHint)"
            case .rowTooLong:
                "The row has more than \(options.maximumRowBytes) bytes, which is the limit.\(unclosedQuoteHint)"
            case .tooManyColumns:
                "The row has more than \(options.maximumColumns) fields, which is the limit."
            default: "The field cannot be read."
            }
        return CSVError(code, message, line: line ?? self.line, column: fields.count + 1)
    }

    private var unclosedQuoteHint: String {
        scan.state == .quoted ? " Is its opening quote ever closed?" : ""
    }
}
