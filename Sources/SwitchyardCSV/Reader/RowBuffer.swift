internal import Foundation

/// The memory of a reader: the row at hand and what has been read beyond it, in one piece.
struct RowBuffer: ~Copyable {
    private(set) var start: UnsafeMutableRawPointer
    /// Where the bytes that have been read end.
    private(set) var end = 0
    private var capacity: Int
    private let room: Int
    private var decoder: TextDecoder

    /// Bytes behind the capacity, never looked at, so that a block may be loaded at the very end.
    private static let slack = StructuralBytes.blockBytes

    init(_ source: any ByteSource, chunkBytes: Int) {
        room = max(chunkBytes, TextDecoder.minimumRoom)
        capacity = 2 * room
        let byteCount = capacity + Self.slack
        start = malloc(byteCount) ?? .allocate(byteCount: byteCount, alignment: 16)
        decoder = TextDecoder(source, chunkBytes: chunkBytes)
    }

    deinit { free(start) }

    var bytesRead: Int { decoder.bytesRead }

    /// Reads one more chunk behind `end`, which stays where it is at the end of the input.
    ///
    /// - Parameter kept: From where on the bytes are still needed.
    /// - Returns: By how many bytes everything has moved towards the front.
    /// - Throws: `CSVError`, of the source, of the decoder, or with code `outOfMemory`.
    mutating func fill(keeping kept: Int) throws -> Int {
        var shift = 0
        if kept == end {
            shift = end
            end = 0
        } else if capacity - end < room {
            // Moving pays when it frees half of the memory; else every byte would be moved once for each
            // chunk.
            if kept >= capacity / 2 {
                memmove(start, start + kept, end - kept)
                shift = kept
                end -= kept
            } else {
                try grow()
            }
        }
        end += try decoder.read(into: UnsafeMutableRawBufferPointer(start: start + end, count: room))
        return shift
    }

    private mutating func grow() throws {
        let larger = capacity * 2
        guard let memory = realloc(start, larger + Self.slack) else {
            throw CSVError(
                .outOfMemory, "There is no memory for a row of \(capacity) bytes and more. Set a lower limit."
            )
        }
        start = memory
        capacity = larger
    }

    /// Moves a run of bytes towards the front.
    ///
    /// - Returns: The length of the run.
    func move(_ run: Range<Int>, to offset: Int) -> Int {
        if run.lowerBound != offset { memmove(start + offset, start + run.lowerBound, run.count) }
        return run.count
    }
}

/// The fields of the row at hand.
struct FieldList: ~Copyable {
    private(set) var storage: UnsafeMutablePointer<CSVRow.Field>
    private(set) var count = 0
    private var capacity: Int
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
        capacity = min(32, limit)
        storage = .allocate(capacity: capacity)
    }

    deinit { storage.deallocate() }

    mutating func removeAll() { count = 0 }

    /// Adds a field; false if there are as many as may be.
    @inline(__always)
    mutating func append(_ field: CSVRow.Field) -> Bool {
        if count == capacity {
            guard capacity < limit else { return false }
            grow()
        }
        storage[count] = field
        count += 1
        return true
    }

    @inline(never)
    private mutating func grow() {
        capacity = min(capacity * 2, limit)
        let larger = UnsafeMutablePointer<CSVRow.Field>.allocate(capacity: capacity)
        larger.moveInitialize(from: storage, count: count)
        storage.deallocate()
        storage = larger
    }
}
