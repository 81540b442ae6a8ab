import BabyMonitor
import Foundation
import MemoryStore
import PostgresStore
import SQLiteStore
import Switchyard
import SwitchyardIntents

/// What a command works with: the configuration, and the store that it chooses.
struct Session {
    let configuration: StoreConfiguration
    let container: AppGroupContainer
    let store: any Store

    /// The backends that the command ships.
    static var registry: PluginRegistry {
        get throws { try PluginRegistry([SQLitePlugin.self, PostgresPlugin.self, MemoryPlugin.self]) }
    }

    /// Reads the configuration, from the process's own environment among others.
    static func configuration(
        _ options: GlobalOptions
    ) async throws -> (configuration: StoreConfiguration, container: AppGroupContainer) {
        let environment = ProcessInfo.processInfo.environment
        let sources = ConfigurationSources(
            flags: options.flags, environment: environment, ignoredEnvironment: ["SWITCHYARD_TEST_*"])
        let configuration = try await StoreConfiguration(
            registry: try registry,
            keys: [.profile(BabyMonitorApp.profiles, default: BabyMonitorApp.release.name), .appGroupsRoot],
            sources: sources
        ) { values in
            let container = try values.container(
                of: try values.profile(among: BabyMonitorApp.profiles), environment: environment)
            return [
                "store.backend": SQLitePlugin.scheme,
                "store.sqlite.path": BabyMonitorApp.storePath(in: container),
            ]
        }
        let profile = try configuration.values.profile(among: BabyMonitorApp.profiles)
        return (configuration, try configuration.values.container(of: profile, environment: environment))
    }

    /// Opens the store, lets a body work with it, and closes it.
    static func run<Result>(
        _ options: GlobalOptions, opening: OpenOptions = OpenOptions(),
        _ body: (Session) async throws -> Result
    ) async throws -> Result {
        let (configuration, container) = try await configuration(options)
        if configuration.settings.text("path") == BabyMonitorApp.storePath(in: container),
            opening.createsIfMissing
        {
            try container.create()
        }
        let store = try await registry.open(configuration, schema: BabyMonitorSchema.self, options: opening)
        do {
            let result = try await body(
                Session(configuration: configuration, container: container, store: store))
            try await store.close()
            return result
        } catch {
            // The first error is the one to show; closing after it can only add to the noise.
            try? await store.close()
            throw error
        }
    }
}

extension Session {
    /// The widgets' snapshots: beside a SQLite file that lies elsewhere, else in the app group.
    var widgetCache: WidgetSnapshotCache {
        guard configuration.backend == SQLitePlugin.scheme, let path = configuration.settings.text("path"),
            path != BabyMonitorApp.storePath(in: container)
        else { return BabyMonitorApp.widgetCache(in: container) }
        return WidgetSnapshotCache(
            directory: URL(filePath: path).deletingLastPathComponent().appending(path: "WidgetCache"))
    }

    var widgets: WidgetSnapshotRefresher {
        WidgetSnapshotRefresher(store: store, cache: widgetCache, reloader: NoWidgets())
    }

    /// After each write the widgets' snapshots are written anew; a failure is told and does not undo the
    /// write.
    var afterWrite: AfterWrite {
        AfterWrite([widgets]) { failure in Terminal.writeError(Failure(failure).paragraph + "\n") }
    }

    var dashboard: Dashboard { Dashboard(store: store, afterWrite: afterWrite) }
    var csv: HistoryCSVService { HistoryCSVService(store: store, afterWrite: afterWrite) }
}

/// A command line has no widgets to reload; the snapshots are there for those that do.
struct NoWidgets: WidgetReloading {
    func reloadWidgets() async throws {}
}
