internal import Synchronization

/// Runs refreshes one after the other, each from its reading to its writing.
///
/// One that waits for its turn serves all who ask until it begins, for it reads what they have written. It
/// goes on when one of them is cancelled, because of the others.
final class SerialRefresh<Value: Sendable>: Sendable {
    private struct Turns {
        var last: Task<Value, any Error>?
        var isLastWaiting = false
    }

    private let turns = Mutex(Turns())

    /// The refresh that waits; if none does, a new one.
    func request(_ refresh: @escaping @Sendable () async throws -> Value) -> Task<Value, any Error> {
        turns.withLock { turns in
            if turns.isLastWaiting, let last = turns.last { return last }
            let previous = turns.last
            let turn = Task {
                _ = await previous?.result
                self.turns.withLock { $0.isLastWaiting = false }
                return try await refresh()
            }
            turns = Turns(last: turn, isLastWaiting: true)
            return turn
        }
    }
}
