import Dispatch
import Foundation
import Synchronization

/// The signal that has ended the command's work.
struct Interruption: Error {
    let signal: Int32

    /// Ends the process as the signal would have, so that a shell sees what has happened.
    func endProcess() -> Never {
        Foundation.signal(signal, SIG_DFL)
        // The threads of a pool have signals blocked.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, signal)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(signal)
        exit(128 + signal)
    }
}

extension Interruption {
    /// Runs work that has something to put in order before the process ends.
    ///
    /// A signal to end the process cancels the work; a second one ends it at once.
    ///
    /// - Throws: `Interruption` if a signal has ended the work, or what the work throws.
    static func cancelling<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let task = Task { try await work() }
        let caught = Mutex<Int32?>(nil)
        let sources = [SIGINT, SIGTERM].compactMap { number -> (any DispatchSourceSignal)? in
            // What was started in the background without job control ignores the keyboard's signal, and goes
            // on doing so.
            guard !isIgnored(Foundation.signal(number, SIG_IGN)) else { return nil }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
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
