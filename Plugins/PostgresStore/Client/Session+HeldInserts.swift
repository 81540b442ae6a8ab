internal import CLibPQ
internal import SwitchyardCore
internal import SwitchyardSQL

/// An insert whose rows have not been sent.
final class HeldInsert {
    let sql: String
    let rows: WireBatch

    init(_ sql: String, _ rows: consuming WireBatch) {
        self.sql = sql
        self.rows = rows
    }
}

/// Inserts that wait for company.
///
/// What an insert answers is known beforehand, unless it is refused. So its rows wait for the next statement or for the
/// COMMIT, and a write that inserts one row is one round trip instead of two. If the server refuses a row, the error
/// would come too late: the transaction is run again, and then each insert is sent at once.
extension Session {
    /// The number of rows and of bytes that wait at most.
    private static let heldLimit = (rows: 64, bytes: 1 << 20)

    /// Inserts rows by a statement for one row, all in one round trip with the next statement, or at once if the
    /// transaction does not hold its inserts.
    ///
    /// - Returns: The number of rows.
    /// - Throws: The error of the first row that the server refuses, if it is sent now; `cancelled`.
    func insert(_ sql: String, _ rows: consuming WireBatch) throws -> Int {
        guard !canceller.isCancelled else { throw StoreError.taskCancelled }
        let count = rows.count
        heldInserts.append(HeldInsert(sql, rows))
        let held = heldInserts.reduce(into: (rows: 0, bytes: 0)) {
            $0.rows += $1.rows.count
            $0.bytes += $1.rows.byteCount
        }
        if !holdsInserts || held.rows >= Self.heldLimit.rows || held.bytes >= Self.heldLimit.bytes {
            try enter()
            defer { leave() }
            try flushPending()
        }
        return count
    }

    /// Commits a transaction in one round trip with the inserts and the notification that it holds.
    ///
    /// Unlike a COMMIT alone it can be cancelled, because an insert may wait for another transaction's lock.
    ///
    /// - Throws: As `commit`.
    func commitWithHeld() throws {
        try enter()
        defer { leave() }
        // The server may have vanished in the meantime, and only a BEGIN alone can be repeated on another connection.
        if pendingBegin != nil, isUntrusted {
            try flushPending()
            return try commit()
        }
        guard isAlive else { throw pendingBegin == nil ? lostBeforeCommit() : lostBeforeUse() }
        let notices = noticeCount
        var isOnItsWay = false
        do {
            try inPipeline { steps in
                try sendPending(&steps, isLast: true)
                // From here on the body must not be run again if the connection is lost.
                pendingBegin = nil
                isOnItsWay = true
                if let notification {
                    try send(notification.text, try Parameters(notification), &steps)
                    steps.append(.notification)
                }
                try sendCommand("COMMIT", &steps)
                steps.append(.commit)
            }
            finish()
        } catch { throw isBroken && isOnItsWay ? StoreError.unknownOutcome(after: error) : error }
        // A server that is cancelled while it waits for a synchronous standby commits, and warns that the standby may
        // not have it.
        if canceller.hasSent, noticeCount > notices {
            throw StoreError.unknownOutcome(after: StoreError.taskCancelled)
        }
    }
}
