internal import CLibPQ
internal import SwitchyardCore

/// How a transaction sees the others, and what it may do.
enum Begin: Sendable {
    /// A write: as if it were alone.
    case serializable
    /// A read: one snapshot, and no write.
    case snapshot

    /// The statement.
    ///
    /// It names what it needs, because a pooler's session may have other defaults.
    var sql: String {
        switch self {
        case .serializable: "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE"
        case .snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        }
    }
}

/// A query of one row and without parameters with which a transaction begins.
struct FirstQuery {
    let sql: String
    let types: [WireType]
    /// Takes the row.
    let body: (UnsafeBufferPointer<Cell>) throws -> Void

    /// Takes the query's result.
    func take(_ result: borrowing QueryResult) throws {
        guard result.rowCount == 1 else { throw StoreMarker.missing() }
        try result.forEachRow(types: types, body)
    }
}

extension Session {
    /// Begins a transaction, with the lock that it is to take before its snapshot, if any.
    ///
    /// Nothing is sent yet: BEGIN travels with the first statement.
    func begin(_ begin: Begin, lock: String? = nil) {
        pendingBegin = begin
        self.lock = lock
        firstQuery = nil
        hasRefusedLock = false
    }

    /// Turns the error of the statement that takes the lock into one after which the transaction is run
    /// again, without a lock, if the server has none, does not grant it to this user, or not in time.
    func lockFailure(_ error: StoreError) -> StoreError {
        let state = (error.underlying as? PostgresError)?.sqlState.prefix(2) ?? ""
        guard !isBroken, ["0A", "42", "55"].contains(state) else { return error }
        hasRefusedLock = true
        return StoreError(.serialization, error.message, underlying: error.underlying)
    }

    /// Commits the transaction.
    ///
    /// - Throws: `outcomeUnknown` if the connection breaks after COMMIT was sent, or the server does not
    ///   answer in time, which is soon once the task has been cancelled; `connectionLost` if it had broken
    ///   before; `cancelled` if the task was cancelled before; `transactionAborted` if an earlier error had
    ///   ended the transaction; what a deferred constraint or a conflict gives.
    func commit() throws {
        guard pendingBegin == nil else {
            pendingBegin = nil
            return
        }
        // No cancel request is sent during the COMMIT: it would leave the outcome to chance.
        guard canceller.enterCommit() else { throw StoreError.taskCancelled }
        defer { canceller.leaveCommit() }
        // A server that has gone already cannot have seen the COMMIT; asking first keeps the outcome known.
        guard isAlive else {
            markBroken()
            throw StoreError(
                .connectionLost,
                "The connection to the PostgreSQL server was lost; the transaction was not carried out. Run it again."
            )
        }
        let command: String
        do {
            command = try simple("COMMIT")
        } catch {
            guard isBroken else { throw error }
            // Beneath is what the server or libpq said; the session's own words are of a transaction that
            // was not carried out.
            throw StoreError(
                .outcomeUnknown,
                "The connection broke while a commit was on its way: it may or may not have happened. Look before you "
                    + "repeat it; with an operation id, the store's wasCommitted tells.",
                underlying: (error as? StoreError)?.underlying)
        }
        guard command == "COMMIT" else {
            throw StoreError(
                .transactionAborted, "An earlier error had ended the transaction; nothing was written.")
        }
    }

    /// Ends a transaction that has only read.
    ///
    /// Nothing depends on it, so the ROLLBACK travels with the next BEGIN; `endOpenRead` sends it where none follows
    /// soon. A pooler is told at once, because others may wait for the server's session.
    ///
    /// - Throws: `cancelled` if the task was cancelled.
    func endRead() throws {
        guard !canceller.isCancelled else { throw StoreError.taskCancelled }
        guard pendingBegin == nil else {
            pendingBegin = nil
            return
        }
        if options.pooling == .session { hasOpenRead = true } else { sendRollback() }
    }

    /// Sends the ROLLBACK of the last read, if it is still to be sent, and leaves the server's answer for the next use
    /// to read.
    func endOpenRead() {
        guard hasOpenRead else { return }
        hasOpenRead = false
        sendRollback()
    }

    /// Sees to it that a statement outside a transaction does not get into the one of the last read.
    func leaveOpenRead() throws {
        guard hasOpenRead, pendingBegin == nil else { return }
        endOpenRead()
        takeOwedAnswer()
        guard isBroken else { return }
        throw lostBeforeUse()
    }

    private func sendRollback() {
        guard !isBroken, pq_sendQuery(handle, "ROLLBACK") == 1 else { return markBroken() }
        owedAnswer = .now
    }

    /// Reads the answer to a ROLLBACK, if one is still to be read.
    ///
    /// The server can give it at once, and no cancellation reaches who waits for it: a connection on which it
    /// does not come for as long as a cancel request may be ignored is broken, like one on which it is no
    /// good.
    func takeOwedAnswer() {
        guard let sent = owedAnswer else { return }
        owedAnswer = nil
        do {
            try waiting(.deadline(sent + options.patience)) {
                while let pointer = try nextResult() {
                    if QueryResult(pointer).isFailure { return markBroken() }
                }
            }
        } catch { markBroken() }
    }

    /// Gives the transaction up.
    ///
    /// A connection that cannot do even that is broken, and the server gives up for it.
    func rollback() {
        guard pendingBegin == nil else {
            pendingBegin = nil
            return
        }
        guard !isBroken, pq_transactionStatus(handle) != PQTRANS_IDLE else { return }
        sendRollback()
        takeOwedAnswer()
    }
}
