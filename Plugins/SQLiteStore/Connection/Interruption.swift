internal import GRDB
internal import GRDBSQLite
internal import SwitchyardCore
internal import Synchronization

/// Runs blocking work, such as a transaction, within its task but off the cooperative thread pool, and interrupts its
/// running statement when the task is cancelled.
///
/// GRDB's asynchronous accesses pass through several queues until they have a connection, and each step wakes a thread.
/// This calls the synchronous ones, which run on the current thread, so there are only two steps, there and back.
final class Interruption: Sendable {
    private struct State {
        var connection: Connection?
        var isCancelled = false
    }

    /// It is unchecked Sendable because it is only interrupted, which SQLite allows on any thread while it is
    /// open.
    ///
    /// It is part of the state only during its use, and the state is locked during an interruption.
    private struct Connection: @unchecked Sendable {
        let handle: OpaquePointer
    }

    private let state = Mutex(State())

    private init() {}

    /// Runs work on a thread that may block.
    ///
    /// - Throws: What the work throws; `cancelled`.
    static func run<Result: Sendable>(
        _ work: @Sendable (Interruption) throws -> Result
    ) async throws -> Result {
        let interruption = Interruption()
        return try await withTaskCancellationHandler {
            try await withTaskExecutorPreference(BlockingExecutor.shared) {
                try await interruption.runOnExecutor(work)
            }
        } onCancel: {
            interruption.interrupt()
        }
    }

    // Concurrent, because it would otherwise run on the caller's actor, which may be the main one.
    @concurrent private func runOnExecutor<Result: Sendable>(
        _ work: @Sendable (Interruption) throws -> Result
    ) async throws -> Result { try work(self) }

    /// Runs statements within a transaction, and interrupts the running one when the task is cancelled.
    ///
    /// The transaction's own begin and end stay outside: an interrupted ROLLBACK would leave the transaction open.
    ///
    /// - Throws: What the body throws; `cancelled`.
    func withStatements<Result>(of database: Database, _ body: () throws -> Result) throws -> Result {
        let isCancelled = state.withLock { state in
            state.connection = database.sqliteConnection.map { Connection(handle: $0) }
            return state.isCancelled
        }
        defer { state.withLock { $0.connection = nil } }
        guard !isCancelled else { throw StoreError.taskCancelled }
        return try body()
    }

    private func interrupt() {
        state.withLock { state in
            state.isCancelled = true
            if let connection = state.connection { sqlite3_interrupt(connection.handle) }
        }
    }
}

/// The threads on which transactions block.
private final class BlockingExecutor: TaskExecutor {
    static let shared = BlockingExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        BlockingWork.begin { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
