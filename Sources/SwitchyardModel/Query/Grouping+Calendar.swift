public import Foundation

// Calendar parts of a time. Each is there twice, since the key of an optional time is optional, and a type cannot say so.

extension Grouping {
    private static func part(
        _ unit: CalendarPart.Unit, of keyPath: PartialKeyPath<Element>, in zone: TimeZone,
        startingAt start: Duration = .zero
    ) -> Self {
        Grouping(
            key: Element.attribute(at: keyPath).flatMap { name in
                guard let part = CalendarPart(unit, in: zone, startingAt: start) else {
                    return .failure(
                        StoreError(
                            .invalidArgument,
                            "A day starts at a whole second between 00:00:00 and 23:59:59; give another start.",
                            entity: Element.entityName, attribute: name))
                }
                return .success(GroupingKey(name, part: part))
            })
    }
}

extension Grouping where Value == CalendarDay {
    /// The calendar day of a time.
    ///
    /// A day on which the clock changes has 23 or 25 hours.
    ///
    /// - Parameters:
    ///   - keyPath: The time.
    ///   - zone: The time zone.
    ///   - start: When a day begins, after midnight; 07:00 is `.seconds(7 * 3600)`.
    /// - Returns: The key.
    public static func day(
        of keyPath: KeyPath<Element, Date>, in zone: TimeZone, startingAt start: Duration = .zero
    ) -> Self {
        part(.day, of: keyPath, in: zone, startingAt: start)
    }

    /// The first day of the week.
    ///
    /// - Parameters:
    ///   - keyPath: The time.
    ///   - zone: The time zone.
    ///   - first: The day with which a week begins.
    ///   - start: When a day begins, after midnight; 07:00 is `.seconds(7 * 3600)`.
    /// - Returns: The key.
    public static func week(
        of keyPath: KeyPath<Element, Date>, in zone: TimeZone, startingOn first: Weekday = .monday,
        startingAt start: Duration = .zero
    ) -> Self {
        part(.week(from: first), of: keyPath, in: zone, startingAt: start)
    }

    /// The first day of the month.
    ///
    /// - Parameters:
    ///   - keyPath: The time.
    ///   - zone: The time zone.
    ///   - start: When a day begins, after midnight; 07:00 is `.seconds(7 * 3600)`.
    /// - Returns: The key.
    public static func month(
        of keyPath: KeyPath<Element, Date>, in zone: TimeZone, startingAt start: Duration = .zero
    ) -> Self {
        part(.month, of: keyPath, in: zone, startingAt: start)
    }

    /// The first day of the quarter of the year.
    ///
    /// - Parameters:
    ///   - keyPath: The time.
    ///   - zone: The time zone.
    ///   - start: When a day begins, after midnight; 07:00 is `.seconds(7 * 3600)`.
    /// - Returns: The key.
    public static func quarter(
        of keyPath: KeyPath<Element, Date>, in zone: TimeZone, startingAt start: Duration = .zero
    ) -> Self {
        part(.quarter, of: keyPath, in: zone, startingAt: start)
    }

    /// The first day of the year.
    ///
    /// - Parameters:
    ///   - keyPath: The time.
    ///   - zone: The time zone.
    ///   - start: When a day begins, after midnight; 07:00 is `.seconds(7 * 3600)`.
    /// - Returns: The key.
    public static func year(
        of keyPath: KeyPath<Element, Date>, in zone: TimeZone, startingAt start: Duration = .zero
    ) -> Self {
        part(.year, of: keyPath, in: zone, startingAt: start)
    }
}

extension Grouping where Value == CalendarDay? {
    /// The calendar day of a time; nil for nil.
    public static func day(
        of keyPath: KeyPath<Element, Date?>, in zone: TimeZone, startingAt start: Duration = .zero
    ) -> Self {
        part(.day, of: keyPath, in: zone, startingAt: start)
    }

    /// The first day of the week; nil for nil.
    public static func week(
        of keyPath: KeyPath<Element, Date?>, in zone: TimeZone, startingOn first: Weekday = .monday,
        startingAt start: Duration = .zero
    ) -> Self {
        part(.week(from: first), of: keyPath, in: zone, startingAt: start)
    }

    /// The first day of the month; nil for nil.
    public static func month(
        of keyPath: KeyPath<Element, Date?>, in zone: TimeZone, startingAt start: Duration = .zero
    ) -> Self {
        part(.month, of: keyPath, in: zone, startingAt: start)
    }

    /// The first day of the quarter of the year; nil for nil.
    public static func quarter(
        of keyPath: KeyPath<Element, Date?>, in zone: TimeZone, startingAt start: Duration = .zero
    ) -> Self {
        part(.quarter, of: keyPath, in: zone, startingAt: start)
    }

    /// The first day of the year; nil for nil.
    public static func year(
        of keyPath: KeyPath<Element, Date?>, in zone: TimeZone, startingAt start: Duration = .zero
    ) -> Self {
        part(.year, of: keyPath, in: zone, startingAt: start)
    }
}

extension Grouping where Value == Weekday {
    /// The day of the week.
    ///
    /// - Parameters:
    ///   - keyPath: The time.
    ///   - zone: The time zone.
    ///   - start: When a day begins, after midnight; 07:00 is `.seconds(7 * 3600)`.
    /// - Returns: The key.
    public static func weekday(
        of keyPath: KeyPath<Element, Date>, in zone: TimeZone, startingAt start: Duration = .zero
    ) -> Self {
        part(.weekday, of: keyPath, in: zone, startingAt: start)
    }
}

extension Grouping where Value == Weekday? {
    /// The day of the week; nil for nil.
    public static func weekday(
        of keyPath: KeyPath<Element, Date?>, in zone: TimeZone, startingAt start: Duration = .zero
    ) -> Self {
        part(.weekday, of: keyPath, in: zone, startingAt: start)
    }
}

extension Grouping where Value == Date {
    /// The hour of a time: the moment at which it begins on the clock of a zone.
    ///
    /// An hour that the clock shows twice is two hours. One in whose middle it begins, since it was changed, begins with that
    /// change.
    public static func hour(
        of keyPath: KeyPath<Element, Date>, in zone: TimeZone
    ) -> Self {
        part(.hour, of: keyPath, in: zone)
    }
}

extension Grouping where Value == Date? {
    /// The hour of a time: the moment at which it begins on the clock of a zone; nil for nil.
    public static func hour(
        of keyPath: KeyPath<Element, Date?>, in zone: TimeZone
    ) -> Self {
        part(.hour, of: keyPath, in: zone)
    }
}

extension Grouping where Value == Int {
    /// The hour that the clock of a zone shows, 0 to 23.
    public static func hourOfDay(
        of keyPath: KeyPath<Element, Date>, in zone: TimeZone
    ) -> Self {
        part(.hourOfDay, of: keyPath, in: zone)
    }
}

extension Grouping where Value == Int? {
    /// The hour that the clock of a zone shows, 0 to 23; nil for nil.
    public static func hourOfDay(
        of keyPath: KeyPath<Element, Date?>, in zone: TimeZone
    ) -> Self {
        part(.hourOfDay, of: keyPath, in: zone)
    }
}
