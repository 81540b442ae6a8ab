public import Foundation
public import Switchyard

/// How a baby is doing at one moment: what the dashboard shows on its card.
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

    /// Asks a transaction about a baby.
    ///
    /// - Throws: What the store throws.
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

    /// Whether the next feed is due: the baby is not being fed, and the last feed began its feeding interval
    /// ago or longer.
    ///
    /// A baby that was never fed has no warning.
    public var needsFeed: Bool {
        guard !isFeeding, let start = lastFeedSession?.startTime else { return false }
        return time.timeIntervalSince(start) >= baby.feedTerm
    }

    /// Whether the next diaper change is due.
    ///
    /// A baby that was never changed has no warning.
    public var needsDiaperChange: Bool {
        guard let last = lastDiaperChange?.timestamp else { return false }
        return time.timeIntervalSince(last) >= Self.diaperTerm
    }

    /// What a widget shows.
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
    /// How each baby is doing now, by name, from one snapshot of the store.
    public func statuses() async throws -> [BabyStatus] {
        let time = now()
        return try await store.read { transaction in
            try transaction.babies().map { try BabyStatus(of: $0, at: time, in: transaction) }
        }
    }

    /// How one baby is doing now.
    ///
    /// - Throws: `BabyMonitorError` with code `babyNotFound`.
    public func status(of baby: BabyProfile.ID) async throws -> BabyStatus {
        let time = now()
        return try await store.read { transaction in
            try BabyStatus(of: try transaction.requireBaby(baby), at: time, in: transaction)
        }
    }
}
