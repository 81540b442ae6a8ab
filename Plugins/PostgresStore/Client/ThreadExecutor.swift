internal import Foundation
internal import SwitchyardCore

/// Runs an actor's jobs, and those of others that borrow it, on a dedicated thread.
///
/// libpq blocks, and a transaction body may compute for a long time: neither may occupy a thread of the cooperative
/// pool.
final class ThreadExecutor: SerialExecutor {
    private struct Job {
        let job: UnownedJob
        /// Where the job believes to run.
        let executor: any SerialExecutor
    }

    private struct Queue {
        /// The executor itself, as long as its thread lives.
        var itself: ThreadExecutor?
        var jobs: [Job] = []
        var isStopped = false
        var thread: ObjectIdentifier?
    }

    private let queue = Monitor(Queue())

    /// Starts the thread.
    ///
    /// The thread lives until `stop`.
    init(name: String) {
        queue.withLock { $0.itself = self }
        let thread = Thread { [self] in
            queue.withLock { $0.thread = ObjectIdentifier(Thread.current) }
            while let jobs = nextJobs() {
                for job in jobs { job.job.runSynchronously(on: job.executor.asUnownedSerialExecutor()) }
            }
        }
        thread.name = name
        // Transaction bodies are user code, so they get the stack of a main thread.
        thread.stackSize = 8 << 20
        thread.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        enqueue(UnownedJob(job), of: self)
    }

    /// Runs the job of another executor.
    func enqueue(_ job: UnownedJob, of executor: any SerialExecutor) {
        let itself = queue.withLock { queue in
            queue.jobs.append(Job(job: job, executor: executor))
            return queue.itself
        }
        // The runtime does not retain an executor, and its actor may be gone once the job is done.
        withExtendedLifetime(itself) {}
    }

    /// Lets borrowers reach the actor's state, since they run on its thread.
    func checkIsolated() {
        let thread = queue.withLock { $0.thread }
        precondition(thread == ObjectIdentifier(Thread.current), "This is not the connection's thread.")
    }

    /// Ends the thread once its jobs are done.
    ///
    /// Call it when the actor is deinitialised: no job can follow then.
    func stop() {
        queue.withLock { $0.isStopped = true }
    }

    private func nextJobs() -> [Job]? {
        queue.wait { queue -> [Job]?? in
            if !queue.jobs.isEmpty {
                defer { queue.jobs.removeAll(keepingCapacity: true) }
                return queue.jobs
            }
            guard queue.isStopped else { return nil }
            queue.itself = nil
            return .some(nil)
        }
    }
}
