/// A day of the week, numbered as in ISO 8601.
public enum Weekday: Int, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// The first day of an ISO week.
    case monday = 1
    case tuesday, wednesday, thursday, friday, saturday, sunday

    /// The day of the week on which a calendar day falls.
    public init(of day: CalendarDay) {
        // 1970-01-01 was a Thursday.
        let index = (Int(day.daysSince1970) % 7 + 7 + 3) % 7
        self = Self.allCases[index]
    }

    /// Whether the first comes before the second in a week that begins on Monday.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
