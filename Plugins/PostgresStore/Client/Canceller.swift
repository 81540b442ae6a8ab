internal import CLibPQ
internal import Foundation
internal import SwitchyardCore

/// Stops the statement that a connection is running when the task which waits for it is cancelled.
///
/// A cancel request travels on a connection of its own and may arrive when the next statement is already
/// running. So a request is sent only between `enter` and `leave`, and `leave` waits until a request on its
/// way has been answered: libpq returns from it after the server has passed the signal on. A request can also
/// arrive too early, before the statement has; so it is repeated until the statement ends. If that does not
/// help within `patience`, the socket is shut, which frees the connection's thread at the price of the
/// connection.
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
        /// A request was sent during the current use.
        var hasSent = false
        /// A descriptor of our own for the connection's socket: libpq closes its own when the connection
        /// breaks, and the number may then be another file's.
        var socket: Int32?
        /// What to cancel.
        var target: Target?

        mutating func startSending() -> Bool {
            guard isActive, !isSending else { return false }
            isSending = true
            hasSent = true
            return true
        }

        func shutSocket() {
            guard isActive, let socket else { return }
            // Wakes the thread that reads from it.
            _ = shutdown(socket, Int32(SHUT_RDWR))
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

    /// How long the server may ignore requests before the socket is shut, in seconds.
    static let patience = 5.0
    /// The pause between two requests, in seconds.
    private static let interval = 0.25

    private let state = Monitor(State())

    /// Prepares to cancel statements of `connection`, while it is idle.
    func attach(to connection: OpaquePointer) {
        let target = Target(connection: connection)
        let socket = fcntl(pq_socket(connection), F_DUPFD_CLOEXEC, 0)
        forgetSocket()
        state.withLock { state in
            state.target = target
            // Without a descriptor, a statement that ignores requests lasts as long as its timeout.
            state.socket = socket < 0 ? nil : socket
        }
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
    /// - Returns: False if the request did not come back: the connection must not be used again.
    func leave() -> Bool {
        let isSending = state.withLock { state in
            state.isActive = false
            return state.isSending
        }
        guard isSending else { return true }
        return state.wait(atMost: 2 * Self.patience) { $0.isSending ? nil : true } ?? false
    }

    /// Cancels the statement that the calling thread itself has entered and no longer wants.
    func interrupt() {
        if state.withLock({ $0.startSending() }) { startThread() }
    }

    /// Gives the socket up, before the connection is closed.
    func forgetSocket() {
        let socket = state.withLock { state in
            defer { state.socket = nil }
            return state.socket
        }
        if let socket { close(socket) }
    }

    private func startThread() {
        let thread = Thread { [self] in send() }
        thread.name = "switchyard-pg-x"
        thread.start()
    }

    private func send() {
        let start = Date()
        while let target = state.withLock({ $0.isActive ? $0.target : nil }) {
            var reason: CChar = 0
            _ = pq_cancel(target.handle, &reason, 0)
            if -start.timeIntervalSinceNow > Self.patience { state.withLock { $0.shutSocket() } }
            _ = state.wait(atMost: Self.interval) { $0.isActive ? nil : true }
        }
        state.withLock { $0.isSending = false }
    }
}
