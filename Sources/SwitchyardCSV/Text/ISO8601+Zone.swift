public import Foundation
public import SwitchyardCore

extension ISO8601 {
    /// Why a time without a zone stands for no single moment on a zone's clocks.
    public enum ClockFault: Error, Sendable, Hashable {
        /// The clocks show the time twice, and `RepeatedTime.refused` was chosen.
        case repeated
        /// The clocks skip the time.
        case skipped
    }

    /// Reads a time without a zone, such as `2025-11-06 18:34`, as the clocks of a zone show it.
    ///
    /// Day, hour and minute are required. A comma may stand for the point before a fraction.
    ///
    /// - Parameters:
    ///   - text: The text, in UTF-8.
    ///   - timeZone: The zone.
    ///   - repeated: The moment to take if the clocks show the time twice.
    /// - Returns: Microseconds since 1970 UTC; nil for any other text, including a time with a zone, or outside the years 1
    ///   to 9999.
    /// - Throws: `ClockFault` if the clocks show the time twice, or skip it.
    public static func microseconds(
        _ text: UnsafeRawBufferPointer, in timeZone: TimeZone, repeated: RepeatedTime = .refused
    ) throws(ClockFault) -> Int64? {
        guard let time = ISO8601Time(text), time.offset == nil, text.count > "2025-11-06".utf8.count else {
            return nil
        }
        let result: Int64
        do {
            result = try LocalClock(timeZone, repeated: repeated).microseconds(time)
        } catch {
            switch error {
            case .repeated: throw .repeated
            case .skipped: throw .skipped
            }
        }
        return Timestamp.range.contains(result) ? result : nil
    }
}
