internal import Dispatch
internal import Switchyard
internal import Synchronization

/// Whether the task that waits for a transaction was cancelled, as seen from the queue that runs it.
final class Cancellation: Sendable {
    private let isCancelled = Atomic(false)

    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// - Throws: `cancelled`.
    func check() throws {
        if isCancelled.load(ordering: .relaxed) { throw StoreError.taskCancelled }
    }
}

extension DispatchQueue {
    /// Runs work that blocks on this queue, off the threads that run tasks.
    ///
    /// - Throws: What the work throws; `cancelled` if the waiting task was cancelled before it began.
    func run<Result: Sendable>(
        _ work: @escaping @Sendable (Cancellation) throws -> Result
    ) async throws -> Result {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                async {
                    continuation.resume(
                        with: Swift.Result {
                            try cancellation.check()
                            return try work(cancellation)
                        })
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}
