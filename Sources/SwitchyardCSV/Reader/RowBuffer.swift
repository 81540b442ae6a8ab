internal import Foundation

/// The reader's memory: the current row and whatever has been read beyond it, contiguous.
struct RowBuffer: ~Copyable {
    private(set) var start: UnsafeMutableRawPointer
    /// The end of the bytes that have been read.
    private(set) var end = 0
    private var capacity: Int
    private let room: Int
    private var decoder: TextDecoder

    /// Padding beyond the capacity, so that a whole block can be loaded at the very end; its bytes are not used.
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

    /// Reads one more chunk after `end`, which does not move at the end of the input.
    ///
    /// - Parameter kept: The offset of the first byte still needed.
    /// - Returns: By how many bytes the contents have moved towards the front.
    /// - Throws: `CSVError` from the source or the decoder, or with code `outOfMemory`.
    mutating func fill(keeping kept: Int) throws -> Int {
        var shift = 0
        if kept == end {
            shift = end
            end = 0
        } else if capacity - end < room {
            // Moving pays off if it frees half of the memory; otherwise every byte would move once per chunk.
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
                .outOfMemory, "There is not enough memory for a row of \(capacity) bytes. Set a lower limit."
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

/// The fields of the current row.
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

    /// Appends a field; returns false if the limit is reached.
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
