internal import Synchronization

/// Tells of an outage of the store once, however many requests fail meanwhile, and once of its end.
final class OutageLog: Sendable {
    private struct Outage {
        let start: ContinuousClock.Instant
        var lastFailure: ContinuousClock.Instant
        var failures = 1
    }

    /// What a log says when the store answers again.
    struct Ending: Equatable {
        let duration: Duration
        /// How many requests have failed.
        let failures: Int
    }

    private let outage = Mutex<Outage?>(nil)
    /// How long no request has failed once an outage is over: while some fail and others do not, it goes on.
    static let quiet = Duration.seconds(5)

    /// Notes that a request has failed, since the store could not be reached.
    ///
    /// - Returns: Whether an outage has begun.
    func fail(at now: ContinuousClock.Instant = .now) -> Bool {
        outage.withLock { outage in
            guard outage == nil else {
                outage?.failures += 1
                outage?.lastFailure = now
                return false
            }
            outage = Outage(start: now, lastFailure: now)
            return true
        }
    }

    /// Notes that the store has answered a request.
    ///
    /// - Returns: The outage that is over; nil if there was none, or it may go on.
    func succeed(at now: ContinuousClock.Instant = .now) -> Ending? {
        outage.withLock { outage in
            guard let last = outage, last.lastFailure + Self.quiet <= now else { return nil }
            outage = nil
            return Ending(duration: last.start.duration(to: last.lastFailure), failures: last.failures)
        }
    }
}
