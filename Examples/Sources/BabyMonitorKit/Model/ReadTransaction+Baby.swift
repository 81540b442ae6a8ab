internal import Foundation
public import Switchyard

/// The app's most frequent queries about one baby; each is a single index look-up.
extension ReadTransaction {
    /// The feed in progress; if there are several, which only a merge of two devices can cause, the one that
    /// began last.
    public func inProgressFeedSession(of baby: BabyProfile.ID) throws -> FeedSession? {
        try first(Self.inProgress(baby).sorted(by: \.startTime, .descending))
    }

    /// All babies, sorted by name and then by creation time.
    public func babies() throws -> [BabyProfile] { try fetch(BabyProfile.byName) }

    /// The baby with this id.
    ///
    /// - Throws: `BabyMonitorError` with code `babyNotFound` if no baby has it.
    public func requireBaby(_ id: BabyProfile.ID) throws -> BabyProfile {
        guard let baby = try find(id) else { throw BabyMonitorError.missing(id) }
        return baby
    }

    /// The feeds of a baby that are in progress.
    static func inProgress(_ baby: BabyProfile.ID) -> Query<FeedSession> {
        FeedSession.where(\.profile, .equal, baby).where(\.endTime, .equal, nil)
    }
}

extension BabyMonitorSchema.BabyProfile {
    /// All babies, sorted by name and then by creation time.
    static var byName: Query<Self> { Self.sorted(by: \.name).sorted(by: \.createdAt) }
}

extension BabyMonitorError {
    /// The error for a baby that does not exist.
    static func missing(_ id: BabyProfile.ID) -> BabyMonitorError {
        BabyMonitorError(.babyNotFound, "There is no baby with the id \(id).")
    }
}
