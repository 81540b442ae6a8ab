/// Lets one writer of this process in at a time, in the order of their coming.
///
/// A waiting writer leaves when its task is cancelled, or when it has waited for too long.
public final class WriteGate: Sendable {
    private let gate: Gate

    /// Makes a gate with nobody in.
    ///
    /// - Parameter timeout: How long a writer waits at most; nil for as long as it takes.
    public init(timeout: Duration? = nil) {
        let busy = StoreError(
            .busy, "Another write of this process kept the store for too long; try again.")
        gate = Gate(places: 1, timeout: timeout.map { ($0, busy) })
    }

    /// Runs a write once no other writer is in.
    ///
    /// - Returns: What the write returns.
    /// - Throws: `busy` after the timeout, `cancelled`, what the write throws.
    public func withTurn<Result>(_ write: () async throws -> Result) async throws -> Result {
        try await gate.withTurn(write)
    }
}
