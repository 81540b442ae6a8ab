public import Foundation
internal import SwitchyardCore

/// Parses the ISO 8601 dates and times that people and programs write.
public enum DateText {
    /// The clocks of a zone show a time twice or never, as when summer time ends or begins.
    public struct UnclearTime: Error, Hashable, CustomStringConvertible {
        /// What is unclear, and what to write instead.
        public let description: String

        init(_ fault: LocalClock.Fault) {
            let times = fault == .repeated ? "twice" : "never"
            description =
                "The clocks show that time \(times) on that day, because summer time \(fault == .repeated ? "ends" : "begins"). "
                + "Give the zone, such as 2026-10-25T02:30:00+02:00."
        }
    }

    /// Reads `2026-11-21T08:30:00.123Z`, with a zone of `Z` or `+01:00`, with fewer parts of the time, with a
    /// space for the `T`, without a zone (then in the given one), or the day alone (its first moment).
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - timeZone: Returns the zone for a text without one; called only then.
    /// - Returns: The moment; nil if the text has another form, or there is no such day or time.
    /// - Throws: `UnclearTime` for a time without a zone that the clocks show twice or never; what `timeZone` throws.
    public static func date(_ text: String, timeZone: () throws -> TimeZone) throws -> Date? {
        guard let time = ISO8601Time(text) else { return nil }
        let shown = Int64(time.day.daysSince1970) * 86_400_000_000 + time.microseconds
        if let offset = time.offset { return date(shown - Int64(offset) * 1_000_000) }
        let zone = try timeZone()
        if CalendarDay(text) != nil { return firstMoment(of: time.day, in: zone) }
        do throws(LocalClock.Fault) {
            return date(try LocalClock(zone, repeated: .refused).microseconds(time))
        } catch {
            throw UnclearTime(error)
        }
    }

    private static func date(_ microseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    }

    /// Where the clocks skip midnight, a day begins when they go on.
    private static func firstMoment(of day: CalendarDay, in zone: TimeZone) -> Date {
        let midnight = Double(day.daysSince1970) * 86_400
        func offset(_ seconds: Double) -> Double {
            Double(zone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds)))
        }
        // A zone's offset changes at most once within a day, so either the offset before or the one after is right.
        let before = offset(midnight - 86_400)
        let after = offset(midnight + 86_400)
        let usesNewOffset = offset(midnight - before) != before && offset(midnight - after) == after
        return Date(timeIntervalSince1970: midnight - (usesNewOffset ? after : before))
    }
}
