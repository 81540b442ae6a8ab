public import Dispatch
internal import Synchronization

/// Tells the queue that runs a transaction whether the task that waits for it was cancelled.
///
/// For plugins whose transactions run to their end on a queue of their own.
public final class Cancellation: Sendable {
    private let isCancelled = Atomic(false)

    private init() {}

    /// Throws if the waiting task was cancelled.
    ///
    /// - Throws: `cancelled`.
    public func check() throws {
        if isCancelled.load(ordering: .relaxed) { throw StoreError.taskCancelled }
    }

    /// Runs blocking work on a queue, off the cooperative thread pool.
    ///
    /// - Throws: What the work throws; `cancelled` if the waiting task was cancelled before it began.
    public static func run<Result: Sendable>(
        on queue: DispatchQueue, _ work: @escaping @Sendable (Cancellation) throws -> Result
    ) async throws -> Result {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await queue.run {
                try cancellation.check()
                return try work(cancellation)
            }
        } onCancel: {
            cancellation.isCancelled.store(true, ordering: .relaxed)
        }
    }
}
