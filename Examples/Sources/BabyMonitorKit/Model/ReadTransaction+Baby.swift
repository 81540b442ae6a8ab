internal import Foundation
public import Switchyard

/// The app's most frequent queries about one baby; each is a single index look-up.
extension ReadTransaction {
    /// The feed in progress; if there are several, which only a merge of two devices can cause, the one that
    /// began last.
    public func inProgressFeedSession(of baby: BabyProfile.ID) throws -> FeedSession? {
        // A nil end sorts first.
        let feed = try first(
            Self.feeds(of: baby).sorted(by: \.endTime).sorted(by: \.startTime, .descending))
        return feed?.endTime == nil ? feed : nil
    }

    /// The feed that ended last.
    public func lastFinishedFeedSession(of baby: BabyProfile.ID) throws -> FeedSession? {
        let feed = try first(Self.feeds(of: baby).sorted(by: \.endTime, .descending))
        return feed?.endTime == nil ? nil : feed
    }

    /// The feed that began last, in progress or not.
    public func lastFeedSession(of baby: BabyProfile.ID) throws -> FeedSession? {
        try first(Self.feeds(of: baby).sorted(by: \.startTime, .descending))
    }

    /// The last diaper change.
    public func lastDiaperChange(of baby: BabyProfile.ID) throws -> DiaperChange? {
        let profile = Optional(baby)
        return try first(
            DiaperChange.where(#Predicate { $0.profile == profile }).sorted(by: \.timestamp, .descending))
    }

    /// All babies, sorted by name and then by creation time.
    public func babies() throws -> [BabyProfile] {
        try fetch(BabyProfile.sorted(by: \.name).sorted(by: \.createdAt))
    }

    /// The baby with this id.
    ///
    /// - Throws: `BabyMonitorError` with code `babyNotFound` if no baby has it.
    public func requireBaby(_ id: BabyProfile.ID) throws -> BabyProfile {
        guard let baby = try find(id) else {
            throw BabyMonitorError(.babyNotFound, "There is no baby with the id \(id).")
        }
        return baby
    }

    /// The feeds of a baby.
    private static func feeds(of baby: BabyProfile.ID) -> Query<FeedSession> {
        let profile = Optional(baby)
        return FeedSession.where(#Predicate { $0.profile == profile })
    }

    /// The feeds of a baby that are in progress.
    static func inProgress(_ baby: BabyProfile.ID) -> Query<FeedSession> {
        let profile = Optional(baby)
        return FeedSession.where(#Predicate { $0.profile == profile && $0.endTime == nil })
    }
}
