internal import CLibPQ
internal import Logging
internal import SwitchyardCore
internal import SwitchyardSQL

/// One session with the server, to be used on the connection's own thread, which waits for each answer.
///
/// Not Sendable: `Connection` is the way to it.
final class Session {
    let handle: OpaquePointer
    let options: SessionOptions
    let canceller: Canceller
    var statements: StatementCache
    /// How many rows queries without parameters gave the last time.
    var rowCounts = LRUCache<String, Int>(capacity: 128)
    /// The transaction that was begun and not yet sent: it travels with its first statement.
    var pendingBegin: Begin?
    /// The statement that locks tables for that transaction.
    var lock: String?
    /// The query that travels with that transaction's BEGIN.
    var firstQuery: FirstQuery?
    /// Whether the server has refused to lock them.
    var hasRefusedLock = false
    /// Whether the session must not be used again.
    private(set) var isBroken = false
    /// Whether the connection was lost before the current transaction had reached the server.
    private(set) var wasLostAtBegin = false
    /// Whether the prepared statements no longer fit the schema.
    var hasStalePlans = false
    /// When a ROLLBACK was sent whose answer has still to be read.
    var owedAnswer: ContinuousClock.Instant?
    /// Whether a read has ended whose ROLLBACK has not been sent: it travels with the next BEGIN.
    var hasOpenRead = false
    /// Whether a script has run that may have changed settings of the session.
    var mayHaveChangedSettings = false
    /// When the session was last used.
    var lastUse = ContinuousClock.now
    /// How long the server may keep the session waiting.
    var waitLimit: WaitLimit
    /// Whether what the server sends may wait inside TLS or GSSAPI.
    let isEncrypted: Bool
    private let notices: NoticeSink

    /// Takes over a connection.
    init(handle: OpaquePointer, options: SessionOptions, canceller: Canceller, logger: Logger) {
        self.handle = handle
        self.options = options
        self.canceller = canceller
        waitLimit = .silence(options.statementTimeout + options.patience)
        isEncrypted = pq_sslInUse(handle) != 0 || pq_gssEncInUse(handle) != 0
        _ = pq_setnonblocking(handle, 1)
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

    deinit { pq_finish(handle) }

    /// How many notices the server has sent.
    var noticeCount: Int { notices.count }

    /// Says that the connection is of no use any more.
    func markBroken() { isBroken = true }

    /// Whether the server has closed an idle connection, as far as can be told without asking it.
    var isAlive: Bool {
        takeOwedAnswer()
        // The server's last words come before the end of the stream, so one look is not enough.
        while !isBroken, pq_status(handle) == CONNECTION_OK {
            guard hasInput else { return true }
            guard pq_consumeInput(handle) == 1 else { return false }
        }
        return false
    }

    /// Gets ready for the next use, ending what the last one left open.
    ///
    /// - Returns: Whether there can be a next use.
    func settle() -> Bool {
        pendingBegin = nil
        lastUse = .now
        guard !isBroken, pq_status(handle) == CONNECTION_OK else { return false }
        // A pooler passes cancel requests on in its own time; such a connection is not worth the risk.
        if options.pooling == .transaction, canceller.hasSent { return false }
        if owedAnswer != nil || hasOpenRead { return true }
        do {
            switch pq_transactionStatus(handle) {
            case PQTRANS_IDLE: break
            case PQTRANS_INTRANS, PQTRANS_INERROR: rollback()
            default: return false
            }
            try waitingBriefly {
                if hasStalePlans { try deallocateAll() }
                if mayHaveChangedSettings || reportsForeignSettings {
                    mayHaveChangedSettings = false
                    try applySettings()
                }
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
        if error.isStalePlan { hasStalePlans = true }
        if pq_status(handle) != CONNECTION_OK || (error.isFatal && !error.sqlState.isEmpty) {
            return lost(error)
        }
        if canceller.isCancelled, error.sqlState == "57014" { return .taskCancelled(by: error) }
        return translated(error)
    }

    /// The error of a connection that turned out to be lost before a statement could be sent.
    func lostBeforeUse() -> StoreError {
        wasLostAtBegin = true
        return lost(PostgresError(message: String(cString: pq_errorMessage(handle))))
    }

    /// Gives the connection up.
    ///
    /// - Returns: The error that says why.
    func lost(
        _ error: PostgresError, _ reason: String = "The connection to the PostgreSQL server was lost"
    ) -> StoreError {
        isBroken = true
        if pendingBegin != nil { wasLostAtBegin = true }
        if canceller.isCancelled { return .taskCancelled(by: error) }
        if error.sqlState == "25P03" { return translated(error) }
        return StoreError(
            .connectionLost, "\(reason); the transaction was not carried out. Run it again.",
            detail: error.message, underlying: error)
    }

    private func translated(_ error: PostgresError) -> StoreError {
        let translated = StoreError(error)
        return options.storeSchema.map { translated.named(by: $0) } ?? translated
    }
}

extension StoreError {
    fileprivate static func taskCancelled(by error: PostgresError) -> StoreError {
        var cancelled = taskCancelled
        cancelled.underlying = error
        return cancelled
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
