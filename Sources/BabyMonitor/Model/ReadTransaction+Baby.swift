internal import Foundation
public import Switchyard

/// What the app asks most often about one baby; each is one look into an index.
extension ReadTransaction {
    /// The feed in progress; of several, which only a merge of two devices can leave, the one that began
    /// last.
    public func inProgressFeedSession(of baby: BabyProfile.ID) throws -> FeedSession? {
        // No end sorts before any.
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

    /// All babies, by name and then by age in the app.
    public func babies() throws -> [BabyProfile] {
        try fetch(BabyProfile.sorted(by: \.name).sorted(by: \.createdAt))
    }

    /// The baby of an id.
    ///
    /// - Throws: `BabyMonitorError` with code `babyNotFound` if it is not there.
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

    /// The feeds of a baby that have not ended.
    static func inProgress(_ baby: BabyProfile.ID) -> Query<FeedSession> {
        let profile = Optional(baby)
        return FeedSession.where(#Predicate { $0.profile == profile && $0.endTime == nil })
    }
}
