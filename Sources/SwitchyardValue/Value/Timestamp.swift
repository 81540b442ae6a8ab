public import Foundation

/// Conversions between `Date` and the stored form, microseconds since 1970 UTC.
public enum Timestamp {
    /// The microseconds that every backend can store: the years 1 to 9999.
    public static let range: ClosedRange<Int64> = -62_135_596_800_000_000...253_402_300_799_999_999

    /// The microseconds that a time can be compared with: the storable range, extended at each end by one value that
    /// stands for all earlier or all later times.
    ///
    /// With them, a condition can use `Date.distantPast`, two days before the year 1, as the start of an open range.
    public static let comparable: ClosedRange<Int64> = range.lowerBound - 1...range.upperBound + 1

    /// The microseconds of a day without a change of clocks.
    public static let microsecondsPerDay: Int64 = 86_400_000_000

    /// The stored form of a date, rounded to the nearest microsecond; nil outside the range, and for NaN.
    @inlinable
    public static func microseconds(_ date: Date) -> Int64? {
        // Split at whole seconds: multiplying the whole interval by a million would round twice.
        let interval = date.timeIntervalSinceReferenceDate
        let whole = interval.rounded(.down)
        guard (-63_113_904_000.0...252_423_993_600.0).contains(whole) else { return nil }
        let fraction = ((interval - whole) * 1_000_000).rounded(.toNearestOrAwayFromZero)
        let result = (Int64(whole) + 978_307_200) * 1_000_000 + Int64(fraction)
        return range.contains(result) ? result : nil
    }

    /// The date nearest to a number of microseconds since 1970.
    ///
    /// `Date` is exact to 30 µs in the year 9999; the result is never beyond that year.
    @inlinable
    public static func date(microseconds: Int64) -> Date {
        let (seconds, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let interval = Double(seconds - 978_307_200) + Double(fraction) / 1_000_000
        return Date(timeIntervalSinceReferenceDate: min(interval, 252_423_993_600.0.nextDown))
    }

    /// The microseconds that a date is compared by; nil for NaN.
    static func comparable(_ date: Date) -> Int64? {
        guard !date.timeIntervalSinceReferenceDate.isNaN else { return nil }
        return microseconds(date)
            ?? (date < Date(timeIntervalSince1970: 0) ? comparable.lowerBound : comparable.upperBound)
    }

    /// The microseconds by which a time is compared with stored ones.
    ///
    /// - Throws: `invalidArgument` for a time that is not a number.
    package static func requireComparable(_ date: Date) throws -> Int64 {
        guard let time = comparable(date) else {
            throw StoreError(.invalidArgument, "The time is NaN; give another one.")
        }
        return time
    }
}
