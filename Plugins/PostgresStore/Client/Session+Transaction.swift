internal import CLibPQ
internal import SwitchyardCore
internal import SwitchyardSQL

/// The isolation and the access of a transaction.
enum Begin: Sendable {
    /// A serializable write.
    case serializable
    /// A write behind a statement that waits until it has its rows to itself.
    ///
    /// It is as good as serializable, because every other write of these rows waits as well. It must not be serializable
    /// to the server: that would take its snapshot before the wait, and refuse all that was written meanwhile.
    case queued(SQLStatement)
    /// A serializable write that begins with a lock that it cannot do without.
    case exclusive
    /// A read of one snapshot.
    case snapshot

    /// The BEGIN statement.
    ///
    /// It names the isolation, because a pooler's session may have another default. A write does not say `READ WRITE`, which
    /// would override `default_transaction_read_only`: with that, an operator freezes a database or a role.
    var sql: String {
        switch self {
        case .serializable, .exclusive: "BEGIN ISOLATION LEVEL SERIALIZABLE"
        case .queued: "BEGIN ISOLATION LEVEL READ COMMITTED"
        case .snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        }
    }
}

/// A query without parameters that returns one row, sent together with the BEGIN of a transaction.
struct FirstQuery {
    let sql: String
    let types: [WireType]
    /// Returns a statement that fails where `body` might throw.
    ///
    /// It takes the query's place if the COMMIT travels with it.
    let requirement: () -> SQLStatement
    /// Receives the row.
    let body: (UnsafeBufferPointer<Cell>) throws -> Void

    func take(_ result: borrowing QueryResult) throws {
        guard result.rowCount == 1 else { throw StoreMarker.missing() }
        try result.forEachRow(types: types, body)
    }
}

extension Session {
    /// Begins a transaction.
    ///
    /// Nothing is sent yet: the BEGIN travels with the first statement.
    ///
    /// - Parameters:
    ///   - begin: The isolation and the access.
    ///   - lock: A LOCK statement that precedes the transaction's snapshot.
    ///   - isDistributed: Whether the tables are on several machines of a Citus cluster.
    ///   - holdsInserts: Whether inserted rows travel with the next statement. If the server refuses one, `hasFailedLate`
    ///     is true, and the transaction must be run again without this, for the error to come where it belongs.
    func begin(
        _ begin: Begin, lock: String? = nil, isDistributed: Bool = false, holdsInserts: Bool = false
    ) {
        pendingBegin = begin
        self.isDistributed = isDistributed
        self.lock = lock
        mayGoUnlocked = if case .exclusive = begin { false } else { true }
        self.holdsInserts = holdsInserts
        heldInserts = []
        notification = nil
        isQueued = false
        hasFailedLate = false
        firstQuery = nil
        hasRefusedLock = false
    }

    /// Translates an error of the LOCK statement into one after which the transaction is retried without a lock, if the
    /// server does not support it, does not permit it to this user, or does not grant it in time.
    func lockFailure(_ error: StoreError) -> StoreError {
        let state = (error.underlying as? PostgresError)?.sqlState.prefix(2) ?? ""
        guard !isBroken, mayGoUnlocked, ["0A", "42", "55"].contains(state) else { return error }
        hasRefusedLock = true
        return StoreError(.serialization, error.message, underlying: error.underlying)
    }

    /// Commits the transaction.
    ///
    /// - Throws: `outcomeUnknown` if the connection breaks after COMMIT was sent, or the server does not answer in
    ///   time, which is a short time once the task has been cancelled; `connectionLost` if it broke before; `cancelled`
    ///   if the task was cancelled before; `transactionAborted` if an earlier error had aborted the transaction; the
    ///   error of a deferred constraint or a serialization failure.
    func commit() throws {
        guard !hasFailedLate else {
            throw StoreError(.transactionAborted, "An insert was refused; nothing was written.")
        }
        if !heldInserts.isEmpty || notification != nil { return try commitWithHeld() }
        guard pendingBegin == nil else {
            pendingBegin = nil
            return
        }
        // No cancel request is sent during the COMMIT, because it would make the outcome a matter of chance.
        guard canceller.enterCommit() else { throw StoreError.taskCancelled }
        defer { canceller.leaveCommit() }
        // A server that is already gone cannot have received the COMMIT; checking first keeps the outcome known.
        guard isAlive else { throw lostBeforeCommit() }
        let command: String
        do { command = try simple("COMMIT") } catch {
            throw isBroken ? StoreError.unknownOutcome(after: error) : error
        }
        guard command == "COMMIT" else {
            throw StoreError(
                .transactionAborted, "An earlier error had ended the transaction; nothing was written.")
        }
    }

    func lostBeforeCommit() -> StoreError {
        markBroken()
        return StoreError(
            .connectionLost,
            "The connection to the PostgreSQL server was lost; the transaction was not carried out. Run it again."
        )
    }

    /// Ends a transaction that has only read.
    ///
    /// Nothing depends on its ROLLBACK, which travels with the next BEGIN, or is sent by `endOpenRead` if none follows
    /// soon. With a pooler it is sent at once, because others may wait for the server's session.
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

    /// Sends the pending ROLLBACK of the last read, if any, and leaves the server's answer for the next use to read.
    func endOpenRead() {
        guard hasOpenRead else { return }
        hasOpenRead = false
        sendRollback()
    }

    /// Sends the pending ROLLBACK, so that a statement outside a transaction does not run within the last read.
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

    /// Reads the answer to a ROLLBACK if it has not been read yet.
    ///
    /// The server can answer at once, and the wait cannot be cancelled. If the ROLLBACK fails, or its answer takes
    /// longer than a cancel request may, the connection is broken.
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

    /// Rolls back the transaction.
    ///
    /// If that fails, the connection is broken, and the server rolls back on its own.
    func rollback() {
        heldInserts = []
        guard pendingBegin == nil else {
            pendingBegin = nil
            return
        }
        guard !isBroken, pq_transactionStatus(handle) != PQTRANS_IDLE else { return }
        sendRollback()
        takeOwedAnswer()
    }
}

extension StoreError {
    /// The error of a connection that broke after a COMMIT was sent.
    ///
    /// The underlying error is the server's or libpq's: the session's own message is that of a transaction that was not
    /// carried out.
    static func unknownOutcome(after error: any Error) -> StoreError {
        StoreError(
            .outcomeUnknown,
            "The connection broke while a commit was on its way: it may or may not have happened. Look before you "
                + "repeat it; with an operation id, the store's wasCommitted tells.",
            underlying: (error as? StoreError)?.underlying)
    }
}
