package import Dispatch
internal import SwitchyardCore

/// An event that happens once, for tests that must order two tasks without sleeping.
///
/// `Contract.signal(_:)` creates it, and abandons it when the test ends, so that no task waits forever.
package final class Signal: Sendable {
    /// What happens, for failure messages.
    let name: String
    private let waits: Waits
    // Not a Mutex, which Thread Sanitizer does not understand.
    private let state = Monitor(State())
    private let threads = DispatchSemaphore(value: 0)

    private struct State: Sendable {
        /// Whether it has happened; false if it never will, nil while it is undecided.
        var isRaised: Bool?
        var waiting: [CheckedContinuation<Bool, Never>] = []
    }

    init(_ name: String, _ waits: Waits) {
        self.name = name
        self.waits = waits
    }

    /// Releases all waiters, because it has happened.
    package func raise() { settle(true) }

    /// Releases all waiters, because it will not happen any more.
    func abandon() { settle(false) }

    private func settle(_ isRaised: Bool) {
        let waiting = state.withLock { state in
            guard state.isRaised == nil else { return [CheckedContinuation<Bool, Never>]() }
            state.isRaised = isRaised
            defer { state.waiting = [] }
            return state.waiting
        }
        threads.signal()
        for continuation in waiting { continuation.resume(returning: isRaised) }
    }

    /// Waits in a task.
    ///
    /// - Returns: Whether it has happened.
    package func wait() async -> Bool {
        await waits.during("the moment when \(name)") {
            await withCheckedContinuation { continuation in
                let isRaised = state.withLock { state in
                    if state.isRaised == nil { state.waiting.append(continuation) }
                    return state.isRaised
                }
                if let isRaised { continuation.resume(returning: isRaised) }
            }
        }
    }

    /// Whether it has happened.
    package var isRaised: Bool { state.withLock { $0.isRaised == true } }

    /// Waits inside a transaction's body, which runs on a thread that may block.
    ///
    /// A body may wait any number of times, since it may run again.
    ///
    /// - Parameter time: The longest wait, in case it never happens.
    /// - Returns: Whether it has happened.
    @discardableResult
    package func waitOnThread(atMost time: DispatchTimeInterval? = nil) -> Bool {
        let number = waits.begin("the moment when \(name)")
        defer { waits.end(number) }
        if threads.wait(timeout: time.map { .now() + $0 } ?? .distantFuture) == .success { threads.signal() }
        return isRaised
    }
}
