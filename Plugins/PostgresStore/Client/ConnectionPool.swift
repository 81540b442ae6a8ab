internal import Logging
internal import SwitchyardCore
internal import Synchronization

/// A pool of connections, which are opened on demand, up to a limit, and reused.
///
/// Users that find no free connection wait in FIFO order, with a timeout. A broken connection leaves the pool; one that
/// died while idle is replaced without the user noticing.
final class ConnectionPool: Sendable {
    /// The limits of a pool.
    struct Limits: Sendable {
        /// The maximum number of connections.
        var size = 8
        /// How long a user waits for a connection.
        var wait = Duration.seconds(30)
        /// How long a connection may be idle before it is closed.
        var idle = Duration.seconds(60)
    }

    private let parameters: ConnectionParameters
    private let options: SessionOptions
    private let limits: Limits
    private let logger: Logger
    /// Not a Mutex: threads and tasks contend for this lock, and Thread Sanitizer does not understand Mutex.
    private let state = Monitor(PoolState())
    /// Records waits and connections; nil until the store is open.
    private let telemetry = Mutex<StoreTelemetry?>(nil)

    /// Creates a pool.
    ///
    /// It opens its first connection when it is first used.
    init(
        _ parameters: ConnectionParameters, options: SessionOptions = SessionOptions(),
        limits: Limits = Limits(),
        logger: Logger
    ) {
        self.parameters = parameters
        self.options = options
        self.limits = limits
        self.logger = logger
    }

    /// Records waits and connections from now on.
    func tell(_ telemetry: StoreTelemetry) { self.telemetry.withLock { $0 = telemetry } }

    /// Runs `body` with exclusive use of a session, on that session's thread, and rolls back what it leaves open.
    ///
    /// `body` runs again if the connection had died while idle: nothing of the first run has reached the server.
    ///
    /// - Throws: `FinalError` if no connection became free in time; `closed`; `cancelled`; the errors of connecting;
    ///   what `body` throws.
    func run<Value: Sendable>(_ body: @escaping @Sendable (Session) throws -> Value) async throws -> Value {
        var mayRepeat = true
        while true {
            let connection = try await checkOut()
            let outcome = await connection.perform(body)
            if !outcome.isUsable {
                // A connection that has died while idle has not run the body.
                tellDiscarded(connection, outcome.result == nil ? "idle" : "broken")
            }
            await checkIn(connection, isUsable: outcome.isUsable)
            // Each dead connection leaves the pool, so this loop ends.
            guard let result = outcome.result else { continue }
            if case .failure = result, outcome.wasLostAtBegin, mayRepeat {
                mayRepeat = false
                continue
            }
            return try result.get()
        }
    }

    /// Closes the pool: waiters fail with `closed`, transactions in progress may finish.
    ///
    /// Returns when all connections are closed.
    func close() async {
        let (idle, waiters) = state.withLock { $0.close() }
        for waiter in waiters { waiter.resume(throwing: StoreError.storeClosed) }
        for connection in idle { await connection.close() }
        await withCheckedContinuation { continuation in
            if state.withLock({ $0.isDrained(orResume: continuation) }) { continuation.resume() }
        }
    }

    /// The number of connections, open or being opened.
    var count: Int { state.withLock(\.total) }

    var isClosed: Bool { state.withLock(\.isClosed) }

    /// The number of users that wait for a connection.
    var waiting: Int { state.withLock(\.waiting) }

    private func checkOut() async throws -> Connection {
        var start: ContinuousClock.Instant?
        do {
            let connection = try await checkOut { start = .now }
            if let start { waited(since: start) }
            tellUsage()
            return connection
        } catch {
            if let start { waited(since: start, error: error.asThrown) }
            throw error
        }
    }

