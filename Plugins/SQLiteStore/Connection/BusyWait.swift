internal import Foundation
internal import GRDB
internal import Synchronization

/// A wait for a lock that another connection or process holds: short sleeps between retries, up to a timeout.
///
/// Unlike SQLite's own busy timeout, it can be cancelled.
package struct BusyWait: Sendable {
    /// The delays between retries, in milliseconds; the last one is repeated.
    private static let delays = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

    /// The timeout, in milliseconds.
    private let timeout: Int

    /// Creates a wait with a timeout in seconds.
    package init(seconds: Double) { timeout = Int(seconds * 1000) }

    /// Sleeps until the next retry.
    ///
    /// - Parameter tries: The number of previous tries.
    /// - Returns: False, at once, after the timeout.
    package func pause(after tries: Int) -> Bool {
        let delays = Self.delays
        let last = delays.count - 1
        let waited = delays.prefix(tries).reduce(0, +) + max(tries - delays.count, 0) * delays[last]
        let delay = min(delays[min(tries, last)], timeout - waited)
        guard delay > 0 else { return false }
        Thread.sleep(forTimeInterval: Double(delay) / 1000)
        return true
    }

    /// The busy mode of a connection whose waits end when the task is cancelled or the store is suspended.
    static func atMost(
        _ seconds: Double, unless suspension: Suspension? = nil, noting start: LockWait? = nil
    ) -> Database.BusyMode {
        let wait = BusyWait(seconds: seconds)
        return .callback { tries in
            if tries == 0 { start?.begin() }
            guard !Task.isCancelled, suspension?.isActive != true else { return false }
            return wait.pause(after: tries)
        }
    }
}

/// When the last wait for SQLite's lock began; SQLite calls its busy handler only while the wait lasts.
final class LockWait: Sendable {
    private let start = Mutex<ContinuousClock.Instant?>(nil)

    /// Whether there was a wait since the last `take`.
    var hasBegun: Bool { start.withLock { $0 != nil } }

    func begin() { start.withLock { $0 = .now } }

    /// Returns the start of a wait since the last call, if any, and resets it.
    func take() -> ContinuousClock.Instant? {
        start.withLock { start in
            defer { start = nil }
            return start
        }
    }
}
