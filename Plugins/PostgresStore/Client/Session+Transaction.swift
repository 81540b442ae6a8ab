internal import CLibPQ
internal import SwitchyardCore
internal import SwitchyardSQL

/// The transitions between the states of a session.
extension Session {
    /// Begins a transaction.
    ///
    /// Nothing is sent yet: the BEGIN travels with the first statement.
    ///
    /// - Parameters:
    ///   - begin: The isolation and the access.
    ///   - identity: On whose behalf it reads and writes; nil for nobody's.
    ///   - lock: A LOCK statement that precedes the transaction's snapshot.
    ///   - isDistributed: Whether the tables are on several machines of a Citus cluster.
    ///   - holdsInserts: Whether inserted rows travel with the next statement. If the server refuses one, the transaction's
    ///     `refusal` says so, and it must be run again without this, for the error to come where it belongs.
    /// - Throws: `invalidArgument` if another transaction is under way; `connectionLost`.
    func begin(
        _ begin: Begin, of identity: ScopeIdentity? = nil, lock: String? = nil, isDistributed: Bool = false,
        holdsInserts: Bool = false
    ) throws {
        takeOwedAnswer()
        let transaction = Transaction(
            begin, identity: identity, lock: lock, isDistributed: isDistributed, holdsInserts: holdsInserts)
        switch state {
        case .idle: state = .pending(transaction, endsRead: false)
        case .readEnded: state = .pending(transaction, endsRead: true)
        case .pending, .open:
            throw StoreError(
                .invalidArgument,
                "Another transaction is under way on this connection; end it first. Nothing was sent.")
        case .rollingBack, .broken: throw clientFailure()
        }
    }

    /// Commits the transaction.
    ///
    /// - Parameter notification: A statement that tells others of the transaction; it travels with the COMMIT.
    /// - Throws: `outcomeUnknown` if the connection breaks after COMMIT was sent, or the server does not answer in
    ///   time, which is a short time once the task has been cancelled; `connectionLost` if it broke before; `cancelled`
    ///   if the task was cancelled before; `transactionAborted` if an earlier error had aborted the transaction; the
    ///   error of a deferred constraint or a serialization failure; `invalidArgument` if there is no transaction.
    func commit(with notification: SQLStatement? = nil) throws {
        guard let transaction else { throw noTransaction() }
        guard transaction.refusal != .insert else {
            throw StoreError(.transactionAborted, "An insert was refused; nothing was written.")
        }
        guard !transaction.heldInserts.isEmpty || notification != nil else {
            return endPending() ? () : try commitAlone()
        }
        // The server may have vanished in the meantime, and only a BEGIN alone can be repeated on another connection.
        if isPending, isUntrusted {
            try sendHeld()
            return try commit(with: notification)
        }
        try commitTogether(transaction, with: notification)
    }

    private func commitAlone() throws {
        guard canceller.enter(.commit) else { throw StoreError.taskCancelled }
        defer { leave() }
        // A server that is already gone cannot have received the COMMIT; checking first keeps the outcome known.
        guard isAlive else { throw lostBeforeCommit() }
        let command: String
        do { command = try simple("COMMIT") } catch {
            guard !isBroken else { throw StoreError.unknownOutcome(after: error) }
            state = .idle
            throw error
        }
        state = .idle
        guard command == "COMMIT" else {
            throw StoreError(
                .transactionAborted, "An earlier error had ended the transaction; nothing was written.")
        }
    }

    /// Commits a transaction in one round trip with the inserts that it holds and a notification.
    ///
    /// Unlike a COMMIT alone it can be cancelled, because an insert may wait for another transaction's lock.
    private func commitTogether(_ transaction: Transaction, with notification: SQLStatement?) throws {
        try enter()
        defer { leave() }
        guard isAlive else { throw isPending ? lostBeforeUse() : lostBeforeCommit() }
        let notices = noticeCount
        var isOnItsWay = false
        do {
            try inPipeline { steps in
                try sendPending(&steps, isLast: true)
                // From here on the body must not be run again if the connection is lost.
                state = .open(transaction)
                isOnItsWay = true
                if let notification {
                    try send(notification.text, try Parameters(notification), &steps)
                    steps.append(.other)
                }
                try sendCommand("COMMIT", &steps)
                steps.append(.other)
            }
            finish()
        } catch { throw isBroken && isOnItsWay ? StoreError.unknownOutcome(after: error) : error }
        if !isBroken { state = .idle }
        // A server that is cancelled while it waits for a synchronous standby commits, and warns that the standby may
        // not have it.
        if canceller.hasSent, noticeCount > notices {
            throw StoreError.unknownOutcome(after: StoreError.taskCancelled)
        }
    }

