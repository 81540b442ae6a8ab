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
    private let condition = MonotonicCondition()
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
        let deadline = ContinuousClock.now + .seconds(seconds)
        condition.lock()
        defer { unlock() }
        while true {
            if let result = body(&state) { return result }
            let left = (deadline - .now) / .seconds(1)
            guard left > 0 else { return nil }
            // In steps, because the condition's clock stands still while the machine sleeps, and the deadline's does not.
            condition.wait(atMost: min(left, 1))
        }
    }

    /// Wakes the waiting threads after the lock is free, which they would else wait for at once.
    private func unlock() {
        condition.unlock()
        condition.broadcast()
    }
}

/// A lock and a condition variable whose waits go by a clock that is never set.
///
/// `NSCondition` takes a `Date`: when the system's time is set back during a wait, the wait is longer by as much.
private final class MonotonicCondition {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
            pthread_cond_init(condition, nil)
        #else
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(condition, &attributes)
            pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func lock() { pthread_mutex_lock(mutex) }

    func unlock() { pthread_mutex_unlock(mutex) }

    func broadcast() { pthread_cond_broadcast(condition) }

    func wait() { pthread_cond_wait(condition, mutex) }

    /// Waits until it is woken, or for some seconds.
    func wait(atMost seconds: Double) {
        let (whole, nanoseconds) = (Int(seconds), Int(seconds.truncatingRemainder(dividingBy: 1) * 1e9))
        #if canImport(Darwin)
            var time = timespec(tv_sec: whole, tv_nsec: nanoseconds)
            pthread_cond_timedwait_relative_np(condition, mutex, &time)
        #else
            var end = timespec()
            clock_gettime(CLOCK_MONOTONIC, &end)
            end.tv_sec += whole + (end.tv_nsec + nanoseconds) / 1_000_000_000
            end.tv_nsec = (end.tv_nsec + nanoseconds) % 1_000_000_000
            pthread_cond_timedwait(condition, mutex, &end)
        #endif
    }
}
