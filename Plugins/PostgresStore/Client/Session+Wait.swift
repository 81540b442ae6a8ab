internal import CLibPQ
internal import Foundation
internal import SwitchyardCore

/// How long a session waits for its server.
enum WaitLimit {
    /// For as long as the server is never silent for longer than this.
    case silence(Duration)
    /// Until then, whatever the server sends meanwhile.
    case deadline(ContinuousClock.Instant)

    fileprivate func end(from start: ContinuousClock.Instant) -> ContinuousClock.Instant {
        switch self {
        case .silence(let duration): start + duration
        case .deadline(let end): end
        }
    }
}

/// Every wait of a connected session for its server.
///
/// The connection is non-blocking, so libpq never waits, and a server that falls silent while TCP stays open
/// holds a thread no longer than `waitLimit` allows.
extension Session {
    /// The next result of what was sent; nil after the last one.
    ///
    /// - Throws: `connectionLost` if the server was silent for too long.
    func nextResult() throws -> OpaquePointer? {
        if pq_isBusy(handle) != 0 { try wait { pq_isBusy(handle) == 0 } }
        return pq_getResult(handle)
    }

    /// Sends what libpq has queued.
    ///
    /// - Returns: Whether the server sent something meanwhile.
    /// - Throws: `connectionLost` if the server took nothing for too long.
    func flush() throws -> Bool {
        try wait { pq_flush(handle) != 1 }
    }

    /// Whether the server has sent something that libpq has not taken in.
    var hasInput: Bool { poll(POLLIN, for: .zero) != 0 }

    /// Runs `body` with another limit of its waits.
    func waiting<Result>(_ limit: WaitLimit, _ body: () throws -> Result) rethrows -> Result {
        let outer = waitLimit
        waitLimit = limit
        defer { waitLimit = outer }
        return try body()
    }

    /// Runs `body`, which asks for nothing that should take the server long.
    func waitingBriefly<Result>(_ body: () throws -> Result) rethrows -> Result {
        try waiting(.deadline(.now + options.patience), body)
    }

    /// Exchanges bytes with the server until `isDone`.
    ///
    /// - Returns: Whether the server sent something.
    /// - Throws: `connectionLost` once `waitLimit` is met, or the server has ignored a cancel request for too
    ///   long; `cancelled` in its place if the task was.
    @discardableResult
    func wait(until isDone: () -> Bool) throws -> Bool {
        if isDone() { return false }
        var hasSpoken = false
        var start = ContinuousClock.now
        // poll does not see what TLS has decrypted and libpq not yet taken, so that is looked for in between
        // (ged/ruby-pg, issue 588); and no event tells that a cancel request has been ignored.
        let firstStep = isEncrypted ? .milliseconds(20) : options.patience / 5
        var step = firstStep
        var isSilent = false
        defer { if isSilent { canceller.isServerSilent = false } }
        repeat {
            let wanted = pq_flush(handle) == 1 ? POLLIN | POLLOUT : POLLIN
            // What was to be sent may just have gone, and no event would follow.
            if isDone() { break }
            let now = ContinuousClock.now
            let left = max(.zero, waitLimit.end(from: start) - now)
            let events = poll(wanted, for: min(step, left))
            if events == 0 && left == .zero || canceller.hasWaited(for: options.patience) {
                throw silence(for: now - start)
            }
            // A failed read is not always a lost connection to libpq, which would then wait on.
            if events != 0 || isEncrypted, pq_consumeInput(handle) == 0, !isDone() {
                throw lost(PostgresError(message: String(cString: pq_errorMessage(handle))))
            }
            if events == 0 {
                step = min(step * 2, options.patience / 5)
                if !isSilent, now - start >= options.patience {
                    isSilent = true
                    canceller.isServerSilent = true
                }
            } else {
                if events & ~POLLOUT != 0 { hasSpoken = true }
                start = .now
                step = firstStep
            }
        } while !isDone()
        return hasSpoken
    }

    private func silence(for time: Duration) -> StoreError {
        let words = "did not answer within \(time.wholeMilliseconds / 1_000) s"
        return lost(PostgresError(message: "the server \(words)"), "The PostgreSQL server \(words)")
    }

    /// Waits for events of the socket.
    ///
    /// - Returns: Those that came; 0 after the time.
    private func poll(_ events: Int32, for time: Duration) -> Int32 {
        var descriptor = pollfd(fd: pq_socket(handle), events: Int16(events), revents: 0)
        // libpq has closed it, and says so when it is asked to read.
        guard descriptor.fd >= 0 else { return POLLHUP }
        let ready = Foundation.poll(&descriptor, 1, time.wholeMilliseconds)
        return ready > 0 ? Int32(descriptor.revents) : 0
    }
}

extension Duration {
    /// The duration as `poll` takes it, rounded up: a wait of 0 ms would be repeated until the time has come.
    var wholeMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        return Int32(min(seconds, 2_000_000)) * 1_000
            + Int32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
