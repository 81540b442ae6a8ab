internal import CLibPQ
internal import SwitchyardCore

/// The rows of a query, a batch at a time, while the session stays free for other statements in between.
///
/// It needs a transaction and ends with it.
final class Cursor {
    /// Rows of one round trip: enough that the round trips do not show, few enough to keep memory flat.
    private static let batch = 1_024

    private let session: Session
    private let name: String
    private var rows: OpaquePointer?
    private var decoder: RowDecoder?
    private var position: Int32 = 0
    private var isAtEnd = false

    /// Declares the cursor.
    init(_ session: Session, _ sql: String, _ parameters: borrowing Parameters) throws {
        session.nextName += 1
        self.session = session
        name = "switchyard_\(session.nextName)"
        _ = try session.execute("DECLARE \(name) NO SCROLL CURSOR FOR \(sql)", parameters, isCached: false)
    }

    deinit { PQclear(rows) }

    /// The next row, or nil at the end.
    ///
    /// Its cells are good until the next call.
    func next() throws -> UnsafeBufferPointer<Cell>? {
        if rows == nil || position == PQntuples(rows) {
            guard !isAtEnd else { return nil }
            try fetch()
        }
        guard let rows, let decoder, position < PQntuples(rows) else { return nil }
        defer { position += 1 }
        return try decoder.decode(rows, row: position)
    }

    /// Frees the cursor on the server before its transaction ends.
    func close() throws {
        isAtEnd = true
        PQclear(rows)
        rows = nil
        try session.command("CLOSE \(name)")
    }

    private func fetch() throws {
        PQclear(rows)
        rows = nil
        position = 0
        let result = try session.execute("FETCH FORWARD \(Self.batch) FROM \(name)", isCached: false)
        isAtEnd = result.rowCount < Self.batch
        let pointer = result.take()
        rows = pointer
        if decoder == nil { decoder = try RowDecoder(pointer) }
    }
}