    private func checkOut(onWait: () -> Void) async throws -> Connection {
        let ticket = state.withLock { $0.newTicket() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = PoolWaiter(ticket: ticket, continuation: continuation)
                switch state.withLock({ $0.request(waiter, limit: limits.size) }) {
                case .closed: continuation.resume(throwing: StoreError.storeClosed)
                case .connection(let connection): continuation.resume(returning: connection)
                case .wait(let mustOpen):
                    onWait()
                    if mustOpen { open() }
                    expire(ticket)
                    // The cancellation handler below may have run before the waiter was added.
                    if Task.isCancelled { abandon(ticket, Self.cancelled) }
                }
            }
        } onCancel: {
            abandon(ticket, Self.cancelled)
        }
    }

    private static var cancelled: StoreError {
        StoreError(.cancelled, "The task was cancelled while it waited for a connection.")
    }

    private func abandon(_ ticket: UInt64, _ error: any Error) {
        state.withLock { $0.remove(ticket) }?.resume(throwing: error)
    }

    /// Ends a wait after the timeout, unless it is served earlier.
    private func expire(_ ticket: UInt64) {
        let task = Task { [weak self, limits] in
            guard (try? await Task.sleep(for: limits.wait)) != nil, let self else { return }
            abandon(ticket, FinalError(limits, state.withLock(\.occupancy)))
        }
        // The waiter may have been served in the meantime.
        if !state.withLock({ $0.setAlarm(task, for: ticket) }) { task.cancel() }
    }

    /// Whether a connection keeps one session of the server.
    var keepsSessions: Bool { options.pooling == .session }

    /// Opens a connection that is not lent to others, and does not count for the limit.
    ///
    /// The pool's `close` waits until it has been given to `closeApart`.
    ///
    /// - Throws: `closed`; as `Session.connect`.
    func openApart() async throws -> Connection {
        guard state.withLock({ $0.addApart() }) else { throw StoreError.storeClosed }
        do { return try await connect() } catch {
            state.withLock { $0.removeApart() }
            resumeDrained()
            throw error
        }
    }

    /// Closes a connection of `openApart`.
    func closeApart(_ connection: Connection) async {
        await connection.close()
        state.withLock { $0.removeApart() }
        resumeDrained()
    }

    private func connect() async throws -> Connection {
        let start = ContinuousClock.now
        let connection = try await Connection.open(parameters, options: options, logger: logger)
        telemetry.withLock(\.self)?.note("connection opened", since: start)
        return connection
    }

    private func open() {
        Task {
            let start = ContinuousClock.now
            do {
                let connection = try await connect()
                await checkIn(connection, isUsable: true, isNew: true)
            } catch {
                telemetry.withLock(\.self)?.note("connection not opened", since: start, error: error)
                let isCrowded = ((error as? StoreError)?.underlying as? PostgresError)?.sqlState == "53300"
                let (waiter, mustOpen) = state.withLock {
                    $0.openingFailed(limit: limits.size, isCrowded: isCrowded)
                }
                if mustOpen { open() }
                waiter?.resume(throwing: error)
                resumeDrained()
            }
        }
    }

    private func checkIn(_ connection: Connection, isUsable: Bool, isNew: Bool = false) async {
        defer { tellUsage() }
        if isUsable {
            switch state.withLock({ $0.takeBack(connection, isNew: isNew) }) {
            case .pass(let waiter):
                waiter.resume(returning: connection)
                return
            case .keep(let mustReap, let mustEndReads):
                if mustReap { reapIdle() }
                if mustEndReads { endReads() }
                return
            case .discard: break
            }
        }
        // The connection is closed first, so that the server never sees more connections than the limit.
        await connection.close()
        if state.withLock({ $0.remove(connection, limit: limits.size) }) { open() }
        resumeDrained()
    }

    private func resumeDrained() {
        for continuation in state.withLock({ $0.drained() }) { continuation.resume() }
    }

    /// How long the ROLLBACK of a read waits for the next transaction, to travel with its BEGIN: longer than the pause
    /// between two transactions of a busy connection, but short for a snapshot that the server keeps.
    private static let readDelay = Duration.milliseconds(10)

    /// Sends the ROLLBACKs of connections that are not reused soon, until none is left.
    private func endReads() {
        Task { [weak self] in
            repeat { try? await Task.sleep(for: Self.readDelay) } while await self?.endIdleReads() == true
        }
    }

    /// Sends the ROLLBACKs of connections that have been idle for a while; returns false if none is left to watch.
    private func endIdleReads() async -> Bool {
        let (connections, isDone) = state.withLock { $0.settleIdle(longerThan: Self.readDelay) }
        for connection in connections { await connection.endOpenRead() }
        return !isDone
    }

    /// Closes connections that stay idle, until none is left.
    private func reapIdle() {
        Task { [weak self, limits] in
            while await self?.closeIdle(after: limits.idle) == true {
                try? await Task.sleep(for: limits.idle)
            }
        }
    }

    /// Closes the connections that have been idle for too long; returns false if none is left to watch.
    private func closeIdle(after limit: Duration) async -> Bool {
        let (expired, isDone) = state.withLock { $0.takeIdle(longerThan: limit) }
        for connection in expired {
            tellDiscarded(connection, "unused")
            await checkIn(connection, isUsable: false)
        }
        return !isDone
    }

    private func waited(since start: ContinuousClock.Instant, error: (any Error)? = nil) {
        telemetry.withLock(\.self)?.waited(for: .connection, since: start, error: error)
    }

    private func tellUsage() { telemetry.withLock(\.self)?.poolChanged(state.withLock(\.usage)) }

    private func tellDiscarded(_ connection: Connection, _ reason: String) {
        telemetry.withLock(\.self)?.note(
            "connection discarded", since: connection.start, ["switchyard.connection.reason": "\(reason)"])
    }
}
