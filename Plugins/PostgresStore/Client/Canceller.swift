internal import CLibPQ
internal import Foundation
internal import SwitchyardCore

/// Cancels the running statement of a connection when the task that waits for it is cancelled.
///
/// A cancel request travels on a connection of its own and may arrive when the next statement is already running. So
/// requests are only sent between `enter` and `leave`, and `leave` waits until a request in progress has been answered:
/// libpq returns from it after the server has signalled the session. A request can also arrive before its statement
/// does, so it is repeated until the statement ends. If requests do not help for too long, the thread that waits for
/// the statement gives up the connection, even if libpq has not returned from the first request: that call has no
/// timeout, and its thread is abandoned.
final class Canceller: Sendable {
    /// One use of the connection, such as a transaction; cancelling an earlier use has no effect.
    struct Ticket: Equatable, Sendable {
        fileprivate let number: UInt64
    }

    /// What the connection is doing.
    enum Activity {
        case none
        /// A statement that may be cancelled.
        case statement
        /// A COMMIT by itself, for which no request is sent: its outcome would be a matter of chance.
        case commit
    }

    private struct State {
        var current: UInt64 = 0
        var isCancelled = false
        var activity = Activity.none
        /// Whether a thread is sending requests.
        var isSending = false
        /// When the running statement was cancelled; from then on its answer only matters for keeping the connection.
        var unwantedSince: ContinuousClock.Instant?
        /// Whether a request was sent during the current use.
        var hasSent = false
        var target: Target?
        var isServerSilent = false

        mutating func startSending() -> Bool {
            guard activity == .statement, !isSending else { return false }
            isSending = true
            hasSent = true
            unwantedSince = .now
            return true
        }
    }

    /// libpq's `PGcancel`, which holds the server's address and the session's key.
    ///
    /// It is unchecked Sendable because `handle` is a constant that libpq only reads, so any thread may cancel with it
    /// whatever another thread does with the connection (libpq's manual, "Canceling Queries in Progress"), and it is
    /// freed with the last reference.
    private final class Target: @unchecked Sendable {
        let handle: OpaquePointer?

        init(connection: OpaquePointer) { handle = pq_getCancel(connection) }

        deinit { pq_freeCancel(handle) }
    }

    /// The pause between two requests, in seconds.
    private static let interval = 0.25

    private let state = Monitor(State())

    /// Prepares to cancel statements of `connection`, which must be idle.
    func attach(to connection: OpaquePointer) {
        let target = Target(connection: connection)
        state.withLock { $0.target = target }
    }

    /// Begins a new use of the connection.
    func newTicket() -> Ticket {
        state.withLock { state in
            state.current += 1
            state.isCancelled = false
            state.hasSent = false
            return Ticket(number: state.current)
        }
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Whether a request was sent during the current use.
    var hasSent: Bool { state.withLock { $0.hasSent } }

    /// Cancels the use with this ticket: its running statement and all later ones.
    ///
    /// Returns without waiting.
    func cancel(_ ticket: Ticket) {
        let mustSend = state.withLock { state in
            guard state.current == ticket.number, !state.isCancelled else { return false }
            state.isCancelled = true
            if state.activity == .commit { state.unwantedSince = .now }
            return state.startSending()
        }
        if mustSend { startThread() }
    }

    /// Marks the start of a statement or a COMMIT; returns false if the use is already cancelled.
    func enter(_ activity: Activity = .statement) -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            state.activity = activity
            return true
        }
    }

    /// Marks the end of the statement or COMMIT, and waits for a request in progress.
    ///
    /// - Returns: False if the request was not answered in time: the connection must not be used again.
    func leave(atMost patience: Duration) -> Bool {
        let isSending = state.withLock { state in
            state.activity = .none
            state.unwantedSince = nil
            return state.isSending
        }
        guard isSending else { return true }
        let seconds = patience / .seconds(1)
        return state.wait(atMost: seconds) { $0.isSending ? nil : true } ?? false
    }

    /// Whether the task that waits for the running statement was cancelled at least `patience` ago.
    func hasWaited(for patience: Duration) -> Bool {
        state.withLock { $0.unwantedSince }.map { .now - $0 >= patience } ?? false
    }

    /// Whether the session has waited for the server for longer than the server should need.
    var isServerSilent: Bool {
        get { state.withLock(\.isServerSilent) }
        set { state.withLock { $0.isServerSilent = newValue } }
    }

    /// Cancels the calling thread's own statement, whose results it no longer needs.
    func interrupt() {
        if state.withLock({ $0.startSending() }) { startThread() }
    }

    private func startThread() {
        let thread = Thread { [self] in send() }
        thread.name = "switchyard-pg-x"
        thread.stackSize = 256 << 10
        thread.start()
    }

    private func send() {
        while let target = state.withLock({ $0.activity == .statement ? $0.target : nil }) {
            var reason: CChar = 0
            _ = pq_cancel(target.handle, &reason, 0)
            _ = state.wait(atMost: Self.interval) { $0.activity == .statement ? nil : true }
        }
        state.withLock { $0.isSending = false }
    }
}
