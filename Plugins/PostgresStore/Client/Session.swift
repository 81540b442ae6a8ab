internal import CLibPQ
internal import Logging
internal import SwitchyardCore
internal import SwitchyardSQL

/// A session with the server.
///
/// Use it on the connection's own thread only, which blocks for each answer. It is not Sendable; `Connection` gives
/// access to it.
final class Session {
    let handle: OpaquePointer
    let options: SessionOptions
    let canceller: Canceller
    var statements: StatementCache
    /// The numbers of rows that queries without parameters returned last.
    var rowCounts = LRUCache<String, Int>(capacity: 128)
    /// Whether row-level security applies to the session in tables, by their quoted names, as far as that was asked.
    var fences: [String: Bool] = [:]
    var state = SessionState.idle
    var upkeep: Upkeep = []
    /// When the session was given back last.
    private(set) var lastUse = ContinuousClock.now
    /// How long the session waits for the server.
    var waitLimit: WaitLimit
    /// The longest wait for an event of the socket, after which the session looks whether to give up.
    let longestStep: Duration
    /// Whether received bytes may be buffered by TLS or GSSAPI.
    let isEncrypted: Bool
    private let notices: NoticeSink

    /// Takes ownership of a connection.
    init(handle: OpaquePointer, options: SessionOptions, canceller: Canceller, logger: Logger) {
        self.handle = handle
        self.options = options
        self.canceller = canceller
        waitLimit = .silence(options.statementTimeout + options.patience)
        longestStep = options.patience / 5
        isEncrypted = pq_sslInUse(handle) != 0 || pq_gssEncInUse(handle) != 0
        _ = pq_setnonblocking(handle, 1)
        canceller.attach(to: handle)
        statements = StatementCache(capacity: options.statementCacheCapacity)
        notices = NoticeSink(logger: logger)
        // The session, and with it the sink, outlives the handle.
        _ = pq_setNoticeReceiver(
            handle,
            { sink, result in
                guard let sink, let result else { return }
                Unmanaged<NoticeSink>.fromOpaque(sink).takeUnretainedValue().receive(result)
            }, Unmanaged.passUnretained(notices).toOpaque())
    }

    deinit { pq_finish(handle) }

    /// The number of notices that the server has sent.
    var noticeCount: Int { notices.count }

    /// The transaction under way.
    var transaction: Transaction? {
        switch state {
        case .pending(let transaction, _), .open(let transaction): transaction
        case .idle, .readEnded, .rollingBack, .broken: nil
        }
    }

    /// Whether a transaction has begun that the server does not know.
    var isPending: Bool { if case .pending = state { true } else { false } }

    /// Whether the session must not be used again.
    var isBroken: Bool { if case .broken = state { true } else { false } }

    /// Whether the connection was lost before the server knew of the transaction.
    var wasLostAtBegin: Bool { if case .broken(atBegin: true) = state { true } else { false } }

    /// Whether the session takes no writes by its default.
    var isFrozen: Bool { upkeep.contains(.replacement) }

    /// Gives the session up.
    func markBroken() {
        if !isBroken { state = .broken(atBegin: isPending) }
    }

    /// Whether the connection is usable, as far as that is known without asking the server.
    var isAlive: Bool {
        takeOwedAnswer()
        // The server's last message precedes the end of the stream, so reading once is not enough.
        while !isBroken, pq_status(handle) == CONNECTION_OK {
            guard hasInput else { return true }
            guard pq_consumeInput(handle) == 1 else { return false }
        }
        return false
    }

    /// Prepares for the next use, and rolls back what the last one left open.
    ///
    /// - Returns: Whether the session can be used again.
    func settle() -> Bool {
        lastUse = .now
        guard !isFrozen, pq_status(handle) == CONNECTION_OK else { return false }
        // A pooler may forward a cancel request late, when it would hit the next statement.
        if options.pooling == .transaction, canceller.hasSent { return false }
        _ = endPending()
        switch state {
        case .readEnded, .rollingBack: return true
        case .idle, .pending, .open, .broken: rollback()
        }
        guard !isBroken else { return false }
        do {
            try waitingBriefly {
                if upkeep.contains(.statements) { try deallocateAll() }
                if upkeep.contains(.settings) || reportsForeignSettings {
                    upkeep.remove(.settings)
                    try applySettings()
                }
            }
        } catch { return false }
        return !isBroken
    }

    /// The error of a call that libpq refused, or that is not made any more on a broken connection.
    ///
    /// libpq does not count a connection as lost whose server is silent, and complains of the statement in progress instead.
    func clientFailure() -> StoreError {
        let error = PostgresError(message: String(cString: pq_errorMessage(handle)))
        return isBroken ? lost(error) : failure(error)
    }

    /// The error of a failed result.
    func failure(_ result: borrowing QueryResult) -> StoreError {
        failure(PostgresError(result))
    }

    private func failure(_ error: PostgresError) -> StoreError {
        if error.isStalePlan { upkeep.insert(.statements) }
        if pq_status(handle) != CONNECTION_OK || (error.isFatal && !error.sqlState.isEmpty) {
            return lost(error)
        }
        if canceller.isCancelled, error.sqlState == "57014" { return .taskCancelled(by: error) }
        return translated(error)
    }

    /// The error of a connection that was lost before a statement could be sent.
    func lostBeforeUse() -> StoreError {
        state = .broken(atBegin: true)
        return lost(PostgresError(message: String(cString: pq_errorMessage(handle))))
    }

    /// Marks the connection as broken.
    ///
    /// - Returns: The error with the reason.
    func lost(
        _ error: PostgresError, _ reason: String = "The connection to the PostgreSQL server was lost"
    ) -> StoreError {
        markBroken()
        if canceller.isCancelled { return .taskCancelled(by: error) }
        if error.sqlState == "25P03" { return translated(error) }
        return StoreError(
            .connectionLost, "\(reason); the transaction was not carried out. Run it again.",
            detail: error.message, underlying: error)
    }

    private func translated(_ error: PostgresError) -> StoreError {
        var translated = StoreError(error)
        // The server tells each session whether it is a standby.
        let isPrimary = pq_parameterStatus(handle, "in_hot_standby").map { String(cString: $0) } == "off"
        if isPrimary, error.meansReadOnlyTransaction {
            upkeep.insert(.replacement)
            translated = .frozen(by: error)
        }
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

/// Receives the server's notices.
///
/// Their messages may contain stored values, so only their kind is logged.
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
