/// Runs refreshes one after the other, each from its reading to its writing.
///
/// One that waits for its turn serves all who ask until it begins, for it reads what they have written. It
/// goes on when one of them is cancelled, because of the others.
actor SerialRefresh<Value: Sendable> {
    private var last: Task<Value, any Error>?
    private var isLastWaiting = false

    /// The refresh that waits; if none does, a new one.
    func request(_ refresh: @escaping @Sendable () async throws -> Value) -> Task<Value, any Error> {
        if isLastWaiting, let last { return last }
        let previous = last
        let turn = Task {
            _ = await previous?.result
            isLastWaiting = false
            return try await refresh()
        }
        (last, isLastWaiting) = (turn, true)
        return turn
    }
}
