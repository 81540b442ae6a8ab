internal import Foundation
internal import SwitchyardCore

/// Runs an actor's jobs on a dedicated thread.
///
/// libpq blocks, and a transaction body may compute for a long time: neither may occupy a thread of the cooperative
/// pool.
final class ThreadExecutor: SerialExecutor {
    private struct Queue {
        var jobs: [UnownedJob] = []
        var isStopped = false
    }

    private let queue = Monitor(Queue())

    /// Starts the thread.
    ///
    /// The thread lives until `stop`.
    init(name: String) {
        let thread = Thread { [self] in
            while let jobs = nextJobs() {
                for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
            }
        }
        thread.name = name
        // Transaction bodies are user code, so they get the stack of a main thread.
        thread.stackSize = 8 << 20
        thread.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.withLock { $0.jobs.append(job) }
    }

    /// Ends the thread once its jobs are done.
    ///
    /// Call it when the actor is deinitialised: no job can follow then.
    func stop() {
        queue.withLock { $0.isStopped = true }
    }

    private func nextJobs() -> [UnownedJob]? {
        queue.wait { queue -> [UnownedJob]?? in
            if !queue.jobs.isEmpty {
                defer { queue.jobs.removeAll(keepingCapacity: true) }
                return queue.jobs
            }
            return queue.isStopped ? .some(nil) : nil
        }
    }
}
