public import Foundation
public import Switchyard

/// One line of the history: something that happened to a baby.
public enum HistoryEntry: Sendable, Hashable {
    /// A feed.
    case feed(FeedSession)
    /// A diaper change.
    case diaper(DiaperChange)
    /// A custom event.
    case event(CustomEvent)
}

/// The kind of an entry.
///
/// Entries with the same time are sorted in this order.
public enum HistoryKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// A feed.
    case feed
    /// A diaper change.
    case diaper
    /// A custom event.
    case event
}

extension HistoryEntry: Identifiable {
    /// The id of the row.
    public var id: UUID {
        switch self {
        case .feed(let feed): feed.id.uuid
        case .diaper(let change): change.id.uuid
        case .event(let event): event.id.uuid
        }
    }

    /// The kind.
    public var kind: HistoryKind {
        switch self {
        case .feed: .feed
        case .diaper: .diaper
        case .event: .event
        }
    }

    /// When it happened; for a feed, when it began.
    public var timestamp: Date {
        switch self {
        case .feed(let feed): feed.startTime
        case .diaper(let change): change.timestamp
        case .event(let event): event.timestamp
        }
    }

    /// The baby; nil if it has been removed.
    public var profile: BabyProfile.ID? {
        switch self {
        case .feed(let feed): feed.profile
        case .diaper(let change): change.profile
        case .event(let event): event.profile
        }
    }

    /// The memo.
    public var memoText: String? {
        switch self {
        case .feed(let feed): feed.memoText
        case .diaper(let change): change.memoText
        case .event(let event): event.memoText
        }
    }

    /// The hashtags of the memo.
    public var hashtags: [String] { Hashtags.find(in: memoText ?? "") }

    /// The cursor from which the history continues after this entry.
    public var cursor: HistoryCursor { HistoryCursor(timestamp: timestamp, kind: kind, id: id) }
}

/// A position in the history: right after an entry.
///
/// It stays valid when entries are added or removed.
public struct HistoryCursor: Sendable, Hashable, Codable {
    /// The time of the entry.
    public let timestamp: Date
    /// The kind of the entry.
    public let kind: HistoryKind
    /// The id of the entry.
    public let id: UUID

    /// Whether the first position comes before the second: newest first, then by kind, then by id.
    static func precedes(_ lhs: HistoryCursor, _ rhs: HistoryCursor) -> Bool {
        if lhs.timestamp != rhs.timestamp { return lhs.timestamp > rhs.timestamp }
        if lhs.kind != rhs.kind { return lhs.kind.rank < rhs.kind.rank }
        return lhs.id < rhs.id
    }
}

extension HistoryKind {
    var rank: Int {
        switch self {
        case .feed: 0
        case .diaper: 1
        case .event: 2
        }
    }
}
