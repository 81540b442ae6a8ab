/// The parts of a date and time in ISO 8601 form; the caller decides which parts may be missing.
///
/// It parses `2026-11-21T08:30:00.123+01:00` and shorter forms without the zone, the fraction, the seconds or the whole
/// time. A `t` or a space may stand for the `T`, a comma for the point, `z` for `Z`, and `+0100` or `+01` for `+01:00`.
/// Anything else is refused, such as 30 February, hour 24 or a leap second.
package struct ISO8601Time {
    /// The day.
    package let day: CalendarDay
    /// The microseconds since the day began, rounded to the nearest; 86,400,000,000 if rounding reaches the next day.
    package private(set) var microseconds: Int64 = 0
    /// The zone's offset in seconds east of Greenwich; nil if no zone is given.
    package private(set) var offset: Int?
    /// Whether the text is in the full form that programs write: only the fraction may be missing, it has a point and
    /// at most nine digits, and the zone has minutes.
    package private(set) var isFull = false

    /// Parses a text; nil if it has another form.
    package init?(_ text: UnsafeRawBufferPointer) {
        guard text.count >= 10 else { return nil }
        var digits = Digits(text)
        let year = digits.pair(at: 0) * 100 + digits.pair(at: 2)
        let month = digits.pair(at: 5)
        let dayOfMonth = digits.pair(at: 8)
        guard digits.areValid, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            let day = CalendarDay(year: year, month: month, day: dayOfMonth)
        else { return nil }
        self.day = day
        if text.count == 10 { return }

        let separator = text[10]
        guard separator | 0x20 == UInt8(ascii: "t") || separator == UInt8(ascii: " "), text.count >= 16,
            text[13] == UInt8(ascii: ":")
        else { return nil }
        let hour = digits.pair(at: 11)
        let minute = digits.pair(at: 14)
        guard digits.areValid, hour < 24, minute < 60 else { return nil }
        microseconds = Int64(hour * 60 + minute) * 60_000_000
        var position = 16
        if text.count >= 19, text[16] == UInt8(ascii: ":") {
            let second = digits.pair(at: 17)
            guard digits.areValid, second < 60 else { return nil }
            microseconds += Int64(second) * 1_000_000
            isFull = true
            position = 19
            if !readFraction(text, &position) { return nil }
        }
        if position == text.count {
            isFull = false
        } else if !readZone(text, position, &digits) {
            return nil
        }
    }

    /// Parses a text; nil if it has another form.
    package init?(_ text: String) {
        var text = text
        guard let time = text.withUTF8({ Self(UnsafeRawBufferPointer($0)) }) else { return nil }
        self = time
    }

    /// Reads the fraction of a second, if there is one.
    private mutating func readFraction(_ text: UnsafeRawBufferPointer, _ position: inout Int) -> Bool {
        guard position < text.count else { return true }
        let mark = text[position]
        guard mark == UInt8(ascii: ".") || mark == UInt8(ascii: ",") else { return true }
        let start = position + 1
        position = start
        var nanoseconds: Int64 = 0
        while position < text.count, case let digit = text[position] &- 48, digit < 10 {
            if position - start < 9 { nanoseconds = nanoseconds * 10 + Int64(digit) }
            position += 1
        }
        let count = position - start
        guard count > 0 else { return false }
        for _ in min(count, 9)..<9 { nanoseconds *= 10 }
        microseconds += (nanoseconds + 500) / 1000
        isFull = mark == UInt8(ascii: ".") && count <= 9
        return true
    }

    /// Reads the zone, which ends the text.
    private mutating func readZone(
        _ text: UnsafeRawBufferPointer, _ start: Int, _ digits: inout Digits
    ) -> Bool {
        let sign = text[start]
        if sign | 0x20 == UInt8(ascii: "z") {
            offset = 0
            return start + 1 == text.count
        }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return false }
        var minutes = 0
        switch text.count - start {
        case 3: isFull = false
        case 5: minutes = digits.pair(at: start + 3)
        case 6 where text[start + 3] == UInt8(ascii: ":"): minutes = digits.pair(at: start + 4)
        default: return false
        }
        let hours = digits.pair(at: start + 1)
        guard digits.areValid, hours < 24, minutes < 60 else { return false }
        offset = (sign == UInt8(ascii: "-") ? -60 : 60) * (hours * 60 + minutes)
        return true
    }

    /// Reads pairs of digits, and remembers whether all were digits.
    private struct Digits {
        private let text: UnsafeRawBufferPointer
        private(set) var areValid = true

        init(_ text: UnsafeRawBufferPointer) { self.text = text }

        @inline(__always)
        mutating func pair(at offset: Int) -> Int {
            let tens = text[offset] &- 48
            let ones = text[offset + 1] &- 48
            areValid = areValid && tens < 10 && ones < 10
            return Int(tens) * 10 + Int(ones)
        }
    }
}
