public import Foundation
public import Switchyard
internal import SwitchyardMirror

/// Reads the history: feeds, diaper changes and custom events in one list, newest first.
public struct HistoryService: Sendable {
    /// The store.
    public let store: any Store
    /// How many rows are fetched at a time.
    private static let batchSize = 256

    /// Creates a service for a store.
    public init(store: any Store) { self.store = store }

    /// Reads one page of entries, from one snapshot.
    ///
    /// - Parameters:
    ///   - filter: The entries to include.
    ///   - cursor: `HistoryPage.next` of the previous page; nil for the first page.
    ///   - limit: The most entries to return, at least 1.
    /// - Returns: The entries, and where the next page begins.
    /// - Throws: `BabyMonitorError` with code `invalidArgument` for a limit below 1, or any error of the store.
    /// - Complexity: Two index look-ups and `limit` rows for each kind, wherever the page is. A search also reads
    ///   the rows between its matches.
    public func page(
        _ filter: HistoryFilter = HistoryFilter(), after cursor: HistoryCursor? = nil, limit: Int = 100
    ) async throws -> HistoryPage {
        guard limit >= 1 else {
            throw BabyMonitorError(
                .invalidArgument, "A page must have at least one entry; \(limit) were requested.")
        }
        return try await store.read { transaction in
            var entries: [HistoryEntry] = []
            var hasMore = false
            try Self.forEach(
                filter, after: cursor, batchSize: min(limit, Self.batchSize - 1) + 1, in: transaction
            ) { entry in
                hasMore = entries.count == limit
                if !hasMore { entries.append(entry) }
                return !hasMore
            }
            return HistoryPage(entries: entries, next: hasMore ? entries.last?.cursor : nil)
        }
    }

    /// Who has logged entries: the names of the members of the household, by the ids of the entries.
    ///
    /// - Parameter entries: The entries.
    /// - Returns: The names. An entry whose author the device does not know, such as one from before it joined, has none.
    /// - Throws: Any error of the store.
    public func loggers(of entries: [HistoryEntry]) async throws -> [UUID: String] {
        try await store.read { transaction in
            guard let membership = try transaction.membership() else { return [:] }
            return try transaction.insertingDevices(of: entries.map(\.id)).mapValues { device in
                membership.member(ofDevice: device)?.name ?? "a former member"
            }
        }
    }

    /// Passes all entries to a closure, in order, from one snapshot, without collecting them.
    ///
    /// - Parameters:
    ///   - filter: The entries to include.
    ///   - body: Called with each entry, inside the read, which may be long; returns false to stop.
    /// - Throws: Any error of the body or the store.
    /// - Complexity: Constant memory.
    public func forEach(
        _ filter: HistoryFilter = HistoryFilter(), _ body: @escaping @Sendable (HistoryEntry) throws -> Bool
    ) async throws {
        try await store.read { transaction in
            try Self.forEach(filter, after: nil, batchSize: Self.batchSize, in: transaction, body)
        }
    }

    /// Merges the three kinds.
    private static func forEach(
        _ filter: HistoryFilter, after cursor: HistoryCursor?, batchSize: Int,
        in transaction: ReadTransaction,
        _ body: (HistoryEntry) throws -> Bool
    ) throws {
        var feeds = try HistorySource(FeedSession.self, filter: filter, after: cursor, batchSize: batchSize)
        var diapers = try HistorySource(
            DiaperChange.self, filter: filter, after: cursor, batchSize: batchSize)
        var events = try HistorySource(CustomEvent.self, filter: filter, after: cursor, batchSize: batchSize)
        while true {
            let heads = [
                try feeds.next(in: transaction), try diapers.next(in: transaction),
                try events.next(in: transaction),
            ]
            let first = heads.compactMap(\.self).min { HistoryCursor.precedes($0.cursor, $1.cursor) }
            guard let first else { return }
            switch first.kind {
            case .feed: feeds.dropFirst()
            case .diaper: diapers.dropFirst()
            case .event: events.dropFirst()
            }
            guard try !filter.hasHashtag(first) || body(first) else { return }
        }
    }
}

/// Some entries of the history, newest first.
public struct HistoryPage: Sendable, Hashable {
    /// The entries.
    public let entries: [HistoryEntry]
    /// Where the next page begins; nil if this is the last.
    public let next: HistoryCursor?
}
