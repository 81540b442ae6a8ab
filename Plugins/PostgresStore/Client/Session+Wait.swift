internal import CLibPQ
internal import Foundation
internal import SwitchyardCore

/// How long a session waits for its server.
enum WaitLimit {
    /// Until the server has been silent for this long.
    case silence(Duration)
    /// Until this time, whatever the server sends in the meantime.
    case deadline(ContinuousClock.Instant)

    fileprivate func end(from start: ContinuousClock.Instant) -> ContinuousClock.Instant {
        switch self {
        case .silence(let duration): start + duration
        case .deadline(let end): end
        }
    }
}

/// All waits of a connected session for its server.
///
/// The connection is non-blocking, so libpq never waits, and a server that falls silent while TCP stays open blocks a
/// thread no longer than `waitLimit` allows.
extension Session {
    /// Returns the next result of what was sent, or nil after the last one.
    ///
    /// - Throws: `connectionLost` if the server was silent for too long.
    func nextResult() throws -> OpaquePointer? {
        if pq_isBusy(handle) != 0 { try wait { pq_isBusy(handle) == 0 } }
        return pq_getResult(handle)
    }

    /// Sends what libpq has queued.
    ///
    /// - Returns: Whether the server sent something in the meantime.
    /// - Throws: `connectionLost` if the server accepted nothing for too long.
    func flush() throws -> Bool {
        try wait { pq_flush(handle) != 1 }
    }

    /// Whether the server has sent something that libpq has not read.
    var hasInput: Bool { poll(POLLIN, for: .zero) != 0 }

    /// Runs `body` with another limit for its waits.
    func waiting<Result>(_ limit: WaitLimit, _ body: () throws -> Result) rethrows -> Result {
        let outer = waitLimit
        waitLimit = limit
        defer { waitLimit = outer }
        return try body()
    }

    /// Runs `body`, which only asks for things that the server can do at once.
    func waitingBriefly<Result>(_ body: () throws -> Result) rethrows -> Result {
        try waiting(.deadline(.now + options.patience), body)
    }

    /// Sends and receives until `isDone`.
    ///
    /// - Returns: Whether the server sent something.
    /// - Throws: `connectionLost` once `waitLimit` is reached, or the server has ignored a cancel request for too long;
    ///   `cancelled` instead if the task was cancelled.
    @discardableResult
    func wait(until isDone: () -> Bool) throws -> Bool {
        if isDone() { return false }
        var hasSpoken = false
        var start = ContinuousClock.now
        // `poll` does not see bytes that TLS has decrypted and libpq has not read, so those are checked for in between
        // (ged/ruby-pg, issue 588); and no event tells that a cancel request has been ignored.
        let firstStep = isEncrypted ? .milliseconds(20) : longestStep
        var step = firstStep
        var isSilent = false
        defer { if isSilent { canceller.isServerSilent = false } }
        repeat {
            let wanted = pq_flush(handle) == 1 ? POLLIN | POLLOUT : POLLIN
            // The last bytes may just have been sent, and no event would follow.
            if isDone() { break }
            let now = ContinuousClock.now
            let left = max(.zero, waitLimit.end(from: start) - now)
            let events = poll(wanted, for: min(step, left))
            if events == 0 && left == .zero || canceller.hasWaited(for: options.patience) {
                throw silence(for: now - start)
            }
            // libpq does not always treat a failed read as a lost connection, and would keep waiting.
            if events != 0 || isEncrypted, pq_consumeInput(handle) == 0, !isDone() {
                throw lost(PostgresError(message: String(cString: pq_errorMessage(handle))))
            }
            if events == 0 {
                step = min(step * 2, longestStep)
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
    /// - Returns: The events; 0 after the timeout.
    private func poll(_ events: Int32, for time: Duration) -> Int32 {
        var descriptor = pollfd(fd: pq_socket(handle), events: Int16(events), revents: 0)
        // libpq has closed the socket, and reports that on the next read.
        guard descriptor.fd >= 0 else { return POLLHUP }
        let ready = Foundation.poll(&descriptor, 1, time.wholeMilliseconds)
        return ready > 0 ? Int32(descriptor.revents) : 0
    }
}

extension Duration {
    /// The duration for `poll`, rounded up: a wait of 0 ms would be repeated in a busy loop until the time has passed.
    var wholeMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        let perMillisecond: Int64 = 1_000_000_000_000_000
        return Int32(min(seconds, 2_000_000)) * 1_000
            + Int32((attoseconds + (perMillisecond - 1)) / perMillisecond)
    }
}
