internal import SwitchyardCore

/// The rows in one message of a COPY.
struct WireRows {
    private let bytes: UnsafeRawBufferPointer
    private var offset: Int

    init(_ bytes: UnsafeRawBufferPointer, from offset: Int) {
        self.bytes = bytes
        self.offset = offset
    }

    /// Starts the next row.
    ///
    /// - Returns: The number of its columns; nil at the end of the message or of all rows.
    /// - Throws: `corrupted` if the message is too short.
    mutating func next() throws -> Int? {
        guard offset < bytes.count else { return nil }
        guard bytes.count - offset >= 2 else { throw Self.cut }
        defer { offset += 2 }
        let count = Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self))
        return count < 0 ? nil : Int(count)
    }

    /// Reads the next field; nil for null.
    ///
    /// - Throws: `corrupted` if the message is too short.
    @inline(__always)
    mutating func field() throws -> UnsafeRawBufferPointer? {
        guard bytes.count - offset >= 4 else { throw Self.cut }
        let length = Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
        offset += 4
        guard length >= 0 else { return nil }
        guard bytes.count - offset >= length else { throw Self.cut }
        defer { offset += length }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
    }

    private static var cut: StoreError {
        StoreError(.corrupted, "The server's COPY ended in the middle of a row.")
    }
}
