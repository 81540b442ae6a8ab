/// Runs refreshes one at a time, each from its read to its write.
///
/// A waiting refresh serves everyone who asks before it starts, because it will read what they have written. It
/// continues if one of them is cancelled, for the sake of the others.
actor SerialRefresh<Value: Sendable> {
    private var last: Task<Value, any Error>?
    private var isLastWaiting = false

    /// The waiting refresh; a new one if there is none.
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
