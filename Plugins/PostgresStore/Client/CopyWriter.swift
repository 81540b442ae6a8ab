internal import CLibPQ
internal import SwitchyardCore

/// Writes the rows of a COPY, through one buffer.
///
/// Format: PostgreSQL's manual, "COPY", "Binary Format".
struct CopyWriter: ~Copyable {
    /// How many bytes are collected before libpq gets them.
    private static let chunk = 65_536
    /// `PGCOPY\n\377\r\n\0`, which shows whether something on the way has meddled with the bytes.
    private static let signature: [UInt8] = [
        0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0x00,
    ]

    private let handle: OpaquePointer
    private let types: [WireType]
    private var buffer = WireBuffer(capacity: 2 * Self.chunk)

    /// Begins to write on a connection that is in COPY.
    init(handle: OpaquePointer, types: [WireType]) {
        self.handle = handle
        self.types = types
        Self.signature.withUnsafeBytes { buffer.append($0) }
        // No flags, no header extension.
        buffer.append(Int32(0))
        buffer.append(Int32(0))
    }

    /// Writes a row.
    ///
    /// - Throws: `invalidArgument` for a row of another width, or a cell of another kind than its column;
    ///   `CopyRefusal` if the server has ended the COPY.
    /// - Complexity: O(bytes of the row); allocates nothing.
    mutating func write(_ cells: UnsafeBufferPointer<Cell>) throws {
        guard cells.count == types.count else {
            throw StoreError(
                .invalidArgument, "A row has \(cells.count) columns where \(types.count) were announced.")
        }
        buffer.append(Int16(truncatingIfNeeded: cells.count))
        for index in 0..<cells.count {
            try buffer.appendField(cells[index], as: types[index])
        }
        if buffer.count >= Self.chunk { try flush() }
    }

    /// Writes the end of the rows.
    mutating func finish() throws {
        buffer.append(Int16(-1))
        try flush()
    }

    private mutating func flush() throws {
        let start = UnsafeRawPointer(buffer.start).assumingMemoryBound(to: CChar.self)
        guard PQputCopyData(handle, start, Int32(buffer.count)) == 1 else { throw CopyRefusal() }
        buffer.truncate()
    }
}
