internal import SwitchyardCore

/// A form in which all times of a column are written, such as `2026-11-21 08:30:00`.
struct TextForm: Sendable, Hashable {
    /// The byte between the day and the time; nil for a day alone.
    let separator: UInt8?
    /// The number of digits after the seconds' point.
    let fraction: Int
    /// Whether a `Z` ends the text.
    let hasZone: Bool

    /// The smallest time between two in this form, in microseconds.
    private var unit: Int64 {
        separator == nil
            ? Timestamp.microsecondsPerDay : [1_000_000, 100_000, 10_000, 1_000, 100, 10, 1][fraction]
    }

    /// A day alone.
    static let day = TextForm(separator: nil, fraction: 0, hasZone: false)
    /// The form of SQLite's `CURRENT_TIMESTAMP`.
    static let second = TextForm(separator: UInt8(ascii: " "), fraction: 0, hasZone: false)
    /// The same with a zone.
    static let zonedSecond = TextForm(separator: UInt8(ascii: " "), fraction: 0, hasZone: true)

    private init(separator: UInt8?, fraction: Int, hasZone: Bool) {
        (self.separator, self.fraction, self.hasZone) = (separator, fraction, hasZone)
    }

    /// The form of a text; nil if it is not a time that PostgreSQL keeps exactly.
    init?(of text: UnsafeRawBufferPointer) {
        guard text.count >= 10, text.count <= 27 else { return nil }
        if text.count == 10 {
            self = .day
        } else {
            let hasZone = text[text.count - 1] == UInt8(ascii: "Z")
            let length = text.count - (hasZone ? 1 : 0)
            guard length == 19 || (21...26).contains(length) else { return nil }
            self.init(separator: text[10], fraction: max(0, length - 20), hasZone: hasZone)
        }
        guard separator.map({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "T") }) ?? true,
            microseconds(of: text) != nil
        else { return nil }
    }

    /// The microseconds since 1970; nil if the text is not exactly in this form.
    func microseconds(of text: UnsafeRawBufferPointer) -> Int64? {
        guard let time = ISO8601Time(text) else { return nil }
        let value = Int64(time.day.daysSince1970) * Timestamp.microsecondsPerDay + time.microseconds
        // What gives the same text again is in this form, and nothing of it is lost.
        let isExact = withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) { buffer in
            guard let count = write(value, to: buffer), count == text.count else { return false }
            return zip(buffer, text).allSatisfy { $0 == $1 }
        }
        return isExact ? value : nil
    }

    /// Writes a time in this form.
    ///
    /// - Parameters:
    ///   - microseconds: The time since 1970.
    ///   - target: Memory of at least 27 bytes.
    /// - Returns: The number of bytes; nil outside the years 1 to 9999, and for a time that this form would cut.
    func write(_ microseconds: Int64, to target: UnsafeMutableRawBufferPointer) -> Int? {
        let perDay = Timestamp.microsecondsPerDay
        let days = microseconds >= 0 ? microseconds / perDay : (microseconds + 1) / perDay - 1
        guard let day = CalendarDay(daysSince1970: Int(days)), microseconds % unit == 0 else { return nil }
        let rest = microseconds - days * perDay
        var position = 0
        func put(_ byte: UInt8) {
            target[position] = byte
            position += 1
        }
        func put(_ number: Int, digits: Int) {
            var divisor = 1
            for _ in 1..<digits { divisor *= 10 }
            while divisor > 0 {
                put(UInt8(48 + number / divisor % 10))
                divisor /= 10
            }
        }
        let (year, month, dayOfMonth) = day.components
        put(year, digits: 4)
        put(UInt8(ascii: "-"))
        put(month, digits: 2)
        put(UInt8(ascii: "-"))
        put(dayOfMonth, digits: 2)
        guard let separator else { return position }
        put(separator)
        let second = Int(rest / 1_000_000)
        put(second / 3_600, digits: 2)
        put(UInt8(ascii: ":"))
        put(second / 60 % 60, digits: 2)
        put(UInt8(ascii: ":"))
        put(second % 60, digits: 2)
        if fraction > 0 {
            put(UInt8(ascii: "."))
            put(Int(rest % 1_000_000 / unit), digits: fraction)
        }
        if hasZone { put(UInt8(ascii: "Z")) }
        return position
    }
}
