internal import Dispatch
public import Foundation
public import Switchyard

/// Writes what widgets show: takes a snapshot of each baby from the store, puts it into the cache, and tells
/// the system to reload the widgets.
///
/// Refreshes come one after the other, in one process and in all that write the cache, each from its reading
/// to its writing: the last to write has read last, so that an older snapshot never replaces a newer one.
public struct WidgetSnapshotRefresher: AfterWriteHook {
    private let store: any Store
    private let cache: WidgetSnapshotCache
    private let reloader: any WidgetReloading
    private let now: @Sendable () -> Date
    private let turns = SerialRefresh<[WidgetSnapshot]>()

    /// Refreshes widgets.
    public var name: String { "refresh widgets" }

    /// Refreshes a cache from a store.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - cache: Where the widgets look.
    ///   - reloader: Is told after each refresh.
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

    /// Brings the cache up to date, with what was in the store at the time of the call or later.
    ///
    /// Calls that come during a refresh share the next one.
    ///
    /// - Returns: What was written, by name.
    /// - Throws: What the store, the file system or the system's widget service says.
    @discardableResult
    public func refresh() async throws -> [WidgetSnapshot] {
        try await turns.request { try await readAndWrite() }.value
    }

    private func readAndWrite() async throws -> [WidgetSnapshot] {
        let snapshots = try await DirectoryLock.hold(cache.directory.path) {
            let time = now()
            let snapshots = try await store.read { transaction in
                try transaction.babies().map {
                    try BabyStatus(of: $0, at: time, in: transaction).widgetSnapshot
                }
            }
            try await DispatchQueue.global().run { [cache] in try cache.replaceAll(with: snapshots) }
            return snapshots
        }
        try await reloader.reloadWidgets()
        return snapshots
    }

    /// Brings the cache up to date.
    ///
    /// - Throws: As `refresh()`.
    public func run() async throws { try await refresh() }
}
