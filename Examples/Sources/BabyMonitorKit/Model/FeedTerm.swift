public import Foundation

/// How long after the start of a feed the next one is due.
///
/// The app stores seconds. People choose a multiple of a quarter of an hour; any other value, stored by an older
/// release, is kept.
public enum FeedTerm {
    /// The term of a new baby: three hours, in seconds.
    public static let standard: TimeInterval = 10_800

    /// The terms to choose from, in minutes: 30 to 480 in steps of 15.
    public static let choices = Array(stride(from: 30, through: 480, by: 15))

    /// A stored term made safe to divide by: at least one second, and the standard term if it is infinite, which
    /// a file can contain.
    static func shown(_ seconds: TimeInterval) -> TimeInterval {
        seconds.isFinite ? max(1, seconds) : standard
    }

    /// The chosen term in seconds.
    ///
    /// - Throws: `BabyMonitorError` with code `invalidFeedTerm` if it is not one of `choices`.
    public static func seconds(minutes: Int) throws -> TimeInterval {
        guard choices.contains(minutes) else {
            throw BabyMonitorError(
                .invalidFeedTerm,
                "\(minutes) minutes is not a feeding interval; choose 30 to 480 minutes in steps of 15.")
        }
        return TimeInterval(minutes * 60)
    }
}
