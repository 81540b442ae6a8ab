internal import Foundation

/// State that plain threads share and wait on.
///
/// `Mutex` has no condition to wait for, and a wait is what a thread of its own is for. Nothing on the
/// cooperative pool may call `wait`; `withLock` is held for a few instructions only, so everybody may call
/// it.
///
/// Sendable without the compiler's proof: `condition` never changes and any thread may use it; `state` is
/// read and written between `lock` and `unlock` alone, and what a body carries out of there or leaves there
/// is a copy that any thread may have, since `State` is itself Sendable. Its lock is not recursive: a body
/// calls no monitor.
package final class Monitor<State: Sendable>: @unchecked Sendable {
    private let condition = NSCondition()
    private var state: State

    package init(_ state: State) { self.state = state }

    /// Changes the state and wakes whoever waits for a change.
    package func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        return body(&state)
    }

    /// Blocks the calling thread until `body` gives a result.
    package func wait<Result>(until body: (inout State) -> Result?) -> Result {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        while true {
            if let result = body(&state) { return result }
            condition.wait()
        }
    }

    /// Blocks the calling thread until `body` gives a result, or gives nil once `seconds` have passed.
    package func wait<Result>(atMost seconds: Double, until body: (inout State) -> Result?) -> Result? {
        let deadline = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        while true {
            if let result = body(&state) { return result }
            if !condition.wait(until: deadline) { return body(&state) }
        }
    }
}
