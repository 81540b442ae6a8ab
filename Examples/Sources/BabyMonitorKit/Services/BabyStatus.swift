public import Foundation
public import Switchyard

/// A baby's status at one moment: what the dashboard shows on its card.
public struct BabyStatus: Sendable, Hashable {
    /// The baby.
    public let baby: BabyProfile
    /// The moment.
    public let time: Date
    /// The feed in progress.
    public let inProgressFeedSession: FeedSession?
    /// The feed that began last.
    public let lastFeedSession: FeedSession?
    /// The feed that ended last.
    public let lastFinishedFeedSession: FeedSession?
    /// The last diaper change.
    public let lastDiaperChange: DiaperChange?

    /// How long after a change the next one is due, in seconds: one hour.
    public static let diaperTerm: TimeInterval = 3600

    /// Whether the baby is being fed.
    public var isFeeding: Bool { inProgressFeedSession != nil }

    /// Whether the next feed is due: the baby is not being fed, and at least its feeding interval has passed
    /// since the last feed began.
    ///
    /// A baby without a feed has no warning.
    public var needsFeed: Bool {
        guard !isFeeding, let start = lastFeedSession?.startTime else { return false }
        return time.timeIntervalSince(start) >= baby.feedTerm
    }

    /// Whether the next diaper change is due.
    ///
    /// A baby without a diaper change has no warning.
    public var needsDiaperChange: Bool {
        guard let last = lastDiaperChange?.timestamp else { return false }
        return time.timeIntervalSince(last) >= Self.diaperTerm
    }

    /// The snapshot for widgets.
    public var widgetSnapshot: WidgetSnapshot {
        WidgetSnapshot(
            id: baby.id.uuid, name: baby.name, feedTerm: baby.feedTerm, isFeeding: isFeeding,
            lastStart: lastFeedSession?.startTime,
            lastFinished: lastFinishedFeedSession.flatMap { feed in feed.endTime.map { (feed.startTime, $0) }
            },
            now: time)
    }
}

extension ReadTransaction {
    /// The status of each baby of a query, in its order.
    ///
    /// - Complexity: One statement for the babies, and one for each of the four rows that belong to them, whatever their number.
    public func statuses(of babies: Query<BabyProfile>, at time: Date) throws -> [BabyStatus] {
        try fetch(
            babies,
            including: .first(\.feedSessions) {
                $0.where(\.endTime, .equal, nil).sorted(by: \.startTime, .descending)
            },
            .first(\.feedSessions) { $0.sorted(by: \.startTime, .descending) },
            .first(\.feedSessions) {
                $0.where(\.endTime, .notEqual, nil).sorted(by: \.endTime, .descending)
            },
            .first(\.diaperChanges) { $0.sorted(by: \.timestamp, .descending) }
        ) { baby, inProgress, last, finished, change in
            BabyStatus(
                baby: baby, time: time, inProgressFeedSession: inProgress, lastFeedSession: last,
                lastFinishedFeedSession: finished, lastDiaperChange: change)
        }
    }
}

extension Dashboard {
    /// The current status of each baby, by name, from one snapshot of the store.
    public func statuses() async throws -> [BabyStatus] {
        let time = now()
        return try await store.read { try $0.statuses(of: BabyProfile.byName, at: time) }
    }

    /// The status of each baby, by name: now, and again whenever a commit, by this process or another, has changed it.
    public func liveStatuses() -> StoreObservation<[BabyStatus]> {
        store.observe { [now] in try $0.statuses(of: BabyProfile.byName, at: now()) }
    }

    /// The current status of one baby.
    ///
    /// - Throws: `BabyMonitorError` with code `babyNotFound`.
    public func status(of baby: BabyProfile.ID) async throws -> BabyStatus {
        let time = now()
        return try await store.read { transaction in
            let found = try transaction.statuses(of: BabyProfile.where(\.id, .equal, baby), at: time)
            guard let status = found.first else { throw BabyMonitorError.missing(baby) }
            return status
        }
    }
}
