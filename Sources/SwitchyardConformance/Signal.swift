internal import Foundation
internal import Synchronization

/// A flag that is raised once, for tests that must put two tasks in a certain order without sleeping.
final class Signal: Sendable {
    private let state = Mutex<(isRaised: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))
    private let threads = DispatchSemaphore(value: 0)

    /// Raises the flag and lets all who wait go on.
    func raise() {
        let waiting = state.withLock { state in
            state.isRaised = true
            defer { state.waiting = [] }
            return state.waiting
        }
        threads.signal()
        for continuation in waiting { continuation.resume() }
    }

    /// Waits for the flag in a task.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isRaised = state.withLock { state in
                if !state.isRaised { state.waiting.append(continuation) }
                return state.isRaised
            }
            if isRaised { continuation.resume() }
        }
    }

    /// Whether the flag is up.
    var isRaised: Bool { state.withLock(\.isRaised) }

    /// Waits for the flag inside a transaction's body, which runs on a thread that may block.
    ///
    /// One body may wait, any number of times, since it may be run again.
    func waitOnThread() {
        threads.wait()
        threads.signal()
    }

    /// Waits like `waitOnThread()`, but for a time only: for a flag that may never be raised.
    ///
    /// - Returns: Whether the flag is up.
    func waitOnThread(atMost time: DispatchTimeInterval) -> Bool {
        guard threads.wait(timeout: .now() + time) == .success else { return false }
        threads.signal()
        return true
    }
}
