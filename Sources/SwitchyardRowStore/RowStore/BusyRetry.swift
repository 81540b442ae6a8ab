internal import Foundation

/// Runs a write until nobody else holds the lock that it needs.
enum BusyRetry {
    /// Blocks while the work throws `busy` before it has begun, until the timeout has passed.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait.
    ///   - cancellation: Ends the wait.
    ///   - work: The write. It says when it has begun: from then on, `busy` is its own.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws; `cancelled`.
    static func run<Result>(
        for timeout: Duration, _ cancellation: Cancellation, _ work: (inout Bool) throws -> Result
    ) throws -> Result {
        let deadline = ContinuousClock.now + timeout
        var hasBegun = false
        while true {
            do {
                return try work(&hasBegun)
            } catch let error as StoreError where error.code == .busy && !hasBegun && .now < deadline {
                try cancellation.check()
                // A random delay, so that waiting writers do not retry in lockstep.
                Thread.sleep(forTimeInterval: .random(in: 0.001...0.02))
            }
        }
    }
}
