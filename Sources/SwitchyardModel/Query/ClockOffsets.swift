/// What makes the time of a clock of UTC: the difference of a time zone, which changes with its seasons.
///
/// They are given to a database as they are, whose own tables of time zones can be older or newer.
public struct ClockOffsets: Sendable, Hashable {
    /// A change of the clock.
    public struct Change: Sendable, Hashable {
        /// The first moment after it, in microseconds since 1970 UTC.
        public let time: Int64
        /// What is added to times from then on, in seconds.
        public let seconds: Int

        /// Creates a change.
        public init(at time: Int64, to seconds: Int) { (self.time, self.seconds) = (time, seconds) }
    }

    /// What is added to times before the first change, in seconds.
    public let seconds: Int
    /// The changes, the earliest first.
    public let changes: [Change]

    /// Creates the offsets of a clock.
    public init(_ seconds: Int = 0, changes: [Change] = []) {
        (self.seconds, self.changes) = (seconds, changes)
    }

    /// What is added to a time in microseconds since 1970 UTC, in seconds.
    public func seconds(at time: Int64) -> Int {
        seconds(after: count { $0.time <= time })
    }

    private func seconds(after count: Int) -> Int { count == 0 ? seconds : changes[count - 1].seconds }

    /// The number of changes before the first for which a condition is false.
    private func count(while condition: (Change) -> Bool) -> Int {
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if condition(changes[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The number of the period in which a time lies, as `GroupKey.period` counts it.
    package func number(of period: ClockPeriod, at time: Int64) -> Int64 {
        let shown = time + Int64(seconds(at: time)) * 1_000_000
        let (quotient, remainder) = shown.quotientAndRemainder(dividingBy: period.microseconds)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// The first moment of a period, if the numbers of periods ascend with time.
    package func start(of number: Int64, _ period: ClockPeriod) -> Int64 {
        let count = count { ClockOffsets($0.seconds).number(of: period, at: $0.time) < number }
        let start = number * period.microseconds - Int64(seconds(after: count)) * 1_000_000
        return count < changes.count ? min(start, changes[count].time) : start
    }
}

/// A period that a clock counts.
public enum ClockPeriod: Sendable, Hashable, CaseIterable {
    /// 60 minutes.
    case hour
    /// 24 hours of the clock.
    case day

    /// Its length on the clock.
    package var microseconds: Int64 {
        switch self {
        case .hour: Timestamp.microsecondsPerDay / 24
        case .day: Timestamp.microsecondsPerDay
        }
    }
}
