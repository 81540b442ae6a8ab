internal import Dispatch
internal import SwitchyardCore

/// Work that waits for a connection of a pool, and then runs on that connection's thread.
///
/// It is an actor that is its own executor: calling `run` gives its job to the pool, which passes it to the thread of the
/// connection that it chooses. So each use of a connection changes threads twice, there and back, and the thread of a busy
/// connection goes from one user's work to the next one's without falling asleep. The work remains part of the user's
/// task, with its task-local values.
actor PoolRequest: SerialExecutor {
    private struct State {
        /// The request itself, until it is queued.
        var itself: PoolRequest?
        /// What runs `run`, which does not suspend, so that there is no other job.
        var job: UnownedJob?
        /// The connection that the pool has chosen.
        var use: (connection: Connection, ticket: Canceller.Ticket)?
        /// The error if there is none.
        var refusal: any Error = StoreError.storeClosed
        var isCancelled = false
    }

    private nonisolated let pool: ConnectionPool
    private nonisolated let state = Monitor(State())

    nonisolated var unownedExecutor: UnownedSerialExecutor { asUnownedSerialExecutor() }

    init(_ pool: ConnectionPool) {
        self.pool = pool
        state.withLock { $0.itself = self }
    }

    /// Whether its task was cancelled.
    nonisolated var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Runs `body` on the thread of a connection, and gives the connection back.
    ///
    /// Call it once.
    ///
    /// - Throws: What the pool refuses the request with.
    func run<Value: Sendable>(
        _ body: @Sendable (Session) throws -> Value
    ) throws -> Connection.Outcome<Value> {
        let (use, refusal) = state.withLock { ($0.use, $0.refusal) }
        guard let connection = use?.connection else { throw refusal }
        return connection.assumeIsolated { [pool] connection in
            let outcome = connection.run(body)
            // A connection that has died while idle has not run the body.
            let reason = outcome.result == nil ? "idle" : "broken"
            pool.takeBack(connection, discardedAs: outcome.isUsable ? nil : reason)
            return outcome
        }
    }

    nonisolated func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The runtime does not retain an executor, and the work may be done, and its user gone, before this returns.
        let itself = state.withLock { state in
            state.job = job
            return state.itself.take()
        }
        if let itself { itself.pool.serve(itself) }
    }

    /// Runs the work on a connection that nobody else uses.
    nonisolated func start(on connection: Connection) {
        let ticket = connection.newTicket()
        let (job, isCancelled) = state.withLock { state in
            state.use = (connection, ticket)
            return (state.job, state.isCancelled)
        }
        if isCancelled { connection.cancel(ticket) }
        if let job { connection.enqueue(job, of: self) }
    }

    /// Lets `run` throw an error.
    nonisolated func refuse(_ error: any Error) {
        let job = state.withLock { state in
            state.refusal = error
            return state.job
        }
        // The caller may be in the midst of a job of its own.
        if let job {
            DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    /// Cancels the work, or the wait for a connection.
    nonisolated func cancel() {
        let use = state.withLock { state in
            state.isCancelled = true
            return state.use
        }
        if let use { use.connection.cancel(use.ticket) } else { pool.abandon(self) }
    }
}
