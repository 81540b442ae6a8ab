internal import CLibPQ
internal import SwitchyardCore

/// What keeps the connection to itself between two calls: a statement whose rows are still coming, or a COPY.
protocol WireOccupant: AnyObject {
    /// Lets another statement have the connection; what is left goes on afterwards.
    func vacate() throws
}

/// The rows of a statement as they come, in constant memory.
///
/// Rows come one result each. For 1,000,000 rows of eight columns that is as fast as collecting them in one
/// result, because server and client work side by side, and as fast as `COPY … TO STDOUT`, which takes no
/// parameters.
///
/// A statement that is started in between makes the stream read the rest of its rows into memory first. A cursor on
/// the server would not need that, but it is planned anew each time and costs a round trip more.
final class RowStream: WireOccupant {
    /// After how many unwanted rows the server is asked to stop, rather than read to the end.
    private static let patience = 1_000

    private let session: Session
    private let types: [WireType]?
    private var decoder: RowDecoder?
    /// The result that the last row is in.
    private var current: OpaquePointer?
    private var spool: RowSpool?
    private var isOnWire = true

    /// Starts a statement.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - sql: The statement.
    ///   - parameters: Its values.
    ///   - types: What the columns must be; nil for whatever an attribute can be stored in.
    ///   - isCached: Whether the statement is worth preparing.
    /// - Throws: As `Session.execute`.
    init(
        _ session: Session, _ sql: String, _ parameters: borrowing Parameters, types: [WireType]? = nil,
        isCached: Bool = true
    ) throws {
        self.session = session
        self.types = types
        try session.enter()
        do {
            try session.start(sql, parameters, isCached: isCached)
        } catch {
            session.leave()
            throw error
        }
        _ = PQsetSingleRowMode(session.handle)
        session.occupant = self
    }

    deinit { PQclear(current) }

    /// The next row, or nil at the end.
    ///
    /// Its cells are good until the next call.
    ///
    /// - Throws: The translation of the server's error; `corrupted` for a value or a column that no attribute can have.
    func next() throws -> UnsafeBufferPointer<Cell>? {
        guard isOnWire else { return spool?.next() }
        PQclear(current)
        current = nil
        guard let row = try nextResult() else { return nil }
        current = row
        let known = decoder ?? RowDecoder(row, expecting: types)
        decoder = known
        return try known.decode(row, row: 0)
    }

    /// Reads the rest into memory.
    ///
    /// The row that was given last stays as it is, for it may be in use.
    func vacate() throws {
        guard isOnWire else { return }
        var decoder: RowDecoder?
        while let row = try nextResult() {
            defer { PQclear(row) }
            let known = decoder ?? RowDecoder(row, expecting: types)
            decoder = known
            let spool = spool ?? RowSpool(width: known.count)
            self.spool = spool
            spool.append(try known.decode(row, row: 0))
        }
    }

    /// Gives up the rows that are left.
    ///
    /// - Parameter isFailed: Whether the transaction has failed anyway, so that the server may be asked to stop at the price
    ///   of the transaction. If not, the rows are read to the end.
    func close(isFailed: Bool = false) {
        spool = nil
        var count = 0
        while isOnWire, let row = try? nextResult() {
            PQclear(row)
            count += 1
            if isFailed, count == Self.patience { session.canceller.interrupt() }
        }
    }

    /// The next row's result; nil at the end, where the connection is free again.
    private func nextResult() throws -> OpaquePointer? {
        while isOnWire, let pointer = PQgetResult(session.handle) {
            if PQresultStatus(pointer) == PGRES_SINGLE_TUPLE { return pointer }
            let result = QueryResult(pointer)
            guard result.isFailure else { continue }
            let error = session.failure(result)
            leaveWire()
            throw error
        }
        if isOnWire { leaveWire() }
        return nil
    }

    private func leaveWire() {
        isOnWire = false
        session.occupant = nil
        session.finish()
        session.leave()
    }
}
