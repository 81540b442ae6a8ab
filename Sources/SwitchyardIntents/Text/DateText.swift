public import Foundation
internal import SwitchyardCore

/// Parses the ISO 8601 dates and times that people and programs write.
public enum DateText {
    /// Reads `2026-11-21T08:30:00.123Z`, with a zone of `Z` or `+01:00`, with fewer parts of the time, with a
    /// space for the `T`, without a zone (then in the given one), or the day alone (its first moment).
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - timeZone: Returns the zone for a text without one; called only then.
    /// - Returns: The moment; nil if the text has another form, or there is no such day or time.
    /// - Throws: What `timeZone` throws.
    public static func date(_ text: String, timeZone: () throws -> TimeZone) rethrows -> Date? {
        guard let time = ISO8601Time(text) else { return nil }
        let seconds = Double(time.day.daysSince1970) * 86_400 + Double(time.microseconds) / 1_000_000
        guard let offset = time.offset else { return local(seconds, in: try timeZone()) }
        return Date(timeIntervalSince1970: seconds - Double(offset))
    }

    /// The moment at which clocks in a zone show a date and time.
    ///
    /// In the hour skipped when summer time begins, the clock is read as if it had not been changed yet; in the
    /// hour repeated when it ends, the first occurrence is used.
    private static func local(_ seconds: Double, in zone: TimeZone) -> Date {
        func offset(_ seconds: Double) -> Double {
            Double(zone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds)))
        }
        // A zone's offset changes at most once within a day, so either the offset before or the one after is right.
        let before = offset(seconds - 86_400)
        let after = offset(seconds + 86_400)
        let usesNewOffset = offset(seconds - before) != before && offset(seconds - after) == after
        return Date(timeIntervalSince1970: seconds - (usesNewOffset ? after : before))
    }
}
