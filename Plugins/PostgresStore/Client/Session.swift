internal import CLibPQ
internal import Foundation
internal import Logging
internal import SwitchyardCore

/// One session with the server: libpq's blocking calls, to be used on the connection's own thread.
///
/// Not Sendable: `Connection` is the way to it.
final class Session {
    let handle: OpaquePointer
    let options: SessionOptions
    let canceller: Canceller
    var statements: StatementCache
    /// The transaction that was begun and not yet sent: it travels with its first statement.
    var pendingBegin: Begin?
    /// Whether the session must not be used again.
    private(set) var isBroken = false
    /// Whether the connection was lost before the current transaction had reached the server.
    private(set) var wasLostAtBegin = false
    /// Whether the prepared statements no longer fit the schema.
    var hasStalePlans = false
    /// Whether the answer to a ROLLBACK has still to be read.
    var owesAnswer = false
    /// Whether a script has run that may have changed settings of the session.
    var mayHaveChangedSettings = false
    private let notices: NoticeSink

    /// Takes over a connection.
    init(handle: OpaquePointer, options: SessionOptions, canceller: Canceller, logger: Logger) {
        self.handle = handle
        self.options = options
        self.canceller = canceller
        canceller.attach(to: handle)
        statements = StatementCache(capacity: options.statementCacheCapacity)
        notices = NoticeSink(logger: logger)
        // The session outlives the handle, and with it the sink.
        _ = pq_setNoticeReceiver(
            handle,
            { sink, result in
                guard let sink, let result else { return }
                Unmanaged<NoticeSink>.fromOpaque(sink).takeUnretainedValue().receive(result)
            }, Unmanaged.passUnretained(notices).toOpaque())
    }

    deinit {
        canceller.forgetSocket()
        pq_finish(handle)
    }

    /// How many notices the server has sent.
    var noticeCount: Int { notices.count }

    /// Says that the connection is of no use any more.
    func markBroken() { isBroken = true }

    /// Whether the server has closed an idle connection, as far as can be told without asking it.
    var isAlive: Bool {
        takeOwedAnswer()
        // The server's last words come before the end of the stream, so one look is not enough.
        while !isBroken, pq_status(handle) == CONNECTION_OK {
            guard hasInput(until: .distantPast) else { return true }
            guard pq_consumeInput(handle) == 1 else { return false }
        }
        return false
    }

    /// Waits until the server has sent something; false if it has not until then.
    func hasInput(until deadline: Date) -> Bool {
        var descriptor = pollfd(fd: pq_socket(handle), events: Int16(POLLIN), revents: 0)
        while true {
            let milliseconds = max(0, deadline.timeIntervalSinceNow * 1_000).rounded(.up)
            let ready = poll(&descriptor, 1, Int32(milliseconds))
            if ready >= 0 || errno != EINTR { return ready != 0 }
        }
    }

    /// Waits until the server takes more of what is sent to it, or has sent something itself.
    ///
    /// - Returns: Whether it has sent something.
    func hasInputBeforeOutput() -> Bool {
        var descriptor = pollfd(fd: pq_socket(handle), events: Int16(POLLIN | POLLOUT), revents: 0)
        while poll(&descriptor, 1, -1) < 0, errno == EINTR {}
        return descriptor.revents & Int16(POLLIN) != 0
    }

    /// Gets ready for the next use, ending what the last one left open.
    ///
    /// - Returns: Whether there can be a next use.
    func settle() -> Bool {
        pendingBegin = nil
        guard !isBroken, pq_status(handle) == CONNECTION_OK else { return false }
        // A pooler passes cancel requests on in its own time; such a connection is not worth the risk.
        if options.pooling == .transaction, canceller.hasSent { return false }
        if owesAnswer { return true }
        do {
            switch pq_transactionStatus(handle) {
            case PQTRANS_IDLE: break
            case PQTRANS_INTRANS, PQTRANS_INERROR: rollback()
            default: return false
            }
            if hasStalePlans { try deallocateAll() }
            if mayHaveChangedSettings || reportsForeignSettings {
                mayHaveChangedSettings = false
                try applySettings()
            }
        } catch { return false }
        return !isBroken
    }

    /// The error for the current state of the connection, when libpq refused a call.
    func clientFailure() -> StoreError {
        failure(PostgresError(message: String(cString: pq_errorMessage(handle))))
    }

    /// The error for a failed result.
    func failure(_ result: borrowing QueryResult) -> StoreError {
        failure(PostgresError(result))
    }

    private func failure(_ error: PostgresError) -> StoreError {
        let isLost = pq_status(handle) != CONNECTION_OK || (error.isFatal && !error.sqlState.isEmpty)
        if isLost {
            isBroken = true
            if pendingBegin != nil { wasLostAtBegin = true }
        }
        if error.isStalePlan { hasStalePlans = true }
        if canceller.isCancelled, isLost || error.sqlState == "57014" {
            var cancelled = StoreError.taskCancelled
            cancelled.underlying = error
            return cancelled
        }
        if isLost, error.sqlState != "25P03" {
            return StoreError(
                .connectionLost, "The connection to the PostgreSQL server was lost; nothing was written.",
                detail: error.message, underlying: error)
        }
        let translated = StoreError(error)
        return options.storeSchema.map { translated.named(by: $0) } ?? translated
    }
}

/// Takes the server's notices.
///
/// Their words may hold stored values, so only their kind is logged.
private final class NoticeSink {
    private let logger: Logger
    private(set) var count = 0

    init(logger: Logger) { self.logger = logger }

    func receive(_ result: OpaquePointer) {
        count += 1
        logger.debug(
            "notice of the PostgreSQL server",
            metadata: [
                "sqlstate": "\(ErrorField.sqlState.text(of: result) ?? "")",
                "severity": "\(ErrorField.severity.text(of: result) ?? "")",
            ])
    }
}
