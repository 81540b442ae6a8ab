internal import CLibPQ
internal import Foundation
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

extension Session {
    /// Begins a transaction.
    ///
    /// Nothing is sent yet: BEGIN travels with the first statement.
    func begin(_ begin: Begin) {
        pendingBegin = begin
    }

    /// Commits the transaction.
    ///
    /// - Throws: `outcomeUnknown` if the connection breaks after COMMIT was sent; `connectionLost` if it had
    ///   broken before; `cancelled` if the task was cancelled before; `transactionAborted` if an earlier
    ///   error had ended the transaction; what a deferred constraint or a conflict gives.
    func commit() throws {
        guard pendingBegin == nil else {
            pendingBegin = nil
            return
        }
        guard !canceller.isCancelled else {
            throw StoreError.taskCancelled
        }
        // A server that has gone already cannot have seen the COMMIT; asking first keeps the outcome known.
        guard isAlive else {
            markBroken()
            throw StoreError(
                .connectionLost, "The connection to the PostgreSQL server was lost; nothing was written.")
        }
        // No cancel request is sent during the COMMIT: it would leave the outcome to chance.
        let command: String
        do {
            command = try simple("COMMIT")
        } catch {
            guard isBroken else { throw error }
            throw StoreError(
                .outcomeUnknown,
                "The connection broke while a commit was on its way: it may or may not have happened.",
                underlying: error)
        }
        guard command == "COMMIT" else {
            throw StoreError(
                .transactionAborted, "An earlier error had ended the transaction; nothing was written.")
        }
    }

    /// Ends a transaction that has only read, and leaves the server's answer for the next use to read:
    /// nothing depends on it, and it would cost a round trip.
    ///
    /// - Throws: `cancelled` if the task was cancelled.
    func endRead() throws {
        guard !canceller.isCancelled else { throw StoreError.taskCancelled }
        guard pendingBegin == nil else {
            pendingBegin = nil
            return
        }
        sendRollback()
    }

    private func sendRollback() {
        guard !isBroken, pq_sendQuery(handle, "ROLLBACK") == 1 else { return markBroken() }
        owesAnswer = true
    }

    /// Reads the answer to a ROLLBACK, if one is still to be read.
    ///
    /// The server can give it at once, and no cancellation reaches who waits for it: a connection on which it
    /// does not come for as long as a cancel request may be ignored is broken, like one on which it is no
    /// good.
    func takeOwedAnswer() {
        guard owesAnswer else { return }
        owesAnswer = false
        let deadline = Date(timeIntervalSinceNow: Canceller.patience)
        while true {
            while pq_isBusy(handle) != 0 {
                guard hasInput(until: deadline), pq_consumeInput(handle) == 1 else { return markBroken() }
            }
            guard let pointer = pq_getResult(handle) else { return }
            if QueryResult(pointer).isFailure { return markBroken() }
        }
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
