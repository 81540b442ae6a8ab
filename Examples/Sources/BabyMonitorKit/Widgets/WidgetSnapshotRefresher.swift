public import Foundation
public import Switchyard
internal import SwitchyardCore

/// Updates widgets: takes a snapshot of each baby from the store, writes it to the cache, and asks the system to
/// reload the widgets.
///
/// Within a process, refreshes run one at a time, each from its read to its write. Across processes, a refresh never
/// overwrites the snapshots of one that began to read later.
public struct WidgetSnapshotRefresher: StoreReaction {
    private let store: any Store
    private let cache: WidgetSnapshotCache
    private let reloader: any WidgetReloading
    private let now: @Sendable () -> Date
    private let turns = SerialRefresh<[WidgetSnapshot]>()

    /// The name of the reaction.
    public var name: String { "refresh widgets" }

    /// Creates a refresher from a store to a cache.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - cache: Where widgets read their snapshots.
    ///   - reloader: Called after each refresh.
    ///   - now: The clock.
    public init(
        store: any Store, cache: WidgetSnapshotCache, reloader: any WidgetReloading,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.store = store
        self.cache = cache
        self.reloader = reloader
        self.now = now
    }

    /// Updates the cache to the state of the store at the time of the call or later.
    ///
    /// Calls made during a refresh share the next one.
    ///
    /// - Returns: The snapshots written, by name.
    /// - Throws: Any error of the store, the file system or the system's widget service.
    @discardableResult
    public func refresh() async throws -> [WidgetSnapshot] {
        try await turns.request { try await readAndWrite() }.value
    }

    private func readAndWrite() async throws -> [WidgetSnapshot] {
        let order = RefreshOrder(of: cache.directory.path)
        let number = try await order.next()
        let time = now()
        let snapshots = try await store.read {
            try $0.statuses(of: BabyProfile.byName, at: time).map(\.widgetSnapshot)
        }
        try await order.write(as: number) { [cache] in try cache.replaceAll(with: snapshots) }
        try await reloader.reloadWidgets()
        return snapshots
    }

    /// Updates the cache.
    ///
    /// - Throws: As `refresh()`.
    public func run() async throws { try await refresh() }
}
