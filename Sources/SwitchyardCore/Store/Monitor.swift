internal import Foundation

/// State that plain threads share and wait on.
///
/// `Mutex` has no condition variable, and Thread Sanitizer does not see it where threads contend. Call `wait` only on a
/// dedicated thread, never on the cooperative pool. Any thread may call `withLock`, whose body must be short and wait for
/// nothing. The lock is not recursive: a body must not call its own monitor.
///
/// It is unchecked Sendable because `condition` is a constant that any thread may use, `state` is only accessed between
/// `lock` and `unlock`, and values that a body takes out or leaves behind are Sendable, as `State` is.
package final class Monitor<State: Sendable>: @unchecked Sendable {
    private let condition = NSCondition()
    private var state: State

    package init(_ state: State) { self.state = state }

    /// Changes the state and wakes all waiting threads.
    package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        condition.lock()
        defer { unlock() }
        return try body(&state)
    }

    /// Blocks the calling thread until `body` returns a result.
    package func wait<Result>(until body: (inout State) -> Result?) -> Result {
        condition.lock()
        defer { unlock() }
        while true {
            if let result = body(&state) { return result }
            condition.wait()
        }
    }

    /// Blocks the calling thread until `body` returns a result; returns nil after `seconds`.
    package func wait<Result>(atMost seconds: Double, until body: (inout State) -> Result?) -> Result? {
        // By a clock that is not set, which the condition's own is.
        let deadline = ContinuousClock.now + .seconds(seconds)
        condition.lock()
        defer { unlock() }
        while true {
            if let result = body(&state) { return result }
            let left = (deadline - .now) / .seconds(1)
            guard left > 0 else { return nil }
            _ = condition.wait(until: Date(timeIntervalSinceNow: min(left, 1)))
        }
    }

    /// Wakes the waiting threads after the lock is free, which they would else wait for at once.
    private func unlock() {
        condition.unlock()
        condition.broadcast()
    }
}
