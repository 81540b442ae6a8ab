import ArgumentParser
import BabyMonitorKit
import Foundation
import MemoryStore
import PostgresStore
import SQLiteStore
import SwitchyardAppGroup
import SwitchyardCommands
import SwitchyardCore
import TableCopyCommand

/// The app's description for the store's commands.
enum App: StoreApp {
    static let commandName = "babymonitor"
    static let plugins: [any StorePlugin.Type] = [SQLitePlugin.self, PostgresPlugin.self, MemoryPlugin.self]
    static var plan: (any SchemaMigrationPlan.Type)? { BabyMonitorPlan.self }
    static let profiles = BabyMonitorApp.profiles
    static let defaultProfile: AppProfile? = BabyMonitorApp.release
    static let historyRetention = BabyMonitorApp.historyRetention
    static let schemaLockFile = "Examples/Sources/BabyMonitorKit/schema.lock"
    static let creationAdvice: String? =
        "make one with: babymonitor baby add NAME, import … --create-babies, or seed"
    static let storeCommands: [any ParsableCommand.Type] = [TableCopyCommand<App>.self]

    static func storePath(in container: AppGroupContainer) -> String {
        BabyMonitorApp.storePath(in: container)
    }

    static func places(in container: AppGroupContainer) -> PlaceRegistry {
        BabyMonitorApp.places(in: container)
    }

    static func start(of day: CalendarDay, in timeZone: TimeZone, _ session: Session) throws -> Date {
        try AppSettings(AppGroupDefaults(session.container.get())).historyDay(timeZone: timeZone)
            .start(of: day)
    }

    /// Rewrites the widgets' snapshots after the command's writes; a failure is reported and does not undo them.
    static func writing<Value>(
        _ session: Session, _ work: (Session) async throws -> Value
    ) async throws -> Value {
        let widgets = session.widgetCache.map { [session.widgets($0)] } ?? []
        let reactions = StoreReactions(to: session.store, widgets, includingOthers: false) { failure in
            Session.note(failure)
        }
        // An error can come after a commit, such as that of an ended membership.
        let result: Result<Value, any Error>
        do { result = .success(try await work(session)) } catch { result = .failure(error) }
        await reactions.finish()
        return try result.get()
    }
}

typealias Session = StoreSession<App>
typealias GlobalOptions = StoreOptions<App>

extension StoreSession<App> {
    /// The widgets' snapshots: in the app group for the app's own store, in a directory beside the file for any
    /// other SQLite store; nil for a store in memory, which ends with the command, and if the app group has no
    /// directory.
    var widgetCache: WidgetSnapshotCache? {
        if isInMemory { return nil }
        guard let path = Self.file(configuration), !isOwn else {
            return (try? container.get()).map(BabyMonitorApp.widgetCache)
        }
        return WidgetSnapshotCache(
            directory: URL(filePath: path + ".WidgetCache", directoryHint: .isDirectory))
    }

    func requireWidgetCache() throws -> WidgetSnapshotCache {
        guard let widgetCache else {
            _ = try container.get()
            throw BabyMonitorError(
                .invalidArgument,
                "A store in memory ends with the command and has no snapshots; choose another with --store.")
        }
        return widgetCache
    }

    func widgets(_ cache: WidgetSnapshotCache) -> WidgetSnapshotRefresher {
        WidgetSnapshotRefresher(store: store, cache: cache, reloader: NoWidgets())
    }

    /// This device, as the store's history names it.
    static var device: Device { Device(deviceName) }

    var dashboard: Dashboard { Dashboard(store: store) }
    var csv: HistoryCSVService { HistoryCSVService(store: store) }
}

/// Reloads nothing, because a command line has no widgets; other programs read the snapshots.
struct NoWidgets: WidgetReloading {
    func reloadWidgets() async throws {}
}
