internal import Foundation
internal import GRDB

/// The wait for a lock that another connection or process has, which a cancelled task leaves.
///
/// It is that of SQLite's own busy timeout, which nothing can end.
enum BusyWait {
    /// The waits between the tries, in milliseconds; the last one is repeated.
    private static let delays = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

    /// A wait of so many seconds in all.
    static func atMost(_ seconds: Double) -> Database.BusyMode {
        let timeout = Int(seconds * 1000)
        return .callback { tries in
            guard !Task.isCancelled else { return false }
            let last = delays.count - 1
            let waited = delays.prefix(tries).reduce(0, +) + max(tries - delays.count, 0) * delays[last]
            let delay = min(delays[min(tries, last)], timeout - waited)
            guard delay > 0 else { return false }
            Thread.sleep(forTimeInterval: Double(delay) / 1000)
            return true
        }
    }
}
