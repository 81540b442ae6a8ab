/// The progress of scanning one row, in offsets into the reader's buffer.
struct RowScan {
    enum State {
        /// In a field without quotes, or before the first byte of a field.
        case unquoted
        /// In a quoted field.
        case quoted
        /// After a quote in a quoted field: the closing one, or the first of a doubled one.
        case behindQuote
    }

    var state = State.unquoted
    private(set) var rowStart = 0
    /// The line on which the row begins.
    private(set) var firstLine = 1
    /// Where the contents of the field begin, and on which line.
    private(set) var fieldStart = 0
    private(set) var fieldLine = 1
    /// Whether the row, or its surroundings, contain bytes outside ASCII.
    var isSuspect = false

    // A quoted field with doubled quotes is made contiguous in place: its contents so far end at `contentEnd`,
    // and the bytes from `runStart` on have yet to be moved there.
    var contentEnd = 0
    var runStart = 0
    /// The most recent quote, in the state `behindQuote`.
    var quote = 0
    /// Whether contents have been moved in this row, leaving stale bytes between its fields.
    var isMoved = false

    /// Begins a row where the previous one ended.
    @inline(__always)
    mutating func beginRow(line: Int, isSuspect: Bool) {
        rowStart = fieldStart
        firstLine = line
        fieldLine = line
        self.isSuspect = isSuspect
        isMoved = false
    }

    /// Begins a field after the separator at `position`.
    @inline(__always)
    mutating func beginField(behind position: Int, line: Int) {
        state = .unquoted
        fieldStart = position + 1
        fieldLine = line
    }

    @inline(__always)
    mutating func skipLineFeed() {
        rowStart += 1
        fieldStart += 1
    }

    mutating func openQuote(at position: Int) {
        state = .quoted
        fieldStart = position + 1
        contentEnd = fieldStart
        runStart = fieldStart
    }

    /// The length of the current field, in bytes, if it extends to `end`.
    func fieldBytes(until end: Int) -> Int {
        switch state {
        case .unquoted: end - fieldStart
        case .quoted: contentEnd - fieldStart + end - runStart
        case .behindQuote: contentEnd - fieldStart + quote - runStart
        }
    }

    /// Adjusts the offsets after the buffer's bytes have moved towards the front.
    mutating func shift(by count: Int) {
        rowStart -= count
        fieldStart -= count
        contentEnd -= count
        runStart -= count
        quote -= count
    }
}

/// Walks over the structural bytes of a buffer, block by block.
struct BlockCursor {
    private var start = 0
    /// The end of the block.
    private(set) var end = 0
    /// The structural bytes of the block not yet visited.
    private var mask: UInt64 = 0
    /// Whether the block holds bytes outside ASCII.
    private(set) var isMultibyte = false

    /// The offset of the next structural byte in the block.
    @inline(__always)
    mutating func next() -> Int? {
        guard mask != 0 else { return nil }
        defer { mask &= mask &- 1 }
        return start &+ mask.trailingZeroBitCount
    }

    /// Loads the next block.
    @inline(__always)
    mutating func load(from buffer: borrowing RowBuffer) {
        start = end
        end = min(start + StructuralBytes.blockBytes, buffer.end)
        let block = StructuralBytes.classify(buffer.start + start)
        let count = end - start
        mask = count < StructuralBytes.blockBytes ? block.mask & (1 &<< UInt64(count) &- 1) : block.mask
        isMultibyte = block.isMultibyte
    }

    mutating func shift(by count: Int) {
        start -= count
        end -= count
    }
}
