internal import Logging
internal import SwitchyardCore

/// A session with the server, on its own thread.
///
/// Everything that blocks runs on that thread: connecting, statements, and the synchronous bodies of transactions.
actor Connection {
    /// The outcome of one use of a connection.
    struct Outcome<Value: Sendable>: Sendable {
        /// What the body returned or threw; nil if it was not run because the connection had died while idle.
        let result: Result<Value, any Error>?
        /// Whether the connection can be used again.
        let isUsable: Bool
        /// Whether a session that was used before takes no writes by its default, which a new session may not have.
        let wasFrozen: Bool
        /// Whether the connection was lost before the body's transaction had reached the server, so that it is safe to
        /// run it again on another connection.
        let wasLostAtBegin: Bool
    }

    private nonisolated let executor: ThreadExecutor
    private nonisolated let canceller = Canceller()
    /// When opening the connection began.
    nonisolated let start = ContinuousClock.now
    private var session: Session?
    /// Whether the connection has not been used since it was opened.
    private var isFresh = true

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Whether its user has waited for the server for longer than the server should need.
    nonisolated var isServerSilent: Bool { canceller.isServerSilent }

    private init() { executor = ThreadExecutor(name: "switchyard-pg") }

    deinit { executor.stop() }

    /// Connects.
    ///
    /// - Throws: As `Session.connect`.
    static func open(
        _ parameters: ConnectionParameters, options: SessionOptions = SessionOptions(), logger: Logger
    ) async throws -> Connection {
        let connection = Connection()
        try await connection.connect(parameters, options, logger)
        return connection
    }

    /// Runs `body` on the connection's thread, then rolls back whatever it left open.
    ///
    /// Cancelling the calling task cancels the statement that `body` is running and every later one.
    nonisolated func perform<Value: Sendable>(
        _ body: @escaping @Sendable (Session) throws -> Value
    ) async -> Outcome<Value> {
        let ticket = newTicket()
        return await withTaskCancellationHandler {
            await run(body)
        } onCancel: {
            cancel(ticket)
        }
    }

    /// Begins a new use of the connection.
    nonisolated func newTicket() -> Canceller.Ticket { canceller.newTicket() }

    /// Cancels the statement that a use is running, and every later one.
    nonisolated func cancel(_ ticket: Canceller.Ticket) { canceller.cancel(ticket) }

    /// Runs the job of another executor on the connection's thread.
    nonisolated func enqueue(_ job: UnownedJob, of executor: any SerialExecutor) {
        self.executor.enqueue(job, of: executor)
    }

    /// Sends the ROLLBACK of the last read if no transaction has followed it yet.
    func endOpenRead() { session?.endOpenRead() }

    func close() { session = nil }

    private func connect(
        _ parameters: ConnectionParameters, _ options: SessionOptions, _ logger: Logger
    ) throws {
        session = try Session.connect(parameters, options: options, canceller: canceller, logger: logger)
    }

    /// Runs `body`, then rolls back whatever it left open.
    func run<Value: Sendable>(_ body: @Sendable (Session) throws -> Value) -> Outcome<Value> {
        guard let session, session.isAlive else {
            return Outcome(result: nil, isUsable: false, wasFrozen: false, wasLostAtBegin: false)
        }
        let result = Result { try body(session) }
        defer { isFresh = false }
        return Outcome(
            result: result, isUsable: session.settle(), wasFrozen: session.isFrozen && !isFresh,
            wasLostAtBegin: session.wasLostAtBegin && !isFresh)
    }
}
