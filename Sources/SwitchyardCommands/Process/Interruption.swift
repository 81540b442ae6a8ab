internal import Dispatch
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
        // A queue of their own, because work that computes may have all threads of the global ones.
        let queue = DispatchQueue(label: "switchyard.commands.signals")
        let sources = [SIGINT, SIGTERM].compactMap { number -> (any DispatchSourceSignal)? in
            // A process started in the background without job control ignores the keyboard's signal, and must
            // continue to.
            guard !isIgnored(Foundation.signal(number, SIG_IGN)) else { return nil }
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                caught.withLock { $0 = $0 ?? number }
                Foundation.signal(number, SIG_DFL)
                task.cancel()
            }
            source.activate()
            return source
        }
        defer {
            for source in sources { source.cancel() }
        }
        do {
            return try await task.value
        } catch {
            guard let number = caught.withLock({ $0 }) else { throw error }
            throw Interruption(signal: number)
        }
    }

    private static func isIgnored<Handler>(_ handler: Handler) -> Bool {
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
