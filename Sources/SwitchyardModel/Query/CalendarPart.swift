package import Foundation

/// A part of the time that the clock of a zone shows.
package struct CalendarPart: Sendable, Hashable {
    package enum Unit: Sendable, Hashable {
        case hour, hourOfDay, day, weekday, month, quarter, year
        case week(from: Weekday)
    }

    private let unit: Unit
    private let zone: TimeZone
    /// The seconds after midnight at which a day begins.
    private let start: Int

    /// Creates a part; nil if a day cannot begin then.
    package init?(_ unit: Unit, in zone: TimeZone, startingAt start: Duration = .zero) {
        let (seconds, attoseconds) = start.components
        guard attoseconds == 0, (0..<86_400).contains(seconds) else { return nil }
        (self.unit, self.zone, self.start) = (unit, zone, Int(seconds))
    }

    /// The period by whose number the part is found.
    package var period: ClockPeriod {
        switch unit {
        case .hour, .hourOfDay: .hour
        case .day, .weekday, .month, .quarter, .year, .week: .day
        }
    }

    /// The offsets, if they are the same for all times.
    package var fixedOffsets: ClockOffsets? {
        zone.nextDaylightSavingTimeTransition(after: .distantPast) == nil
            ? ClockOffsets(offset(at: .distantPast)) : nil
    }

    /// The offsets for times between two, in microseconds since 1970 UTC.
    package func offsets(from first: Int64, to last: Int64) -> ClockOffsets {
        // A change before the first time can count after it, and an hour can begin with one.
        var time = Timestamp.date(microseconds: first).addingTimeInterval(-2 * 86_400)
        let last = Timestamp.date(microseconds: last)
        let seconds = offset(at: time)
        var (changes, current): ([ClockOffsets.Change], Int) = ([], seconds)
        while let next = zone.nextDaylightSavingTimeTransition(after: time), next > time, next <= last {
            let (before, after) = (
                current, period == .hour ? shift(at: next, from: current) : offset(at: next)
            )
            if after != before {
                changes.append(ClockOffsets.Change(at: moment(of: next, from: before, to: after), to: after))
            }
            (time, current) = (next, after)
        }
        return ClockOffsets(seconds, changes: changes)
    }

    /// What is added to a time, in seconds.
    ///
    /// Hours begin with those of the clock, and are counted as moments, since the clock can show one twice.
    private func offset(at time: Date) -> Int {
        let seconds = zone.secondsFromGMT(for: time)
        return period == .hour ? (seconds % 3600 + 3600) % 3600 : seconds - start
    }

    /// What is added to times from a change of the clock on, so that each hour that the clock shows has a number of its own.
    ///
    /// The numbers ascend: an hour that the clock enters in its middle, or shows again, has the next one. It keeps its number
    /// where the change lies within it.
    private func shift(at change: Date, from before: Int) -> Int {
        let time = Int64(change.timeIntervalSince1970) * 1_000_000
        let end = change.addingTimeInterval(-1)
        let clock = ClockOffsets(zone.secondsFromGMT(for: end))
        let changed = ClockOffsets(zone.secondsFromGMT(for: change))
        let shown = clock.number(of: .hour, at: time - 1)
        let isWithinHour =
            clock.number(of: .hour, at: time) == shown && changed.number(of: .hour, at: time) == shown
        let after = before - offset(at: end) + offset(at: change)
        let last = ClockOffsets(before).number(of: .hour, at: time - 1)
        let next = ClockOffsets(after).number(of: .hour, at: time)
        return after + Int(isWithinHour ? last - next : max(0, last + 1 - next)) * 3600
    }

    /// When a change counts: a clock that is set back across the start of a day shows the day before again, which is over.
    private func moment(of change: Date, from before: Int, to after: Int) -> Int64 {
        let time = Int64(change.timeIntervalSince1970) * 1_000_000
        guard period == .day else { return time }
        let day = ClockOffsets(before).number(of: .day, at: time - 1)
        guard ClockOffsets(after).number(of: .day, at: time) < day else { return time }
        return day * Timestamp.microsecondsPerDay - Int64(after) * 1_000_000
    }

    /// The part for a period.
    ///
    /// - Parameters:
    ///   - number: The number of the period.
    ///   - offsets: The offsets by which it was counted.
    /// - Returns: The value of the key.
    /// - Throws: `arithmetic` outside the years 1 to 9999.
    package func value(of number: Int64, _ offsets: ClockOffsets) throws -> StoredValue {
        if period == .hour {
            let time = offsets.start(of: number, .hour)
            guard Timestamp.range.contains(time) else { throw StoreError.overflow }
            guard unit == .hourOfDay else { return .timestamp(time) }
            let shown = Int(time / 1_000_000) + zone.secondsFromGMT(for: Timestamp.date(microseconds: time))
            return .int(Int64((shown % 86_400 + 86_400) % 86_400 / 3600))
        }
        guard let day = CalendarDay(daysSince1970: Int(number)) else { throw StoreError.overflow }
        let (year, month, _) = day.components
        switch unit {
        case .hour, .hourOfDay, .day: return .day(day)
        case .weekday: return .int(Int64(Weekday(of: day).rawValue))
        case .week(let first):
            let back = (Weekday(of: day).rawValue - first.rawValue + 7) % 7
            guard let start = CalendarDay(daysSince1970: Int(number) - back) else {
                throw StoreError.overflow
            }
            return .day(start)
        case .month: return try first(year, month)
        case .quarter: return try first(year, (month - 1) / 3 * 3 + 1)
        case .year: return try first(year, 1)
        }
    }

    /// The parts of times, null for null.
    ///
    /// - Throws: As `value(of:_:)`.
    package func values(at times: [StoredValue]) throws -> [StoredValue] {
        let microseconds = times.compactMap { if case .timestamp(let time) = $0 { time } else { nil } }
        guard let first = microseconds.min(), let last = microseconds.max() else { return times }
        let offsets = offsets(from: first, to: last)
        return try times.map { time in
            guard case .timestamp(let time) = time else { return .null }
            return try value(of: offsets.number(of: period, at: time), offsets)
        }
    }

    private func first(_ year: Int, _ month: Int) throws -> StoredValue {
        guard let day = CalendarDay(year: year, month: month, day: 1) else { throw StoreError.overflow }
        return .day(day)
    }
}
