internal import SwitchyardCore
internal import Synchronization

/// Lets one writer in at a time, in the order of their coming.
///
/// A waiting writer leaves when its task is cancelled.
final class WriteGate: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isTaken = false
        var waiting: [(ticket: Int, continuation: CheckedContinuation<Void, any Error>)] = []
        var lastTicket = 0
        /// Tickets cancelled before they began to wait.
        var cancelled: Set<Int> = []
    }

    /// Waits until no other writer is in.
    ///
    /// - Throws: `cancelled`.
    func enter() async throws {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Void, StoreError>? = state.withLock { state in
                    if state.cancelled.remove(ticket) != nil { return .failure(.taskCancelled) }
                    if !state.isTaken {
                        state.isTaken = true
                        return .success(())
                    }
                    state.waiting.append((ticket, continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else {
                    state.cancelled.insert(ticket)
                    return nil as CheckedContinuation<Void, any Error>?
                }
                return state.waiting.remove(at: index).continuation
            }
            waiting?.resume(throwing: StoreError.taskCancelled)
        }
        // Of a writer that was let in and cancelled at the same time, the note would be left behind.
        state.withLock { _ = $0.cancelled.remove(ticket) }
    }

    /// Lets the next one in.
    func leave() {
        let next = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil as CheckedContinuation<Void, any Error>?
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume()
    }
}
