internal import Logging
internal import SwitchyardCore
internal import Synchronization

/// Connections that are opened as they are needed, up to a limit, and used again.
///
/// Who finds none waits in a queue, first come, first served, and for a bounded time. A connection that
/// breaks leaves the pool; one that has died while idle is replaced without the user noticing.
final class ConnectionPool: Sendable {
    /// Bounds of a pool.
    struct Limits: Sendable {
        /// The most connections at a time.
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
    /// Threads and tasks contend for it, which Thread Sanitizer takes for races under a `Mutex`.
    private let state = Monitor(PoolState())
    /// Learns of waits and connections; nil until the store is open.
    private let telemetry = Mutex<StoreTelemetry?>(nil)

    /// Makes a pool.
    ///
    /// It connects when it is first used.
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

    /// Tells of waits and connections from now on.
    func tell(_ telemetry: StoreTelemetry) { self.telemetry.withLock { $0 = telemetry } }

    /// Runs `body` with a session of its own, on that session's thread; what it leaves open is rolled back.
    ///
    /// It runs a second time if the connection had died while idle, so that nothing of the first run has
    /// reached the server.
    ///
    /// - Throws: `FinalError` if no connection came free in time; `closed`; `cancelled`; the errors of
    ///   connecting; what `body` throws.
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
            // Each connection found dead has left the pool, so this ends.
            guard let result = outcome.result else { continue }
            if case .failure = result, outcome.wasLostAtBegin, mayRepeat {
                mayRepeat = false
                continue
            }
            return try result.get()
        }
    }

    /// Closes the pool: who waits gets `closed`, who has a connection may finish.
    ///
    /// Returns when all are closed.
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

    /// Whether the pool has been closed.
    var isClosed: Bool { state.withLock(\.isClosed) }

    /// The number of users who wait for one.
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
                    // The handler below may have run before there was a waiter to find.
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

    /// Ends a wait when its time is over; who is served earlier does not wait for this.
    private func expire(_ ticket: UInt64) {
        let task = Task { [weak self, limits] in
            guard (try? await Task.sleep(for: limits.wait)) != nil, let self else { return }
            abandon(ticket, FinalError(limits, state.withLock(\.occupancy)))
        }
        // A waiter served in the meantime needs no alarm.
        if !state.withLock({ $0.setAlarm(task, for: ticket) }) { task.cancel() }
    }

    private func open() {
        Task {
            let start = ContinuousClock.now
            do {
                let connection = try await Connection.open(parameters, options: options, logger: logger)
                telemetry.withLock(\.self)?.note("connection opened", since: start)
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
        // Closed first, so that the server never sees more connections than the limit.
        await connection.close()
        if state.withLock({ $0.remove(connection, limit: limits.size) }) { open() }
        resumeDrained()
    }

    private func resumeDrained() {
        for continuation in state.withLock({ $0.drained() }) { continuation.resume() }
    }

    /// How long the end of a read may wait for another transaction with which it travels: long beside the pause
    /// between two transactions of a busy connection, short for a snapshot that the server keeps.
    private static let readDelay = Duration.milliseconds(10)

    /// Ends the reads of connections that are not used again at once, until all have ended.
    private func endReads() {
        Task { [weak self] in
            repeat { try? await Task.sleep(for: Self.readDelay) } while await self?.endIdleReads() == true
        }
    }

    /// Ends the reads of connections that have been idle for a while; false if none is left to watch.
    private func endIdleReads() async -> Bool {
        let (connections, isDone) = state.withLock { $0.settleIdle(longerThan: Self.readDelay) }
        for connection in connections { await connection.endOpenRead() }
        return !isDone
    }

    /// Closes connections that stay idle, until none is.
    private func reapIdle() {
        Task { [weak self, limits] in
            while await self?.closeIdle(after: limits.idle) == true {
                try? await Task.sleep(for: limits.idle)
            }
        }
    }

    /// Closes the connections that have been idle for too long; false if none is left to watch.
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
