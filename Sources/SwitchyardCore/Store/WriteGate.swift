/// Lets one writer of this process in at a time, in the order of their coming.
///
/// A waiting writer leaves when its task is cancelled, or when it has waited for too long.
public final class WriteGate: Sendable {
    private let timeout: Duration?
    // Not a Mutex, on whose lock writers really contend here: Thread Sanitizer does not see it.
    private let state = Monitor(State())

    private struct State: Sendable {
        var isTaken = false
        var waiting: [Waiter] = []
        var lastTicket = 0
    }

    private struct Waiter: Sendable {
        let ticket: Int
        let continuation: CheckedContinuation<Void, any Error>
        var alarm: Task<Void, Never>?
    }

    /// Makes a gate with nobody in.
    ///
    /// - Parameter timeout: How long a writer waits at most; nil for as long as it takes.
    public init(timeout: Duration? = nil) { self.timeout = timeout }

    /// Runs a write once no other writer is in.
    ///
    /// - Returns: What the write returns.
    /// - Throws: `busy` after the timeout, `cancelled`, what the write throws.
    public func withTurn<Result>(_ write: () async throws -> Result) async throws -> Result {
        try await enter()
        defer { leave() }
        return try await write()
    }

    private func enter() async throws {
        guard !Task.isCancelled else { throw StoreError.taskCancelled }
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isIn = state.withLock { state in
                    guard state.isTaken else {
                        state.isTaken = true
                        return true
                    }
                    state.waiting.append(Waiter(ticket: ticket, continuation: continuation))
                    return false
                }
                if isIn { return continuation.resume() }
                setAlarm(for: ticket)
                // The handler below may have run before there was a waiter to find.
                if Task.isCancelled { turnAway(ticket, StoreError.taskCancelled) }
            }
        } onCancel: {
            turnAway(ticket, StoreError.taskCancelled)
        }
    }

    private func leave() {
        let next = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil as Waiter?
            }
            return state.waiting.removeFirst()
        }
        next?.alarm?.cancel()
        next?.continuation.resume()
    }

    /// Ends a wait when its time is over; who is let in earlier does not wait for this.
    private func setAlarm(for ticket: Int) {
        guard let timeout else { return }
        let alarm = Task { [weak self] in
            guard (try? await Task.sleep(for: timeout)) != nil else { return }
            self?.turnAway(ticket, Self.busy)
        }
        let isWaiting = state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return false }
            state.waiting[index].alarm = alarm
            return true
        }
        // A writer let in meanwhile needs no alarm.
        if !isWaiting { alarm.cancel() }
    }

    private func turnAway(_ ticket: Int, _ error: StoreError) {
        let waiter = state.withLock { state in
            state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0) }
        }
        waiter?.alarm?.cancel()
        waiter?.continuation.resume(throwing: error)
    }

    private static var busy: StoreError {
        StoreError(.busy, "Another write of this process kept the store for too long; try again.")
    }
}
