public import Dispatch
internal import Synchronization

/// Whether the task that waits for a transaction was cancelled, as seen from the queue that runs it.
///
/// For plugins whose transactions run to their end on a queue of their own.
public final class Cancellation: Sendable {
    private let isCancelled = Atomic(false)

    private init() {}

    /// Ends the work if nobody waits for it any more.
    ///
    /// - Throws: `cancelled`.
    public func check() throws {
        if isCancelled.load(ordering: .relaxed) { throw StoreError.taskCancelled }
    }

    /// Runs work that blocks on a queue, off the threads that run tasks.
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
