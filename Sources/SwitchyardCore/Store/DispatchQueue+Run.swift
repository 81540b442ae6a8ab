package import Dispatch

extension DispatchQueue {
    /// Runs blocking work on this queue, off the cooperative thread pool.
    ///
    /// The work runs even if the task is cancelled; use `Cancellation.run` for work that can be skipped.
    ///
    /// - Throws: What the work throws.
    package func run<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            async { continuation.resume(with: Swift.Result { try work() }) }
        }
    }
}
