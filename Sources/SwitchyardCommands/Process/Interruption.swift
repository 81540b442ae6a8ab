internal import Foundation
internal import Synchronization

/// The signal that interrupted the command.
public struct Interruption: Error {
    /// The number of the signal.
    public let signal: Int32

    /// Ends the process with the same signal, so that a shell sees what happened.
    func endProcess() -> Never {
        Foundation.signal(signal, SIG_DFL)
        // The threads of a pool may have signals blocked.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, signal)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(signal)
        exit(128 + signal)
    }
}

extension Interruption {
    /// Runs work that must clean up before the process ends.
    ///
    /// A termination signal cancels the work; a second one ends the process at once.
    ///
    /// - Throws: `Interruption` if a signal ended the work, or any error of the work.
    public static func cancelling<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let task = Task { try await work() }
        let caught = Mutex<Int32?>(nil)
        let signals = CaughtSignals([SIGINT, SIGTERM]) { number in
            let isFirst = caught.withLock { caught in
                defer { caught = caught ?? number }
                return caught == nil
            }
            guard isFirst else { Interruption(signal: number).endProcess() }
            task.cancel()
        }
        defer { signals.release() }
        do {
            // Work around this may be cancelled as well, by a signal that it caught first.
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch {
            guard let number = caught.withLock({ $0 }) else { throw error }
            throw Interruption(signal: number)
        }
    }
}