    /// Inserts rows by a statement for one row, all in one round trip with the next statement, or at once if the
    /// transaction does not hold its inserts.
    ///
    /// - Returns: The number of rows.
    /// - Throws: The error of the first row that the server refuses, if it is sent now; `cancelled`; `invalidArgument` if
    ///   there is no transaction.
    func insert(_ sql: String, _ rows: consuming WireBatch) throws -> Int {
        guard !canceller.isCancelled else { throw StoreError.taskCancelled }
        guard let transaction else { throw noTransaction() }
        let count = rows.count
        transaction.heldInserts.append(HeldInsert(sql, rows))
        let held = transaction.heldInserts.reduce(into: (rows: 0, bytes: 0)) {
            $0.rows += $1.rows.count
            $0.bytes += $1.rows.byteCount
        }
        let limit = HeldInsert.limit
        if !transaction.holdsInserts || held.rows >= limit.rows || held.bytes >= limit.bytes {
            try sendHeld()
        }
        return count
    }

    private func sendHeld() throws {
        try enter()
        defer { leave() }
        try flushPending()
    }

    /// Ends a transaction that has only read.
    ///
    /// With a pooler the ROLLBACK is sent at once, because others may wait for the server's session.
    ///
    /// - Throws: `cancelled` if the task was cancelled; `invalidArgument` if there is no transaction; `connectionLost`.
    func endRead() throws {
        guard !canceller.isCancelled else { throw StoreError.taskCancelled }
        if endPending() { return }
        guard case .open = state else { throw noTransaction() }
        if options.pooling == .session { state = .readEnded } else { sendRollback() }
    }

    /// Sends the ROLLBACK of the last read if no transaction has followed it, and leaves the answer for the next use to read.
    func endOpenRead() {
        if case .readEnded = state { sendRollback() }
    }

    /// Rolls back the transaction.
    ///
    /// If that fails, the connection is broken, and the server rolls back on its own.
    func rollback() {
        if endPending() { return }
        takeOwedAnswer()
        guard !isBroken else { return }
        // A COMMIT that was refused has ended the transaction.
        guard pq_transactionStatus(handle) != PQTRANS_IDLE else { return state = .idle }
        sendRollback()
        takeOwedAnswer()
    }

    /// Ends a transaction that has sent nothing yet; returns false if no such transaction is open.
    func endPending() -> Bool {
        guard case .pending(_, let endsRead) = state else { return false }
        state = endsRead ? .readEnded : .idle
        return true
    }

    private func sendRollback() {
        guard !isBroken, pq_sendQuery(handle, "ROLLBACK") == 1 else { return markBroken() }
        state = .rollingBack(since: .now)
    }

    /// Reads the answer to a ROLLBACK if it has not been read yet.
    ///
    /// The server can answer at once, and the wait cannot be cancelled. If the ROLLBACK fails, or its answer takes
    /// longer than a cancel request may, the connection is broken.
    func takeOwedAnswer() {
        guard case .rollingBack(let sent) = state else { return }
        do {
            try waiting(.deadline(sent + options.patience)) {
                while let pointer = try nextResult() {
                    if QueryResult(pointer).isFailure { return markBroken() }
                }
            }
        } catch { markBroken() }
        if !isBroken { state = .idle }
    }

    /// Marks the start of a statement that may be cancelled.
    ///
    /// - Throws: `cancelled`; `connectionLost`; `invalidArgument` while another statement is under way.
    func enter() throws {
        switch state {
        case .idle, .pending, .open: break
        case .readEnded, .rollingBack:
            // A statement outside a transaction must not run within the last read.
            endOpenRead()
            takeOwedAnswer()
            guard !isBroken else { throw lostBeforeUse() }
        case .broken: throw clientFailure()
        }
        guard pq_transactionStatus(handle) != PQTRANS_ACTIVE else {
            throw StoreError(
                .invalidArgument,
                "Another statement is under way on this connection; read its rows to the end first. Nothing was sent."
            )
        }
        guard canceller.enter() else { throw StoreError.taskCancelled }
    }

    /// Ends what `enter` began.
    func leave() {
        if !canceller.leave(atMost: isBroken ? .zero : options.patience) { markBroken() }
    }

    /// The error of a step that only a transaction has.
    func noTransaction() -> StoreError {
        isBroken
            ? clientFailure()
            : StoreError(
                .invalidArgument, "No transaction is under way on this connection. Nothing was sent.")
    }

    private func lostBeforeCommit() -> StoreError {
        markBroken()
        return StoreError(
            .connectionLost,
            "The connection to the PostgreSQL server was lost; the transaction was not carried out. Run it again."
        )
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
