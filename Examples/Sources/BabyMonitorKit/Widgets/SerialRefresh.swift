/// Runs refreshes one at a time, each from its read to its write.
///
/// A waiting refresh serves all requests made before it starts, because it will read their writes. It continues if the
/// task of one request is cancelled.
actor SerialRefresh<Value: Sendable> {
    private var last: Task<Value, any Error>?
    private var isLastWaiting = false

    /// The waiting refresh, or a new one.
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
