internal import Foundation

/// A day of the proleptic Gregorian calendar, without a time or a time zone.
public struct CalendarDay: Hashable, Comparable, Sendable {
    /// The number of days since 1970-01-01, within the years 1 to 9999.
    public let daysSince1970: Int32

    /// The days that every backend can hold: 0001-01-01 to 9999-12-31.
    public static let range: ClosedRange<Int32> = -719_162...2_932_896

    /// Creates a day from a number of days since 1970-01-01; nil outside the years 1 to 9999.
    public init?(daysSince1970 days: Int) {
        guard let exact = Int32(exactly: days), Self.range.contains(exact) else { return nil }
        daysSince1970 = exact
    }

    /// Creates a day from a year, a month and a day; nil if there is no such day.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.length(ofMonth: month, year: year)
        else { return nil }
        self.init(daysSince1970: Self.days(year: year, month: month, day: day))
    }

    /// Parses `YYYY-MM-DD`; nil for any other text.
    public init?(_ text: String) {
        guard text.utf8.count == 10, let time = ISO8601Time(text) else { return nil }
        self = time.day
    }

    /// Whether the first comes before the second.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.daysSince1970 < rhs.daysSince1970 }

    /// The calendar's year, month (1 to 12) and day (1 to 31).
    public var components: (year: Int, month: Int, day: Int) {
        // Counts from 0000-03-01, so that the leap day ends a year: H. Hinnant, "chrono-compatible low-level
        // date algorithms", civil_from_days.
        let shifted = Int(daysSince1970) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }

    private static func days(year: Int, month: Int, day: Int) -> Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension CalendarDay: CustomStringConvertible {
    /// The day as `YYYY-MM-DD`.
    public var description: String {
        let (year, month, day) = components
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }
}

extension CalendarDay: Codable {
    /// Decodes the value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let day = CalendarDay(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "A calendar day has the form YYYY-MM-DD.")
        }
        self = day
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
