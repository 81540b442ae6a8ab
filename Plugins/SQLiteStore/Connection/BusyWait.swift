internal import Foundation
internal import GRDB

/// A wait for a lock that another connection or process has: short sleeps between the tries, of a bounded
/// sum.
///
/// Unlike SQLite's own busy timeout, it can be ended.
struct BusyWait {
    /// The waits between the tries, in milliseconds; the last one is repeated.
    private static let delays = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

    /// The longest wait in all, in milliseconds.
    private let timeout: Int

    /// Describes a wait of so many seconds in all.
    init(seconds: Double) { timeout = Int(seconds * 1000) }

    /// Sleeps until the next try.
    ///
    /// - Parameter tries: How many tries there were before.
    /// - Returns: False, at once, if the time is over.
    func pause(after tries: Int) -> Bool {
        let delays = Self.delays
        let last = delays.count - 1
        let waited = delays.prefix(tries).reduce(0, +) + max(tries - delays.count, 0) * delays[last]
        let delay = min(delays[min(tries, last)], timeout - waited)
        guard delay > 0 else { return false }
        Thread.sleep(forTimeInterval: Double(delay) / 1000)
        return true
    }

    /// The busy mode of a connection, whose waits end when the task is cancelled or the store suspended.
    static func atMost(_ seconds: Double, unless suspension: Suspension? = nil) -> Database.BusyMode {
        let wait = BusyWait(seconds: seconds)
        return .callback { tries in
            guard !Task.isCancelled, suspension?.isActive != true else { return false }
            return wait.pause(after: tries)
        }
    }
}
