internal import SwitchyardCore

/// Times as ISO 8601 text, read and written without a formatter.
public enum ISO8601 {
    /// How many fractional digits the seconds get.
    public enum Precision: Sendable {
        /// Three digits, rounded down (towards the past, also before 1970).
        case milliseconds
        /// Three digits if they are exact, otherwise six, so that each time has exactly one text.
        case exact
    }

    /// Reads a time such as `2025-11-06T18:34:39.946Z`.
    ///
    /// The day and the time of day, down to the second, are written in full, with `T`, `t` or a space between
    /// them. A fraction of one to nine digits may follow, and is rounded to the nearest microsecond. The zone
    /// is `Z`, `z` or an offset such as `+09:00` or `+0900`. Nothing else is accepted: no 30 February, no hour 24,
    /// no leap second, no time without a zone.
    ///
    /// - Returns: Microseconds since 1970 UTC; nil for any other text, or outside the years 1 to 9999.
    public static func microseconds(_ text: UnsafeRawBufferPointer) -> Int64? {
        guard let time = ISO8601Time(text), time.isFull, let offset = time.offset else { return nil }
        let seconds = Int64(time.day.daysSince1970) * 86_400 - Int64(offset)
        let result = seconds * 1_000_000 + time.microseconds
        return Timestamp.range.contains(result) ? result : nil
    }

    /// Reads a time from a string.
    ///
    /// - Returns: Microseconds since 1970 UTC; nil for text that `microseconds(_:)` does not accept.
    public static func microseconds(_ text: String) -> Int64? {
        var text = text
        return text.withUTF8 { microseconds(UnsafeRawBufferPointer($0)) }
    }

    /// The text of a time in UTC.
    ///
    /// - Parameters:
    ///   - microseconds: Microseconds since 1970 UTC.
    ///   - precision: How many fractional digits the seconds get.
    /// - Returns: The text; nil outside the years 1 to 9999.
    public static func text(_ microseconds: Int64, precision: Precision) -> String? {
        guard Timestamp.range.contains(microseconds) else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: longest, alignment: 1) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = write(microseconds, precision: precision, to: start)
            return String(decoding: buffer.prefix(count), as: UTF8.self)
        }
    }

    /// The length of the longest text, in bytes.
    static let longest = 27

    /// Writes a time that is within the range to memory with room for `longest` bytes.
    ///
    /// - Returns: How many bytes were written.
    static func write(_ microseconds: Int64, precision: Precision, to start: UnsafeMutableRawPointer) -> Int {
        var (days, time) = microseconds.quotientAndRemainder(dividingBy: Timestamp.microsecondsPerDay)
        if time < 0 {
            days -= 1
            time += Timestamp.microsecondsPerDay
        }
        guard let date = CalendarDay(daysSince1970: Int(days)) else { return 0 }
        let (year, month, day) = date.components
        let (second, fraction) = (Int(time / 1_000_000), Int(time % 1_000_000))
        func put(_ number: Int, at offset: Int, width: Int) {
            var rest = number
            for index in stride(from: offset + width - 1, through: offset, by: -1) {
                start.storeBytes(
                    of: UInt8(truncatingIfNeeded: 48 + rest % 10), toByteOffset: index, as: UInt8.self)
                rest /= 10
            }
        }
        func put(_ character: Unicode.Scalar, at offset: Int) {
            start.storeBytes(of: UInt8(ascii: character), toByteOffset: offset, as: UInt8.self)
        }
        put(year, at: 0, width: 4)
        put("-", at: 4)
        put(month, at: 5, width: 2)
        put("-", at: 7)
        put(day, at: 8, width: 2)
        put("T", at: 10)
        put(second / 3600, at: 11, width: 2)
        put(":", at: 13)
        put(second / 60 % 60, at: 14, width: 2)
        put(":", at: 16)
        put(second % 60, at: 17, width: 2)
        put(".", at: 19)
        let isShort = precision == .milliseconds || fraction % 1000 == 0
        put(isShort ? fraction / 1000 : fraction, at: 20, width: isShort ? 3 : 6)
        put("Z", at: isShort ? 23 : 26)
        return isShort ? 24 : 27
    }
}
