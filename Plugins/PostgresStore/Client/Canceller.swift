internal import CLibPQ
internal import Foundation
internal import SwitchyardCore

/// Stops the statement that a connection is running when the task which waits for it is cancelled.
///
/// A cancel request travels on a connection of its own and may arrive when the next statement is already
/// running. So a request is sent only between `enter` and `leave`, and `leave` waits until a request on its
/// way has been answered: libpq returns from it after the server has passed the signal on. A request can also
/// arrive too early, before the statement has; so it is repeated until the statement ends. Who waits for the
/// statement gives the connection up when requests have not helped for too long, even if libpq has not come
/// back from the first one: it waits for the server without a bound, on a thread that is then left alone.
final class Canceller: Sendable {
    /// One use of the connection, such as a transaction; cancelling an earlier one has no effect.
    struct Ticket: Equatable, Sendable {
        fileprivate let number: UInt64
    }

    private struct State {
        var current: UInt64 = 0
        var isCancelled = false
        /// A statement is running that may be cancelled.
        var isActive = false
        /// A thread is sending requests.
        var isSending = false
        /// A COMMIT is running, for which no request is sent.
        var isCommitting = false
        /// Since when the answer to what is running has only been waited for so that the connection can be
        /// kept.
        var unwantedSince: ContinuousClock.Instant?
        /// A request was sent during the current use.
        var hasSent = false
        /// What to cancel.
        var target: Target?
        var isServerSilent = false

        mutating func startSending() -> Bool {
            guard isActive, !isSending else { return false }
            isSending = true
            hasSent = true
            unwantedSince = .now
            return true
        }
    }

    /// libpq's `PGcancel`, which holds the server's address and the session's key.
    ///
    /// Sendable without the compiler's proof: `handle` never changes, libpq only reads what it points at, so
    /// that any thread may cancel with it whatever another one does with the connection (libpq's manual,
    /// "Canceling Queries in Progress"), and it is freed by whoever drops the last reference, when nobody is
    /// left to use it.
    private final class Target: @unchecked Sendable {
        let handle: OpaquePointer?

        init(connection: OpaquePointer) { handle = pq_getCancel(connection) }

        deinit { pq_freeCancel(handle) }
    }

    /// The pause between two requests, in seconds.
    private static let interval = 0.25

    private let state = Monitor(State())

    /// Prepares to cancel statements of `connection`, while it is idle.
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

    /// Whether the current use has been cancelled.
    var isCancelled: Bool { state.withLock(\.isCancelled) }

    /// Whether a request was sent during the current use.
    var hasSent: Bool { state.withLock(\.hasSent) }

    /// Cancels the use with this ticket, now and for the rest of it.
    ///
    /// Returns at once.
    func cancel(_ ticket: Ticket) {
        let mustSend = state.withLock { state in
            guard state.current == ticket.number, !state.isCancelled else { return false }
            state.isCancelled = true
            if state.isCommitting { state.unwantedSince = .now }
            return state.startSending()
        }
        if mustSend { startThread() }
    }

    /// Announces a statement that may be cancelled; false if the use has been cancelled already.
    func enter() -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            state.isActive = true
            return true
        }
    }

    /// Says that the statement has ended, and waits for a request on its way.
    ///
    /// - Returns: False if the request did not come back in time: the connection must not be used again.
    func leave(atMost patience: Duration) -> Bool {
        let isSending = state.withLock { state in
            state.isActive = false
            state.unwantedSince = nil
            return state.isSending
        }
        guard isSending else { return true }
        let seconds = patience / .seconds(1)
        return state.wait(atMost: seconds) { $0.isSending ? nil : true } ?? false
    }

    /// Announces a COMMIT, which must not be cancelled; false if the use has been cancelled already.
    func enterCommit() -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            state.isCommitting = true
            return true
        }
    }

    /// Says that the COMMIT has ended.
    func leaveCommit() {
        state.withLock { state in
            state.isCommitting = false
            state.unwantedSince = nil
        }
    }

    /// Whether it has been that long since the task that waits for the running statement was cancelled.
    func hasWaited(for patience: Duration) -> Bool {
        state.withLock(\.unwantedSince).map { .now - $0 >= patience } ?? false
    }

    /// Whether the session is waiting for the server, and has been for longer than the server should need.
    var isServerSilent: Bool {
        get { state.withLock(\.isServerSilent) }
        set { state.withLock { $0.isServerSilent = newValue } }
    }

    /// Cancels the statement that the calling thread itself has entered and no longer wants.
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
        while let target = state.withLock({ $0.isActive ? $0.target : nil }) {
            var reason: CChar = 0
            _ = pq_cancel(target.handle, &reason, 0)
            _ = state.wait(atMost: Self.interval) { $0.isActive ? nil : true }
        }
        state.withLock { $0.isSending = false }
    }
}
