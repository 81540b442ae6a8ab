internal import CLibPQ
internal import SwitchyardCore

/// Inserts rows by `COPY … FROM STDIN (FORMAT binary)`, the fastest way, through one buffer.
///
/// Until `finish` or `abandon`, the session cannot do anything else.
///
/// Format: PostgreSQL's manual, "COPY", "Binary Format".
final class CopyIn {
    /// The number of bytes to collect before they are passed to libpq.
    private static let chunk = 65_536
    /// The most bytes to pass to libpq at once: a row can be longer than a chunk.
    private static let largestMessage = 1 << 24
    /// `PGCOPY\n\377\r\n\0`, a signature that reveals corruption in transit; then no flags and no header extension.
    private static let header: [UInt8] = [
        0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0x00, 0, 0, 0, 0, 0, 0, 0, 0,
    ]

    private let session: Session
    private let types: [WireType]
    private var buffer = WireBuffer(capacity: 2 * chunk)
    private var isOnWire = true
    /// Whether the server has sent something that libpq has not parsed yet.
    private var hasSpoken = false

    /// Starts the COPY.
    ///
    /// - Parameters:
    ///   - session: The session, in a transaction if the COPY must be all or nothing.
    ///   - sql: The COPY statement.
    ///   - types: The type of each column.
    /// - Throws: The translation of the server's error.
    init(_ session: Session, _ sql: String, types: [WireType]) throws {
        self.session = session
        self.types = types
        try session.enter()
        do {
            try session.flushPending()
            guard !session.isBroken, pq_sendQuery(session.handle, sql) == 1,
                let pointer = try session.nextResult()
            else { throw session.clientFailure() }
            let result = QueryResult(pointer)
            guard result.status == PGRES_COPY_IN else {
                let failure = session.failure(result)
                while let rest = try session.nextResult() { pq_clear(rest) }
                throw failure
            }
        } catch {
            session.leave()
            throw error
        }
        Self.header.withUnsafeBytes { buffer.append($0) }
    }

    /// Sends a row.
    ///
    /// - Throws: `invalidArgument` for a row of another width, or a cell of another kind than its column; `cancelled`;
    ///   the translation of the server's error, which may arrive some rows later.
    /// - Complexity: O(bytes of the row); allocates nothing.
    func write(_ cells: UnsafeBufferPointer<Cell>) throws {
        guard cells.count == types.count else {
            throw StoreError(
                .invalidArgument, "A row has \(cells.count) columns where \(types.count) were announced.")
        }
        try Self.append(cells, types, to: &buffer)
        if buffer.count >= Self.chunk { try flush() }
    }

    /// Appends a row; not a method, which would access its own buffer anew for each field.
    private static func append(
        _ cells: UnsafeBufferPointer<Cell>, _ types: [WireType], to buffer: inout WireBuffer
    ) throws {
        buffer.append(Int16(truncatingIfNeeded: cells.count))
        for index in 0..<cells.count {
            try buffer.appendField(cells[index], as: types[index])
        }
    }

    /// Sends encoded rows.
    ///
    /// - Throws: As for one row.
    func write(_ batch: borrowing WireBatch) throws {
        batch.forEachTuple { fields in
            buffer.append(Int16(truncatingIfNeeded: types.count))
            buffer.append(fields)
        }
        if buffer.count >= Self.chunk { try flush() }
    }

    /// Ends the COPY.
    ///
    /// - Returns: The number of rows sent.
    func finish() throws -> Int {
        // The end of the rows.
        buffer.append(Int16(-1))
        try flush()
        _ = pq_putCopyEnd(session.handle, nil)
        return try leaveWire()
    }

    /// Aborts the COPY, and with it the transaction, after the source of the rows has failed.
    func abandon() {
        guard isOnWire else { return }
        _ = pq_putCopyEnd(session.handle, "the rows could not be given")
        // The server's error only repeats that the COPY was aborted.
        _ = try? leaveWire()
    }

    private func flush() throws {
        guard !session.canceller.isCancelled else { throw StoreError.taskCancelled }
        // Before the last row, the server sends either a notice, which libpq reads when it is given rows, or the error
        // that ends the COPY, which libpq would not read until all rows were sent.
        let notices = session.noticeCount
        if session.hasInput, pq_consumeInput(session.handle) == 1 { hasSpoken = true }
        guard sendBuffer(), !hasSpoken || session.noticeCount > notices else {
            // The server has ended the COPY early; its result says why.
            _ = try leaveWire()
            throw session.clientFailure()
        }
        hasSpoken = try session.flush()
        buffer.truncate()
    }

    /// Sends the buffer in parts, which need not end with a row; returns false on failure.
    ///
    /// libpq takes the length of a message as an Int32, and keeps what it cannot send at once in memory.
    private func sendBuffer() -> Bool {
        let start = UnsafeRawPointer(buffer.start).assumingMemoryBound(to: CChar.self)
        return stride(from: 0, to: buffer.count, by: Self.largestMessage).allSatisfy { offset in
            let count = min(Self.largestMessage, buffer.count - offset)
            return pq_putCopyData(session.handle, start + offset, Int32(count)) == 1
        }
    }

    /// Reads the server's answer, after which the connection can be used again.
    private func leaveWire() throws -> Int {
        isOnWire = false
        defer { session.leave() }
        return try session.collect().affectedRows
    }
}
