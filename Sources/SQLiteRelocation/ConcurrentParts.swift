internal import Dispatch
internal import SQLiteStore
internal import SwitchyardCore

/// Two parts of a task that run concurrently.
enum ConcurrentParts {
    /// Runs both parts, and waits for both.
    ///
    /// - Parameters:
    ///   - stop: Ends the other part if one fails.
    ///   - first: One part.
    ///   - second: The other one, on another thread.
    /// - Returns: The results of both.
    /// - Throws: The error of the part that failed first; the other is stopped.
    static func run<First: Sendable, Second: Sendable>(
        _ stop: CancellationFlag, _ first: @Sendable () throws -> First,
        and second: @escaping @Sendable () throws -> Second
    ) throws -> (First, Second) {
        let results = Monitor<(first: First?, second: Second?, failure: (any Error)?)>((nil, nil, nil))
        @Sendable func run(_ part: () throws -> Void) {
            do { try part() } catch {
                results.withLock { if $0.failure == nil { $0.failure = error } }
                stop.set()
            }
        }
        let group = DispatchGroup()
        DispatchQueue.ofOneThread.async(group: group) {
            run {
                let result = try second()
                results.withLock { $0.second = result }
            }
        }
        run {
            let result = try first()
            results.withLock { $0.first = result }
        }
        group.wait()
        let (one, two, failure) = results.withLock { $0 }
        guard let one, let two else { throw failure ?? StoreError.taskCancelled }
        return (one, two)
    }
}

extension StoreDirectory {
    /// Runs work while holding the directory's lock, which another process may hold for a while.
    ///
    /// - Throws: `busy` after the timeout, `cancelled`, `inputOutput`, and what the work throws.
    func whileLocked<Result>(
        atMost seconds: Double, _ stop: CancellationFlag, _ work: () throws -> Result
    ) throws -> Result {
        let wait = BusyWait(seconds: seconds)
        var (tries, hasLock) = (0, false)
        while true {
            do {
                return try whileLocked {
                    hasLock = true
                    return try work()
                }
            } catch let error as StoreError where error.code == .busy && !hasLock {
                try stop.check()
                guard wait.pause(after: tries) else {
                    throw StoreError(
                        .busy,
                        "Another process is moving a file to \(path), or uses that directory. Wait until it is done and try "
                            + "again; nothing was changed.")
                }
                tries += 1
            }
        }
    }
}
