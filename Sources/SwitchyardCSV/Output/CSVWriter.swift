internal import Foundation

/// Writes CSV, field by field, through a buffer.
///
///     var writer = CSVWriter(try FileByteSink(path: "feeds.csv"))
///     try writer.write("babyName")
///     try writer.write("amountValue")
///     try writer.endRow()
///     try writer.finish()
///
/// The text is UTF-8 without a byte order mark. Rows are separated by LF; `Options.ending` says what follows
/// the last one. A field is quoted if it contains a comma, a quote, LF or CR, and its quotes are doubled. Two
/// more cases are quoted because they would otherwise read back differently: a row whose only field is empty,
/// which would not count as a row at the end of a file, and a first field that begins with U+FEFF, which would
/// be taken for a byte order mark.
///
/// A writer abandons its sink if it is destroyed before `finish`, or if a write fails.
public struct CSVWriter: ~Copyable {
    /// How a writer formats and buffers.
    public struct Options: Sendable {
        /// Whether empty text is quoted, so that it differs from null; false by default.
        public var quotesEmptyText = false
        /// What follows the last row; nothing by default.
        public var ending = Ending.none
        /// How many bytes are buffered before they go to the sink; 128 KiB by default.
        public var bufferBytes = 1 << 17

        /// The format of the app's own files.
        public init() {}
    }

    /// What follows the last row of a file.
    public enum Ending: Sendable, CaseIterable {
        /// Nothing.
        case none
        /// A line end.
        case newline
        /// A line end and an empty line, so that a reader can tell when the file was cut off.
        case emptyLine

        fileprivate var lineFeeds: Int {
            switch self {
            case .none: 0
            case .newline: 1
            case .emptyLine: 2
            }
        }
    }

    private enum Progress {
        case open
        case finished
        case failed(any Error)
    }

    let options: Options
    private let sink: any ByteSink
    private let memory: UnsafeMutableRawPointer
    private let capacity: Int
    private var used = 0
    private var progress = Progress.open
    private var rows = 0
    private var fieldsInRow = 0
    /// Whether the row consists so far of one empty, unquoted field.
    private var isBlank = false

    /// How many bytes have been written, including those still in the buffer.
    public private(set) var bytesWritten = 0

    /// Creates a writer.
    public init(_ sink: any ByteSink, options: Options = Options()) {
        self.options = options
        self.sink = sink
        capacity = max(options.bufferBytes, Self.longestNumber)
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit {
        memory.deallocate()
        if case .finished = progress { return }
        sink.abandon()
    }

    /// The longest field that can be written in place, in bytes.
    static let longestNumber = 64

    /// Writes null, as an empty field.
    ///
    /// - Throws: `CSVError`, as every method of a writer does: with the code of the sink's error, or `closed`.
    public mutating func writeNull() throws { try beginField(isEmpty: true) }

    /// Writes a text field.
    ///
    /// - Throws: `CSVError` with code `nulCharacter` if the text contains U+0000, which no reader accepts.
    public mutating func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { try write(utf8: UnsafeRawBufferPointer($0)) }
    }

    /// Writes a text field from its bytes.
    ///
    /// - Parameter bytes: Valid UTF-8. It is not checked here.
    /// - Throws: `CSVError` with code `nulCharacter` if the text contains U+0000, which no reader accepts.
    public mutating func write(utf8 bytes: UnsafeRawBufferPointer) throws {
        let content = QuotingRule.examine(bytes)
        if content == .forbidden {
            throw CSVError(
                .nulCharacter, "A field with U+0000 cannot be written as CSV.", line: nil,
                column: fieldsInRow + 1)
        }
        let isFirst = rows == 0 && fieldsInRow == 0
        let needsQuotes =
            content == .special || bytes.isEmpty && options.quotesEmptyText
            || isFirst && bytes.starts(with: [0xEF, 0xBB, 0xBF])
        try beginField(isEmpty: bytes.isEmpty && !needsQuotes)
        if needsQuotes { try appendQuoted(bytes) } else { try append(bytes) }
    }

    /// Writes a field that needs no quotes straight into the buffer.
    ///
    /// - Parameter body: Fills the start of `longestNumber` bytes and returns how many it wrote.
    /// - Throws: `CSVError` with the code of the sink's error, or `closed`.
    mutating func writePlain(_ body: (UnsafeMutableRawPointer) -> Int) throws {
        try beginField(isEmpty: false)
        if capacity - used < Self.longestNumber { try flush() }
        let count = body(memory + used)
        used += count
        bytesWritten += count
    }

    /// Ends the row; a row without fields is written as one with a single empty field.
    ///
    /// - Throws: `CSVError` with the code of the sink's error.
    public mutating func endRow() throws {
        if fieldsInRow == 0 { try writeNull() }
        if isBlank {
            try append(UInt8(ascii: "\""))
            try append(UInt8(ascii: "\""))
        }
        rows += 1
        fieldsInRow = 0
        isBlank = false
    }

    /// Ends the file, and the row if one is open.
    ///
    /// - Throws: `CSVError` with the code of the sink's error; the sink has then been abandoned.
    public mutating func finish() throws {
        try requireOpen()
        if fieldsInRow > 0 { try endRow() }
        if rows > 0 {
            for _ in 0..<options.ending.lineFeeds { try append(0x0A) }
        }
        try flush()
        try guarding { try $0.finish() }
        progress = .finished
    }

    private func requireOpen() throws {
        switch progress {
        case .open: return
        case .finished: throw CSVError(.closed, "The CSV writer has finished. Make a new one.")
        case .failed(let fault): throw fault
        }
    }

    private mutating func beginField(isEmpty: Bool) throws {
        if fieldsInRow > 0 {
            try append(UInt8(ascii: ","))
        } else {
            try requireOpen()
            if rows > 0 { try append(0x0A) }
        }
        isBlank = isEmpty && fieldsInRow == 0
        fieldsInRow += 1
    }

    private mutating func appendQuoted(_ bytes: UnsafeRawBufferPointer) throws {
        let quote = UInt8(ascii: "\"")
        try append(quote)
        var rest = bytes
        while let position = rest.firstIndex(of: quote) {
            try append(UnsafeRawBufferPointer(rebasing: rest[...position]))
            try append(quote)
            rest = UnsafeRawBufferPointer(rebasing: rest[(position + 1)...])
        }
        try append(rest)
        try append(quote)
    }

    @inline(__always)
    private mutating func append(_ byte: UInt8) throws {
        if used == capacity { try flush() }
        memory.storeBytes(of: byte, toByteOffset: used, as: UInt8.self)
        used += 1
        bytesWritten += 1
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) throws {
        bytesWritten += bytes.count
        if bytes.count > capacity - used {
            try flush()
            if bytes.count > capacity { return try guarding { try $0.write(bytes) } }
        }
        UnsafeMutableRawBufferPointer(start: memory + used, count: bytes.count).copyMemory(from: bytes)
        used += bytes.count
    }

    @inline(never)
    private mutating func flush() throws {
        try requireOpen()
        let bytes = UnsafeRawBufferPointer(start: memory, count: used)
        used = 0
        if !bytes.isEmpty { try guarding { try $0.write(bytes) } }
    }

    /// Calls the sink, and abandons it after an error.
    private mutating func guarding(_ call: (any ByteSink) throws -> Void) throws {
        do {
            try call(sink)
        } catch {
            progress = .failed(error)
            sink.abandon()
            throw error
        }
    }
}
