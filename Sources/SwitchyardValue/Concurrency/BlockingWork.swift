package import Dispatch
internal import Foundation
internal import Synchronization

/// Work that blocks or computes for long, such as the body of a transaction, without holding up the tasks of the process.
///
/// Where the system does not know Swift's tasks, as on Linux, Dispatch has as many threads as there are cores
/// for its global and concurrent queues, and tasks run on the same ones: two long reads could stop every task
/// of a process. So one of those threads is always left to the tasks. Further work gets a thread of its own,
/// from a serial queue, which costs more than a small transaction: a change of threads, there and back.
package enum BlockingWork {
    /// The maximum number of pieces of work on the threads that also run tasks.
    #if canImport(Darwin)
        private static let mostShared = Int.max
    #else
        private static let mostShared = ProcessInfo.processInfo.activeProcessorCount - 1
    #endif

    private static let shared = DispatchQueue(label: "switchyard.work", attributes: .concurrent)
    /// The current number of those.
    private static let countOfShared = Atomic(0)

    /// Runs work on a thread on which it may block, and returns at once.
    package static func begin(_ work: @escaping @Sendable () -> Void) {
        guard countOfShared.add(1, ordering: .relaxed).newValue <= mostShared else {
            countOfShared.subtract(1, ordering: .relaxed)
            return DispatchQueue.ofOneThread.async(execute: work)
        }
        shared.async {
            work()
            countOfShared.subtract(1, ordering: .relaxed)
        }
    }

    /// Runs work on a thread on which it may block.
    ///
    /// The work runs even if the task is cancelled; use `Cancellation.run` for work that can be skipped.
    ///
    /// - Returns: What the work returns.
    /// - Throws: What the work throws.
    package static func run<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            begin { continuation.resume(with: Swift.Result { try work() }) }
        }
    }
}

extension DispatchQueue {
    /// A new serial queue, whose work has a thread of its own.
    package static var ofOneThread: DispatchQueue { DispatchQueue(label: "switchyard.thread") }
}
