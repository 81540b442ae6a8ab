internal import Dispatch
internal import SwitchyardCore
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
    /// Runs work on this queue, off the cooperative pool, and tells it when the waiting task is cancelled.
    func run<Result: Sendable>(
        _ work: @escaping @Sendable (Cancellation) throws -> Result
    ) async throws -> Result {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                async {
                    continuation.resume(with: Swift.Result { try work(cancellation) })
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}
