internal import Synchronization

/// Tells work that blocks, such as a transaction, whether the task that waits for it was cancelled.
///
/// For plugins whose transactions have no thread of their own.
public final class Cancellation: Sendable {
    private let isCancelled = Atomic(false)

    private init() {}

    /// Throws if the waiting task was cancelled.
    ///
    /// - Throws: `cancelled`.
    public func check() throws {
        if isCancelled.load(ordering: .relaxed) { throw StoreError.taskCancelled }
    }

    /// Runs work off the cooperative thread pool, on a thread on which it may block.
    ///
    /// Nothing else waits for that thread: what must not run at once has to wait before.
    ///
    /// - Parameter work: The work, which asks now and then whether it was cancelled.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws; `cancelled` if the waiting task was cancelled before it began.
    public static func run<Result: Sendable>(
        _ work: @escaping @Sendable (Cancellation) throws -> Result
    ) async throws -> Result {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await BlockingWork.run {
                try cancellation.check()
                return try work(cancellation)
            }
        } onCancel: {
            cancellation.isCancelled.store(true, ordering: .relaxed)
        }
    }
}
