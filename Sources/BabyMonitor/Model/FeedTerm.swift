public import Foundation

/// How long after the start of a feed the next one is due.
///
/// The app stores seconds. People choose among whole quarters of an hour; a stored value that is not one of
/// them, from an older release, is kept as it is.
public enum FeedTerm {
    /// The term of a new baby: three hours, in seconds.
    public static let standard: TimeInterval = 10_800

    /// The terms to choose from, in minutes: 30 to 480 in steps of 15.
    public static let choices = Array(stride(from: 30, through: 480, by: 15))

    /// A stored term as something that progress can be a part of: at least one second, and the standard one
    /// for one without an end, which a file can hold.
    static func shown(_ seconds: TimeInterval) -> TimeInterval {
        seconds.isFinite ? max(1, seconds) : standard
    }

    /// The seconds of a chosen term.
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
