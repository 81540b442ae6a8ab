internal import Foundation
internal import SwitchyardCore

/// A format of times, which several threads may read by.
final class DateFormat: Sendable {
    private let format: String
    private let timeZone: TimeZone
    private let formatters = Monitor<[Bool: DateFormatter]>([:])

    init(_ format: String, _ timeZone: TimeZone) { (self.format, self.timeZone) = (format, timeZone) }

    /// The microseconds since 1970 of a text, of a day those of its beginning in UTC; nil for any text that the format would
    /// not have written.
    func microseconds(_ text: String, isDay: Bool) -> Int64? {
        formatters.withLock { formatters in
            let formatter = formatters[isDay] ?? make(isDay: isDay)
            formatters[isDay] = formatter
            guard let date = formatter.date(from: text), formatter.string(from: date) == text else {
                return nil
            }
            return Timestamp.microseconds(date)
        }
    }

    private func make(isDay: Bool) -> DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.calendar = Calendar(identifier: .gregorian)
        formatter.timeZone = isDay ? .gmt : timeZone
        formatter.dateFormat = format
        return formatter
    }
}
