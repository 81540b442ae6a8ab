internal import Foundation
internal import SwitchyardCore

/// A format of times, which several threads may read by.
final class DateFormat: Sendable {
    private let format: String
    private let timeZone: TimeZone
    private let clock: LocalClock
    private let formatters = Monitor<Formatters?>(nil)

    private struct Formatters {
        /// Reads a text without a zone as what the clocks show.
        let shown: DateFormatter
        /// Reads a text without a zone as another moment than `shown` does.
        let shifted: DateFormatter
        /// Reads and writes a text with a zone.
        let zoned: DateFormatter
    }

    init(_ format: String, _ timeZone: TimeZone, _ repeated: RepeatedTime) {
        (self.format, self.timeZone) = (format, timeZone)
        clock = LocalClock(timeZone, repeated: repeated)
    }

    /// The microseconds since 1970 of a text, of a day those of its beginning in UTC.
    ///
    /// - Returns: Nil for any text that the format would not have written.
    /// - Throws: `LocalClock.Fault` for a text without a zone that the clocks show twice or never: a formatter would take
    ///   a moment in silence.
    func microseconds(_ text: String, isDay: Bool) throws(LocalClock.Fault) -> Int64? {
        let found = formatters.withLock { formatters -> (date: Date, namesZone: Bool)? in
            let ready = formatters ?? make()
            formatters = ready
            guard let shown = ready.shown.date(from: text) else { return nil }
            let namesZone = ready.shifted.date(from: text) == shown
            let writer = namesZone && !isDay ? ready.zoned : ready.shown
            return writer.string(from: shown) == text ? (shown, namesZone) : nil
        }
        guard let found, let microseconds = Timestamp.microseconds(found.date) else { return nil }
        if isDay || found.namesZone { return microseconds }
        let fraction = (microseconds % 1_000_000 + 1_000_000) % 1_000_000
        return try clock.moment(showing: (microseconds - fraction) / 1_000_000) * 1_000_000 + fraction
    }

    private func make() -> Formatters {
        Formatters(
            shown: make(.gmt), shifted: make(TimeZone(secondsFromGMT: 3600) ?? timeZone),
            zoned: make(timeZone))
    }

    private func make(_ timeZone: TimeZone) -> DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.calendar = Calendar(identifier: .gregorian)
        formatter.timeZone = timeZone
        formatter.dateFormat = format
        return formatter
    }
}
