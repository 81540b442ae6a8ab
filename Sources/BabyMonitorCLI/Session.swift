import BabyMonitor
import Foundation
import Logging
import MemoryStore
import PostgresStore
import SQLiteStore
import Switchyard
import SwitchyardAppGroup
import SwitchyardConfiguration
import SwitchyardIntents

/// What a command works with: the configuration, and the store that it chooses.
struct Session {
    let configuration: StoreConfiguration
    let container: Container
    let store: any Store

    /// The app group's directory, or why there is none: a store that is named by itself does not need it.
    typealias Container = Result<AppGroupContainer, any Error>

    /// The backends that the command ships.
    static var registry: PluginRegistry { get throws { try plugins.get() } }
    private static let plugins = Result {
        try PluginRegistry([SQLitePlugin.self, PostgresPlugin.self, MemoryPlugin.self])
    }

    /// Reads the configuration, from the process's own environment among others.
    static func configuration(
        _ options: GlobalOptions
    ) async throws -> (configuration: StoreConfiguration, container: Container) {
        let environment = try ProcessText.environment()
        let sources = ConfigurationSources(
            flags: options.flags, environment: environment, ignoredEnvironment: ["SWITCHYARD_TEST_*"])
        let configuration = try await StoreConfiguration(
            registry: try registry,
            keys: [.profile(BabyMonitorApp.profiles, default: BabyMonitorApp.release.name), .appGroupsRoot],
            sources: sources
        ) { values in
            // A command does one thing after the other.
            var defaults = ["store.backend": SQLitePlugin.scheme, "store.sqlite.readers": "0"]
            defaults["store.sqlite.path"] = ownPath(try appGroup(values, environment))
            return defaults
        }
        let container = try appGroup(configuration.values, environment)
        if configuration.backend == SQLitePlugin.scheme, file(configuration) == nil {
            _ = try container.get()
        }
        return (configuration, container)
    }

    private static func appGroup(
        _ values: ConfigurationValues, _ environment: [String: String]
    ) throws -> Container {
        let profile = try values.profile(among: BabyMonitorApp.profiles)
        return Result { try values.container(of: profile, environment: environment) }
    }

    /// The path of the app's own store; nil if there is no place for it.
    private static func ownPath(_ container: Container) -> String? {
        (try? container.get()).map(BabyMonitorApp.storePath)
    }

    /// Opens the store, lets a body work with it, and closes it.
    ///
    /// - Parameters:
    ///   - options: What chooses the store.
    ///   - purpose: What the body does with it.
    ///   - check: Looks at what was chosen before anything is opened or made.
    ///   - body: The work.
    /// - Returns: What the body returns.
    /// - Throws: `StoreError` if the store cannot be opened, or what the check or the body throws.
    static func run<Result>(
        _ options: GlobalOptions, for purpose: Purpose,
        checking check: (StoreConfiguration) async throws -> Void = { _ in },
        _ body: (Session) async throws -> Result
    ) async throws -> Result {
        let (configuration, container) = try await configuration(options)
        try await check(configuration)
        if purpose == .filling, let path = file(configuration), path == ownPath(container) {
            try container.get().create()
        }
        // A command that ends cannot be asked later what became of its write.
        let store = SettlingStore(try await open(configuration, for: purpose, logger: options.logger))
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

    /// The path of the store's file, for a backend that keeps it in one.
    static func file(_ configuration: StoreConfiguration) -> String? {
        configuration.backend == SQLitePlugin.scheme ? configuration.settings.text("path") : nil
    }
}

extension Session {
    /// What a command does with its store.
    enum Purpose {
        /// Tells what a store is that must be there, and changes no byte.
        case inspecting
        /// Reads a store that must be there: a path that is misspelt must not become an empty store.
        case reading
        /// Writes to a store that must be there.
        case changing
        /// Writes, and makes a store that is not there yet.
        case filling
        /// Writes nothing and tells what filling would do: a store that is not there yet is stood in for by
        /// an empty one.
        case rehearsing

        fileprivate func options(_ logger: Logger) -> OpenOptions {
            OpenOptions(
                access: self == .inspecting ? .readOnly : .readWrite, createsIfMissing: self == .filling,
                logger: logger)
        }
    }

    private static func open(
        _ configuration: StoreConfiguration, for purpose: Purpose, logger: Logger
    ) async throws -> any Store {
        var options = purpose.options(logger)
        // Each opening makes a store in memory, so none can be missing.
        if configuration.backend == MemoryPlugin.scheme { options.createsIfMissing = true }
        do {
            return try await open(configuration, options)
        } catch let error as StoreError where purpose == .rehearsing && error.code == .notFound {
            return MemoryStore(schema: try BabyMonitorSchema.schema, options: OpenOptions(logger: logger))
        } catch let error as StoreError where purpose == .reading && error.leavesReading {
            options.access = .readOnly
            return try await open(configuration, options)
        }
    }

    private static func open(
        _ configuration: StoreConfiguration, _ options: OpenOptions
    ) async throws -> any Store {
        do {
            return try await registry.open(configuration, schema: BabyMonitorSchema.self, options: options)
        } catch let error as StoreError where error.code == .configuration && error.underlying != nil {
            // The configuration was read before; here a server has said that it lacks what is named.
            throw StoreUnavailable(reason: error)
        } catch let error as StoreError where error.code == .notFound && !options.createsIfMissing {
            throw StoreError(
                .notFound,
                "\(error.message) Check its name, or make one with: babymonitor baby add NAME, import … --create-babies, or seed"
            )
        }
    }

    /// The widgets' snapshots: those of the app in the app group, those of a SQLite file that lies elsewhere
    /// beside it, in a directory of its own; nil for a store in memory, of which nothing is left for a
    /// widget, nor where the app group has no directory.
    var widgetCache: WidgetSnapshotCache? {
        if configuration.backend == MemoryPlugin.scheme { return nil }
        guard let path = Self.file(configuration), path != Self.ownPath(container) else {
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
                "A store in memory ends with the command and has no snapshots; name another with --store.")
        }
        return widgetCache
    }

    func widgets(_ cache: WidgetSnapshotCache) -> WidgetSnapshotRefresher {
        WidgetSnapshotRefresher(store: store, cache: cache, reloader: NoWidgets())
    }

    /// After each write the widgets' snapshots are written anew; a failure is told and does not undo the
    /// write.
    var afterWrite: AfterWrite {
        AfterWrite(widgetCache.map { [widgets($0)] } ?? []) { failure in
            Terminal.writeError(Failure(failure).paragraph + "\n")
        }
    }

    /// What people have chosen in the app.
    var settings: AppSettings { get throws { AppSettings(try AppGroupDefaults(container.get())) } }

    var dashboard: Dashboard { Dashboard(store: store, afterWrite: afterWrite) }
    var csv: HistoryCSVService { HistoryCSVService(store: store, afterWrite: afterWrite) }
}

/// A command line has no widgets to reload; the snapshots are there for those that do.
struct NoWidgets: WidgetReloading {
    func reloadWidgets() async throws {}
}

extension StoreError {
    /// Whether a store that could not be opened for writing may be open to reading all the same: putting the
    /// log in place needs a lock that another process has, a right that this user lacks, or room on the disk.
    fileprivate var leavesReading: Bool {
        [.busy, .readOnly, .full, .inputOutput].contains(code)
    }
}
