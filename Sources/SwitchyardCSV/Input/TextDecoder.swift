/// Turns a source's bytes into UTF-8 without a byte order mark, chunk by chunk.
///
/// UTF-8 passes through unchanged, for the reader to validate. UTF-16 is transcoded. An error is thrown only
/// after everything before it has been returned, so that the reader knows its line and column.
struct TextDecoder: ~Copyable {
    private let source: any ByteSource
    private let chunkBytes: Int
    private var encoding: TextEncoding?
    /// Bytes read but not yet returned: the window for detecting the encoding, and later UTF-16.
    private var raw: [UInt8] = []
    private var position = 0
    private var isAtEnd = false
    private var failure: CSVError?

    /// How many bytes have been read from the source so far.
    private(set) var bytesRead = 0

    init(_ source: any ByteSource, chunkBytes: Int) {
        self.source = source
        self.chunkBytes = chunkBytes
    }

    /// The smallest buffer that `read` accepts: room for the longest character.
    static let minimumRoom = 4

    /// Writes the next UTF-8 bytes.
    ///
    /// - Returns: How many bytes were written; 0 only at the end.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        if encoding == nil { try detectEncoding() }
        guard encoding == .utf8 else { return try transcode(into: buffer) }
        let room = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(chunkBytes))
        guard position < raw.count else { return try pull(into: room) }
        let count = min(room.count, raw.count - position)
        room.copyBytes(from: raw[position..<position + count])
        position += count
        return count
    }

    private mutating func detectEncoding() throws {
        while raw.count < TextEncoding.windowBytes, try pullRaw(TextEncoding.windowBytes - raw.count) {}
        let isWhole = isAtEnd
        let (found, mark) = try raw.withUnsafeBytes { try TextEncoding.detect($0, isWhole: isWhole) }
        encoding = found
        position = mark
    }

    /// Reads from the source, but never again after its end, because a terminal would go on.
    private mutating func pull(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard !isAtEnd else { return 0 }
        let count = try source.read(into: buffer)
        guard (0...buffer.count).contains(count) else {
            throw CSVError(
                .inputOutput, "The byte source reported more bytes than its buffer has room for.")
        }
        isAtEnd = count == 0
        bytesRead += count
        return count
    }

    /// Appends a chunk of at most `limit` bytes to `raw`; returns false at the end.
    private mutating func pullRaw(_ limit: Int) throws -> Bool {
        let chunk = try [UInt8](unsafeUninitializedCapacity: min(limit, chunkBytes)) { buffer, count in
            count = try pull(into: UnsafeMutableRawBufferPointer(buffer))
        }
        raw += chunk
        return !chunk.isEmpty
    }

    private mutating func transcode(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            if let failure { throw failure }
            let step = raw.withUnsafeBytes { raw in
                UTF16Transcoding.transcode(
                    UnsafeRawBufferPointer(rebasing: raw[position...]), into: buffer,
                    isBigEndian: encoding == .utf16BigEndian, isWhole: isAtEnd)
            }
            position += step.consumed
            failure = step.failure
            if step.written > 0 { return step.written }
            if failure != nil { continue }
            if isAtEnd { return 0 }
            raw.removeFirst(position)
            position = 0
            _ = try pullRaw(chunkBytes)
        }
    }
}

/// Transcodes UTF-16 to UTF-8.
enum UTF16Transcoding {
    /// The progress of one call.
    struct Step {
        var consumed = 0
        var written = 0
        /// What is wrong with the next unit, if anything.
        var failure: CSVError?
    }

    /// Transcodes whole characters until the input runs out, the output is full or a unit is wrong.
    ///
    /// - Parameters:
    ///   - input: The units that have been read.
    ///   - output: Room for at least `TextDecoder.minimumRoom` bytes.
    ///   - isBigEndian: Whether the first byte of a unit is the higher one.
    ///   - isWhole: Whether `input` is the end, so that an incomplete character is an error.
    /// - Returns: How much was read and written.
    static func transcode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, isBigEndian: Bool,
        isWhole: Bool
    ) -> Step {
        var step = Step()
        func unit(at offset: Int) -> UInt32 {
            let unit = input.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
            return UInt32(isBigEndian ? UInt16(bigEndian: unit) : UInt16(littleEndian: unit))
        }
        while step.consumed + 2 <= input.count, step.written + TextDecoder.minimumRoom <= output.count {
            var scalar = unit(at: step.consumed)
            var length = 2
            if scalar < 0x80 {
                output[step.written] = UInt8(truncatingIfNeeded: scalar)
                step.written += 1
                step.consumed += 2
                continue
            }
            if scalar & 0xF800 == 0xD800 {
                let isLow = scalar & 0x0400 != 0
                if !isLow, step.consumed + 4 > input.count, !isWhole { return step }
                let low = !isLow && step.consumed + 4 <= input.count ? unit(at: step.consumed + 2) : 0
                guard low & 0xFC00 == 0xDC00 else {
                    step.failure = CSVError(
                        .invalidUTF16, "The file has an unpaired UTF-16 surrogate. Save it as UTF-8.")
                    return step
                }
                scalar = 0x10000 + (scalar & 0x3FF) << 10 + (low & 0x3FF)
                length = 4
            }
            step.written += write(scalar, to: output, at: step.written)
            step.consumed += length
        }
        if isWhole, step.consumed + 1 == input.count {
            step.failure = CSVError(
                .invalidUTF16, "The file ends in the middle of a UTF-16 unit: it was cut short.")
        }
        return step
    }

    private static func write(
        _ scalar: UInt32, to output: UnsafeMutableRawBufferPointer, at offset: Int
    ) -> Int {
        let count = scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4
        var rest = scalar
        for index in stride(from: count - 1, to: 0, by: -1) {
            output[offset + index] = UInt8(truncatingIfNeeded: 0x80 | rest & 0x3F)
            rest >>= 6
        }
        let lead: UInt32 = count == 2 ? 0xC0 : count == 3 ? 0xE0 : 0xF0
        output[offset] = UInt8(truncatingIfNeeded: lead | rest)
        return count
    }
}
