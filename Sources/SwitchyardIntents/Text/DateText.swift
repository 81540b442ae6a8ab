public import Foundation
internal import SwitchyardCore

/// Points in time in the forms of ISO 8601 that people and programs write.
public enum DateText {
    /// Reads `2026-11-21T08:30:00.123Z`, with a zone of `Z` or `+01:00`, with fewer parts of the time, with a
    /// space for the `T`, without a zone (then in the given one), or the day alone (its first moment).
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - timeZone: Gives the zone of a text without one; asked only for such a text.
    /// - Returns: The moment; nil if the text is anything else, or there is no such day or time.
    public static func date(_ text: String, timeZone: () -> TimeZone) -> Date? {
        guard text.utf8.count >= 10,
            let dayEnd = text.utf8.index(text.startIndex, offsetBy: 10, limitedBy: text.endIndex),
            let day = CalendarDay(String(text[..<dayEnd]))
        else { return nil }
        var rest = Scanner(bytes: Array(text[dayEnd...].utf8))
        var seconds = Double(day.daysSince1970) * 86_400
        var offset: Int?
        if !rest.isAtEnd {
            guard rest.skip("T") || rest.skip("t") || rest.skip(" "), let time = rest.time() else {
                return nil
            }
            seconds += time
            guard rest.isAtEnd || rest.zone(&offset) else { return nil }
        }
        guard let offset else { return local(seconds, in: timeZone()) }
        return Date(timeIntervalSince1970: seconds - Double(offset))
    }

    /// The time at which clocks of a zone show a date and time.
    ///
    /// In the hour that summer time leaves out the clock is read as if it had not been moved yet; in the hour
    /// that comes twice it is the first.
    private static func local(_ seconds: Double, in zone: TimeZone) -> Date {
        func offset(_ seconds: Double) -> Double {
            Double(zone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds)))
        }
        // A zone's offset changes at most once within the day around, so one of the offsets before and after
        // is right.
        let before = offset(seconds - 86_400)
        let after = offset(seconds + 86_400)
        let usesNewOffset = offset(seconds - before) != before && offset(seconds - after) == after
        return Date(timeIntervalSince1970: seconds - (usesNewOffset ? after : before))
    }
}

/// Reads a time of day and a zone from ASCII.
private struct Scanner {
    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func twoDigits(_ range: ClosedRange<Int>) -> Int? {
        guard position + 2 <= bytes.count, let tens = digit(position), let ones = digit(position + 1),
            range.contains(tens * 10 + ones)
        else { return nil }
        position += 2
        return tens * 10 + ones
    }

    /// `HH:MM`, `HH:MM:SS` or `HH:MM:SS.fff`, as seconds of the day.
    mutating func time() -> Double? {
        guard let hour = twoDigits(0...23), skip(":"), let minute = twoDigits(0...59) else { return nil }
        var seconds = Double(hour * 3600 + minute * 60)
        guard skip(":") else { return seconds }
        guard let second = twoDigits(0...59) else { return nil }
        seconds += Double(second)
        guard skip(".") || skip(",") else { return seconds }
        let start = position
        while position < bytes.count, digit(position) != nil { position += 1 }
        guard position > start,
            let fraction = Double("0." + String(decoding: bytes[start..<position], as: UTF8.self))
        else { return nil }
        return seconds + fraction
    }

    /// `Z`, `+01:00`, `+0100` or `+01`, up to the end, as seconds east of Greenwich.
    mutating func zone(_ offset: inout Int?) -> Bool {
        if skip("Z") || skip("z") {
            offset = 0
            return isAtEnd
        }
        let sign = skip("+") ? 1 : skip("-") ? -1 : 0
        guard sign != 0, let hours = twoDigits(0...23) else { return false }
        if !isAtEnd { _ = skip(":") }
        guard let minutes = isAtEnd ? 0 : twoDigits(0...59) else { return false }
        offset = sign * (hours * 3600 + minutes * 60)
        return isAtEnd
    }

    private func digit(_ position: Int) -> Int? {
        let value = Int(bytes[position]) - 48
        return (0...9).contains(value) ? value : nil
    }
}
