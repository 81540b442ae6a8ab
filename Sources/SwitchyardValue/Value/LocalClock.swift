package import Foundation

/// The clocks of a zone: the one rule for reading times without a zone.
package struct LocalClock: Sendable, Hashable {
    private let timeZone: TimeZone
    private let repeated: RepeatedTime

    /// Why a time stands for no moment.
    package enum Fault: Error, Hashable {
        /// The clocks show it twice, and the choice is not declared.
        case repeated
        /// The clocks never show it.
        case skipped
    }

    package init(_ timeZone: TimeZone, repeated: RepeatedTime) {
        (self.timeZone, self.repeated) = (timeZone, repeated)
    }

    /// The moment at which the clocks show a time.
    ///
    /// - Parameter shown: The day and the time that are shown, as seconds since 1970 if they were UTC.
    /// - Returns: The seconds since 1970 UTC.
    /// - Throws: `Fault` if they show it twice or never.
    package func moment(showing shown: Int64) throws(Fault) -> Int64 {
        // No zone is further from Greenwich, so that the moment is between these two.
        let reach: Int64 = 16 * 3600
        let (before, after) = (offset(at: shown - reach), offset(at: shown + reach))
        if before == after { return shown - before }
        // Every offset that a zone has, it keeps for an hour and longer.
        let offsets = Set(stride(from: shown - reach, through: shown + reach, by: 3600).map(offset))
        let moments = offsets.map { shown - $0 }.filter { shown - $0 == offset(at: $0) }.sorted()
        guard let first = moments.first, let last = moments.last else { throw .skipped }
        guard first < last else { return first }
        switch repeated {
        case .refused: throw .repeated
        case .first: return first
        case .second: return last
        }
    }

    private func offset(at seconds: Int64) -> Int64 {
        Int64(timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
    }
}

extension LocalClock {
    /// The moment of a time that names no zone, in microseconds since 1970 UTC.
    ///
    /// - Throws: `Fault` if the clocks show it twice or never.
    package func microseconds(_ time: ISO8601Time) throws(Fault) -> Int64 {
        let (seconds, rest) = time.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return try moment(showing: Int64(time.day.daysSince1970) * 86_400 + seconds) * 1_000_000 + rest
    }
}
