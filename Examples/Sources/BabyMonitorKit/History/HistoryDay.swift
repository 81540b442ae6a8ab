public import Foundation
public import SwitchyardCore

/// Where one day of the history ends and the next begins: at a time of day that people choose, since a night
/// with a baby does not end at midnight.
public struct HistoryDay: Sendable, Hashable {
    /// The hour of the first minute of a day, 0 to 23.
    public let startHour: Int
    /// The minute of the hour, 0 to 59.
    public let startMinute: Int
    /// The time zone.
    public let timeZone: TimeZone

    /// Days that begin at seven in the morning.
    public init(timeZone: TimeZone) {
        startHour = 7
        startMinute = 0
        self.timeZone = timeZone
    }

    /// Days that begin at a chosen time.
    ///
    /// - Throws: `BabyMonitorError` with code `invalidTimeOfDay` if no clock shows that time.
    public init(startHour: Int, startMinute: Int, timeZone: TimeZone) throws {
        guard (0...23).contains(startHour), (0...59).contains(startMinute) else {
            throw BabyMonitorError(
                .invalidTimeOfDay,
                "A day cannot start at \(startHour):\(startMinute); give an hour from 0 to 23 and a minute from 0 to 59."
            )
        }
        self.startHour = startHour
        self.startMinute = startMinute
        self.timeZone = timeZone
    }

    /// The day to which a time belongs: 06:59:59 belongs to the day before one that starts at 07:00.
    ///
    /// Returns nil outside the years 1 to 9999, which no store can hold.
    public func day(containing date: Date) -> CalendarDay? {
        guard Timestamp.microseconds(date) != nil else { return nil }
        let seconds = wallClock(date.timeIntervalSince1970) - secondsToStart
        guard let day = CalendarDay(daysSince1970: Int((seconds / Self.secondsPerDay).rounded(.down))) else {
            return nil
        }
        // When clocks are set back across the start, they show the previous day again; it counts as the new one.
        guard let next = CalendarDay(daysSince1970: Int(day.daysSince1970) + 1), start(of: next) <= date
        else {
            return day
        }
        return next
    }

    /// The first moment of a day.
    ///
    /// If clocks skip the time at which days start, it is the moment of the change; if they show it twice, the
    /// first of the two.
    public func start(of day: CalendarDay) -> Date {
        let wall = Double(day.daysSince1970) * Self.secondsPerDay + secondsToStart
        let before = offset(wall - Self.secondsPerDay)
        let after = offset(wall + Self.secondsPerDay)
        // The first moment at which clocks have reached the start lies between these two, which are equal unless
        // the clocks change on that day.
        var low = wall - max(before, after)
        var high = wall - min(before, after)
        if wallClock(low) >= wall { return Date(timeIntervalSince1970: low) }
        while high - low > 1 {
            let middle = ((low + high) / 2).rounded(.down)
            if wallClock(middle) >= wall { high = middle } else { low = middle }
        }
        return Date(timeIntervalSince1970: high)
    }

    private static let secondsPerDay = 86_400.0

    private var secondsToStart: Double { Double(startHour * 3600 + startMinute * 60) }

    // Days are computed from offsets and not with a `Calendar`, because stores and files hold Gregorian days even if
    // the device uses another calendar.
    private func offset(_ seconds: Double) -> Double {
        Double(timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds)))
    }

    private func wallClock(_ seconds: Double) -> Double { seconds + offset(seconds) }
}
