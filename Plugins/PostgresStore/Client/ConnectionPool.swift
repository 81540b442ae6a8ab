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
    /// `body` runs again if the connection had died while idle: nothing of the first run has reached the server. So it does if
    /// the session was opened while the server took no writes: a new one tells whether it still takes none.
    ///
    /// - Throws: `FinalError` if no connection became free in time; `closed`; `cancelled`; the errors of connecting;
    ///   what `body` throws.
    func run<Value: Sendable>(_ body: @escaping @Sendable (Session) throws -> Value) async throws -> Value {
        var mayRepeat = true
        while true {
            let request = PoolRequest(self)
            let outcome = try await withTaskCancellationHandler {
                try await request.run(body)
            } onCancel: {
                request.cancel()
            }
            // Each dead or frozen connection leaves the pool, so this loop ends.
            guard let result = outcome.result else { continue }
            if case .failure = result, outcome.wasFrozen { continue }
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
        for waiter in waiters { refuse(waiter, StoreError.storeClosed) }
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

    /// Gives a request a connection, at once or when one is free.
    func serve(_ request: PoolRequest) {
        defer { tellUsage() }
        switch state.withLock({ $0.add(request, limit: limits.size) }) {
        case .closed: request.refuse(StoreError.storeClosed)
        case .connection(let connection): request.start(on: connection)
        case .wait(let mustOpen, let mustWatch):
            if mustOpen { open() }
            if mustWatch { watch() }
            // It may have been cancelled before it was added.
            if request.isCancelled { abandon(request) }
        }
    }

    /// Takes a cancelled request out of the queue.
    func abandon(_ request: PoolRequest) {
        guard let waiter = state.withLock({ $0.remove(request) }) else { return }
        refuse(waiter, StoreError(.cancelled, "The task was cancelled while it waited for a connection."))
    }

    private func refuse(_ waiter: PoolState.Waiter, _ error: any Error) {
        waited(since: waiter.since, error: error.asThrown)
        waiter.request.refuse(error)
    }

    /// Refuses requests that wait for too long, until nobody waits.
    private func watch() {
        Task { [weak self] in
            while let next = self?.refuseExpired() { try? await Task.sleep(until: next, clock: .continuous) }
        }
    }

    /// Refuses requests that have waited for too long; returns when the next one will have.
    private func refuseExpired() -> ContinuousClock.Instant? {
        let (expired, next) = state.withLock { $0.takeExpired(after: limits.wait) }
        for waiter in expired { refuse(waiter, FinalError(limits, state.withLock(\.occupancy))) }
        return next
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
                await takeBack(try await connect(), isNew: true)
            } catch {
                telemetry.withLock(\.self)?.note("connection not opened", since: start, error: error)
                let isCrowded = ((error as? StoreError)?.underlying as? PostgresError)?.sqlState == "53300"
                let (waiter, mustOpen) = state.withLock {
                    $0.openingFailed(limit: limits.size, isCrowded: isCrowded)
                }
                if mustOpen { open() }
                if let waiter { refuse(waiter, error) }
                resumeDrained()
            }
        }
    }

    /// Takes back a connection that is no longer used, or has been opened, and lends it to the next user.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - isNew: Whether it has just been opened.
    ///   - reason: Why it cannot be used again; nil if it can.
    func takeBack(_ connection: isolated Connection, isNew: Bool = false, discardedAs reason: String? = nil) {
        defer { tellUsage() }
        if let reason {
            tellDiscarded(connection, reason)
        } else {
            switch state.withLock({ $0.takeBack(connection, isNew: isNew) }) {
            case .pass(let waiter):
                waited(since: waiter.since)
                waiter.request.start(on: connection)
                return
            case .keep(let mustReap, let mustEndReads):
                if mustReap { reapIdle() }
                if mustEndReads { endReads() }
                return
            case .discard: break
            }
        }
        // The connection is closed first, so that the server never sees more connections than the limit.
        connection.close()
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
        for connection in expired { await takeBack(connection, discardedAs: "unused") }
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
