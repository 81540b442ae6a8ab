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

    /// Reads a baby's status in a transaction.
    ///
    /// - Throws: Any error of the store.
    public init(of baby: BabyProfile, at time: Date, in transaction: ReadTransaction) throws {
        self.baby = baby
        self.time = time
        inProgressFeedSession = try transaction.inProgressFeedSession(of: baby.id)
        lastFeedSession = try transaction.lastFeedSession(of: baby.id)
        lastFinishedFeedSession = try transaction.lastFinishedFeedSession(of: baby.id)
        lastDiaperChange = try transaction.lastDiaperChange(of: baby.id)
    }

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

extension Dashboard {
    /// The current status of each baby, by name, from one snapshot of the store.
    public func statuses() async throws -> [BabyStatus] {
        let time = now()
        return try await store.read { transaction in
            try transaction.babies().map { try BabyStatus(of: $0, at: time, in: transaction) }
        }
    }

    /// The status of each baby, by name: now, and again whenever a commit, by this process or another, has changed it.
    public func liveStatuses() -> StoreObservation<[BabyStatus]> {
        store.observe { [now] transaction in
            let time = now()
            return try transaction.babies().map { try BabyStatus(of: $0, at: time, in: transaction) }
        }
    }

    /// The current status of one baby.
    ///
    /// - Throws: `BabyMonitorError` with code `babyNotFound`.
    public func status(of baby: BabyProfile.ID) async throws -> BabyStatus {
        let time = now()
        return try await store.read { transaction in
            try BabyStatus(of: try transaction.requireBaby(baby), at: time, in: transaction)
        }
    }
}
