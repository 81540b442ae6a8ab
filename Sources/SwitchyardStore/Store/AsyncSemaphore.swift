/// A fair async semaphore: waiters are served in order, and leave when cancelled or timed out.
///
/// It blocks no thread. One with a single permit lets the writers of a process take turns:
///
/// ```swift
/// private let writers = AsyncSemaphore(permits: 1, timeout: .seconds(5))
///
/// func write(…) async throws {
///     try await writers.withPermit { … }
/// }
/// ```
public final class AsyncSemaphore: Sendable {
    private let timeout: Duration?
    private let wait: StoreTelemetry.Wait
    private let telemetry: StoreTelemetry?
    private let state: Monitor<State>

    private struct State: Sendable {
        /// Zero while anyone waits: a released permit goes directly to the first waiter.
        var freePermits: Int
        var waiting: [Waiter] = []
        var lastTicket = 0

        mutating func takePermit() -> Bool {
            guard freePermits > 0 else { return false }
            freePermits -= 1
            return true
        }
    }

    private struct Waiter: Sendable {
        let ticket: Int
        let continuation: CheckedContinuation<Void, any Error>
        var alarm: Task<Void, Never>?
    }

    /// Creates a semaphore whose permits are all free.
    ///
    /// - Parameters:
    ///   - permits: The number of permits, at least 1.
    ///   - timeout: The longest time to wait; nil to wait without limit.
    ///   - wait: What a permit stands for, as telemetry names it.
    ///   - telemetry: Records each wait; taking a free permit costs nothing extra.
    public init(
        permits: Int, timeout: Duration? = nil, wait: StoreTelemetry.Wait = .turn,
        telemetry: StoreTelemetry? = nil
    ) {
        self.timeout = timeout
        self.wait = wait
        self.telemetry = telemetry
        state = Monitor(State(freePermits: max(permits, 1)))
    }

    /// The number of waiters.
    package var waiting: Int { state.withLock(\.waiting.count) }

    /// Runs an operation that holds one permit.
    ///
    /// - Returns: What the operation returns.
    /// - Throws: `busy` after the timeout, `cancelled`, what the operation throws.
    public func withPermit<Result>(_ operation: () async throws -> Result) async throws -> Result {
        try await takePermit()
        defer { signal() }
        return try await operation()
    }

    private func takePermit() async throws {
        guard !Task.isCancelled else { throw StoreError.taskCancelled }
        let ticket: Int? = state.withLock { state in
            if state.takePermit() { return nil }
            state.lastTicket += 1
            return state.lastTicket
        }
        guard let ticket else { return }
        let start = ContinuousClock.now
        do {
            try await wait(with: ticket)
        } catch {
            telemetry?.waited(for: wait, since: start, error: error)
            throw error
        }
        telemetry?.waited(for: wait, since: start)
    }

    private func wait(with ticket: Int) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let hasPermit = state.withLock { state in
                    if state.takePermit() { return true }
                    state.waiting.append(Waiter(ticket: ticket, continuation: continuation))
                    return false
                }
                if hasPermit { return continuation.resume() }
                setAlarm(for: ticket)
                // The cancellation handler below may have run before the waiter was added.
                if Task.isCancelled { reject(ticket, StoreError.taskCancelled) }
            }
        } onCancel: {
            reject(ticket, StoreError.taskCancelled)
        }
    }

    private func signal() {
        let next = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.freePermits += 1
                return nil as Waiter?
            }
            return state.waiting.removeFirst()
        }
        next?.alarm?.cancel()
        next?.continuation.resume()
    }

    /// Rejects a waiter after the timeout, unless it has been served.
    private func setAlarm(for ticket: Int) {
        guard let timeout else { return }
        let alarm = Task { [weak self] in
            guard (try? await Task.sleep(for: timeout)) != nil else { return }
            self?.reject(
                ticket,
                StoreError(
                    .busy, "Another write of this process held the store for too long; try again."))
        }
        let isWaiting = state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return false }
            state.waiting[index].alarm = alarm
            return true
        }
        if !isWaiting { alarm.cancel() }
    }

    private func reject(_ ticket: Int, _ error: StoreError) {
        let waiter = state.withLock { state in
            state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0) }
        }
        waiter?.alarm?.cancel()
        waiter?.continuation.resume(throwing: error)
    }
}
