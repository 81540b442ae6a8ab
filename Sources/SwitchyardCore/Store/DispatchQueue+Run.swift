package import Dispatch

extension DispatchQueue {
    /// Does work that blocks on this queue, off the threads that run tasks.
    ///
    /// It is done also for a task that is cancelled; `Cancellation.run` is for what need not be.
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
