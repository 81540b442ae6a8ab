/// Lets a number of this process's transactions in at a time, in the order of their coming.
///
/// Who waits leaves when its task is cancelled, or when it has waited for too long; it blocks no thread.
package final class Gate: Sendable {
    private let timeout: (after: Duration, error: StoreError)?
    // Not a Mutex, on whose lock transactions really contend here: Thread Sanitizer does not see it.
    private let state: Monitor<State>

    private struct State: Sendable {
        /// There are none while anyone waits: who leaves hands its place on.
        var freePlaces: Int
        var waiting: [Waiter] = []
        var lastTicket = 0

        mutating func takePlace() -> Bool {
            guard freePlaces > 0 else { return false }
            freePlaces -= 1
            return true
        }
    }

    private struct Waiter: Sendable {
        let ticket: Int
        let continuation: CheckedContinuation<Void, any Error>
        var alarm: Task<Void, Never>?
    }

    /// Makes a gate with nobody in.
    ///
    /// - Parameters:
    ///   - places: How many may be in at a time, at least 1.
    ///   - timeout: How long anyone waits at most, and the error after that; nil for as long as it takes.
    package init(places: Int, timeout: (after: Duration, error: StoreError)? = nil) {
        self.timeout = timeout
        state = Monitor(State(freePlaces: max(places, 1)))
    }

    /// How many wait.
    package var waiting: Int { state.withLock(\.waiting.count) }

    /// Runs a transaction once there is a place.
    ///
    /// - Returns: What the transaction returns.
    /// - Throws: The timeout's error, `cancelled`, what the transaction throws.
    package func withTurn<Result>(_ transaction: () async throws -> Result) async throws -> Result {
        try await enter()
        defer { leave() }
        return try await transaction()
    }

    private func enter() async throws {
        guard !Task.isCancelled else { throw StoreError.taskCancelled }
        let ticket: Int? = state.withLock { state in
            if state.takePlace() { return nil }
            state.lastTicket += 1
            return state.lastTicket
        }
        guard let ticket else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isIn = state.withLock { state in
                    if state.takePlace() { return true }
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
                state.freePlaces += 1
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
            guard (try? await Task.sleep(for: timeout.after)) != nil else { return }
            self?.turnAway(ticket, timeout.error)
        }
        let isWaiting = state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return false }
            state.waiting[index].alarm = alarm
            return true
        }
        // Who was let in meanwhile needs no alarm.
        if !isWaiting { alarm.cancel() }
    }

    private func turnAway(_ ticket: Int, _ error: StoreError) {
        let waiter = state.withLock { state in
            state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0) }
        }
        waiter?.alarm?.cancel()
        waiter?.continuation.resume(throwing: error)
    }
}
