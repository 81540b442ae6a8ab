import BabyMonitor
import Foundation
import Logging
import MemoryStore
import PostgresStore
import SQLiteStore
import Switchyard
import SwitchyardAppGroup
import SwitchyardConfiguration
import SwitchyardCore
import SwitchyardIntents
import SwitchyardTransfer

/// What a command works with: the configuration, and the store that it selects.
struct Session {
    let configuration: StoreConfiguration
    let container: Container
    let store: any Store
    /// The store that is followed wherever it is switched to; nil if exactly the one that was named is used.
    let followed: SwitchableStore?

    /// Who writes, as the store's history tells it: the command.
    @TaskLocal static var author: String?
    /// This device, as the store's history names it.
    static let device = Device(ProcessText.hostName)

    /// The app group's directory, or why it is unknown: a store that is named explicitly does not need it.
    typealias Container = Result<AppGroupContainer, any Error>

    /// The backends that the command includes.
    static var registry: PluginRegistry { get throws { try plugins.get() } }
    private static let plugins = Result {
        try PluginRegistry([SQLitePlugin.self, PostgresPlugin.self, MemoryPlugin.self])
    }

    /// The number of reads at the same time of a store that is switched or compared.
    private static let placeReaders = 2

    /// Reads the configuration, from the process's own environment among other sources.
    ///
    /// - Parameters:
    ///   - options: The options that select the store.
    ///   - readers: The number of reads at the same time, unless it is configured.
    /// - Returns: The configuration of the store, and the container of the profile.
    /// - Throws: `configuration` if a URL or a setting is wrong.
    static func configuration(
        _ options: GlobalOptions, readers: Int = 0
    ) async throws -> (configuration: StoreConfiguration, container: Container) {
        let environment = try ProcessText.environment()
        let sources = ConfigurationSources(
            flags: options.flags, environment: environment, ignoredEnvironment: ["SWITCHYARD_TEST_*"])
        let configuration = try await StoreConfiguration(
            registry: try registry,
            keys: [
                .profile(BabyMonitorApp.profiles, default: BabyMonitorApp.release.name), .appGroupsRoot,
                .rehearsalPercent,
            ],
            sources: sources
        ) { values in
            // Most commands do one thing at a time, so that they need no reader connections; and no system suspends them.
            var defaults = [
                "store.backend": SQLitePlugin.scheme, "store.sqlite.readers": "\(readers)",
                "store.sqlite.suspension": "ignored",
            ]
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

    /// The path of the app's own store; nil if its directory is unknown.
    private static func ownPath(_ container: Container) -> String? {
        (try? container.get()).map(BabyMonitorApp.storePath)
    }

    /// Opens the store, runs the body, and closes the store.
    ///
    /// - Parameters:
    ///   - options: The options that select the store.
    ///   - purpose: What the body does with the store.
    ///   - check: Checks the configuration before anything is opened or created.
    ///   - body: The work.
    /// - Returns: The body's result.
    /// - Throws: `StoreError` if the store cannot be opened, or any error of the check or the body.
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
        // Settles unknown outcomes now: a command that has ended cannot be asked whether its write was committed.
        let (opened, followed) = try await open(configuration, container, options, for: purpose)
        let store = SettlingStore(opened)
        let session = Session(
            configuration: configuration, container: container, store: store, followed: followed)
        let reactions = purpose.writes ? session.reactions : nil
        do {
            let result = try await body(session)
            await reactions?.finish()
            try await store.close()
            return result
        } catch {
            // The first error is the one to report; an error while closing would only add noise.
            try? await store.close()
            throw error
        }
    }

    /// The place that the options and the configuration select.
    ///
    /// - Throws: `configuration` if the URL or a setting is wrong.
    static func place(_ options: GlobalOptions) async throws -> StorePlace {
        try await place(options, try await configuration(options, readers: placeReaders).configuration)
    }

    private static func place(
        _ options: GlobalOptions, _ configuration: StoreConfiguration, migrating: Bool = true
    ) async throws -> StorePlace {
        StorePlace(configuration.location) { [logger = options.logger] opening in
            var opening = opening
            opening.logger = logger
            (opening.author, opening.device) = (author, device.name)
            return try await open(configuration, opening, migrating: migrating)
        }
    }

    /// The place where the data is, from which it can be switched to another one, and the records of the app's stores.
    ///
    /// A store that was named by `--store` is that one; the configured one is where it was switched to.
    ///
    /// - Throws: `configuration` if a URL or a setting is wrong; what reading the store's marker throws.
    static func source(
        _ options: GlobalOptions
    ) async throws -> (place: StorePlace, places: PlaceRegistry?, configured: String) {
        let (configuration, container) = try await configuration(options, readers: placeReaders)
        try requireLasting(configuration)
        let places = places(container)
        var place = try await place(options, configuration)
        let configured = place.location
        guard options.store == nil else { return (place, places, configured) }
        place = try await located(place, places, options)
        // Each successor has a higher generation, so that this ends whatever the markers say.
        var generation: Int64 = 0
        while let marker = try await place.marker(), marker.switching?.state == .committed,
            marker.role == .superseded, marker.generation > generation, let successor = marker.successor
        {
            generation = marker.generation
            place = try await self.place(options.selecting(successor))
        }
        return (place, places, configured)
    }

    /// The place to which data is switched.
    ///
    /// - Throws: `configuration` if the URL or a setting is wrong; `invalidArgument` if it has a password.
    static func target(_ url: String, _ options: GlobalOptions) async throws -> StorePlace {
        guard Redaction.redact(url) == url else {
            throw StoreError(
                .invalidArgument,
                "The URL has a password, which is not kept with the place, and which others may see while the command runs. "
                    + "Leave it out, and put it into the setting store.postgres.password, by the environment or a file."
            )
        }
        let configuration = try await configuration(options.selecting(url), readers: placeReaders)
            .configuration
        try requireLasting(configuration)
        return try await place(options, configuration)
    }

    /// The options with the place where the app's own store is known to be now; as they are if one is named by `--store`.
    ///
    /// - Throws: `configuration` if a setting is wrong; as reading the record.
    static func located(_ options: GlobalOptions) async throws -> GlobalOptions {
        guard options.store == nil else { return options }
        let (configuration, container) = try await configuration(options)
        let place = try await place(options, configuration)
        let found = try await located(place, places(container), options)
        return found.location == place.location ? options : options.selecting(found.location)
    }

    /// Where the store of a place is, as the records say and its own marker does not deny.
    private static func located(
        _ place: StorePlace, _ places: PlaceRegistry?, _ options: GlobalOptions
    ) async throws -> StorePlace {
        let other = { @Sendable (location: String) in try await self.place(options.selecting(location)) }
        let direction = try await places?.direction(from: place, logger: options.logger, other)
        guard case .elsewhere(let record) = direction else { return place }
        return try await other(record.location)
    }

    private static func requireLasting(_ configuration: StoreConfiguration) throws {
        guard configuration.backend != MemoryPlugin.scheme else {
            throw StoreError(
                .invalidArgument,
                "A store in memory ends with the command, so that nothing can be moved to or from it.")
        }
    }

    /// The records of the app's stores, which are in its app group; nil if there is none.
    static func places(_ container: Container) -> PlaceRegistry? {
        (try? container.get()).map(BabyMonitorApp.places)
    }

    /// The path of the store's file, if the backend uses one.
    static func file(_ configuration: StoreConfiguration) -> String? {
        configuration.backend == SQLitePlugin.scheme ? configuration.settings.text("path") : nil
    }
}

extension Session {
    /// What a command does with its store.
    enum Purpose {
        /// Inspects a store that must exist, and changes no byte.
        case inspecting
        /// Reads a store that must exist: a misspelt path must not create an empty store.
        case reading
        /// Tries writes to a store that must exist, and takes them back.
        case trying
        /// Writes to a store that must exist.
        case changing
        /// Writes to a store, which is created if it does not exist.
        case filling
        /// Reports what filling would do, without writing; an empty store stands in for one that does not exist.
        case rehearsing

        /// Whether the command writes; only one that does brings a store of an earlier release to the newest version.
        fileprivate var writes: Bool { self == .changing || self == .filling }

        fileprivate func options(_ logger: Logger) -> OpenOptions {
            OpenOptions(
                access: self == .inspecting ? .readOnly : .readWrite, createsIfMissing: self == .filling,
                keepsHistory: true, historyRetention: BabyMonitorApp.historyRetention,
                author: Session.author, device: Session.device.name, logger: logger)
        }
    }

    /// Opens the configured store where it is now, or exactly the one that is named by `--store`.
    private static func open(
        _ configuration: StoreConfiguration, _ container: Container, _ options: GlobalOptions,
        for purpose: Purpose
    ) async throws -> (store: any Store, followed: SwitchableStore?) {
        var opening = purpose.options(options.logger)
        // Each call of `open` creates a new store in memory, so it cannot be missing.
        if configuration.backend == MemoryPlugin.scheme { opening.createsIfMissing = true }
        let migrating = purpose.writes
        let open = { (opening: OpenOptions) async throws -> (any Store, SwitchableStore?) in
            guard options.store == nil, configuration.backend != MemoryPlugin.scheme else {
                return (try await self.open(configuration, opening, migrating: migrating), nil)
            }
            let place = { @Sendable (location: String) in
                let options = options.selecting(location)
                let configuration = try await self.configuration(options, readers: placeReaders).configuration
                return try await self.place(options, configuration, migrating: migrating)
            }
            let store = try await SwitchableStore.open(
                try await self.place(options, configuration, migrating: migrating), options: opening,
                registry: places(container), place: place)
            // An inspection changes nothing, not even what is known of the reads.
            guard purpose != .inspecting else { return (store, store) }
            let percent = configuration.values.integer(SettingKey.rehearsalPercent.name) ?? 1
            let rehearsed = RehearsedStore(
                store, sampleRate: Double(percent) / 100, logger: options.logger, place: place)
            return (rehearsed, store)
        }
        do {
            return try await open(opening)
        } catch let error as StoreError where purpose == .rehearsing && error.code == .notFound {
            let empty = MemoryStore(
                schema: try BabyMonitorSchema.schema, options: OpenOptions(logger: options.logger))
            return (empty, nil)
        } catch let error as StoreError where purpose == .reading && error.code == .outOfService {
            opening.access = .readOnly
            // What cannot be read either is refused for the first reason.
            guard let found = try? await open(opening) else { throw error }
            let place = error.successor.map { ", because of a switch to \($0)" } ?? ""
            let note = StoreError(.outOfService, "The store takes no more writes\(place), and was only read.")
            Terminal.writeError(Failure(note).paragraph + "\n")
            return found
        } catch let error as StoreError where purpose == .reading && error.leavesReading {
            opening.access = .readOnly
            return try await open(opening)
        }
    }

    private static func open(
        _ configuration: StoreConfiguration, _ options: OpenOptions, migrating: Bool
    ) async throws -> any Store {
        do {
            guard migrating else {
                let schema = try BabyMonitorSchema.schema
                return try await registry.open(configuration, schema: schema, options: options)
            }
            return try await registry.open(configuration, migrating: BabyMonitorPlan.self, options: options)
        } catch let error as StoreError where !migrating && error.olderVersion != nil {
            throw StoreError.wouldMigrate(error)
        } catch let error as StoreError where error.code == .configuration && error.underlying != nil {
            // The configuration is valid, but the server says that something it names does not exist.
            throw StoreUnavailable(reason: error)
        } catch let error as StoreError where error.code == .notFound && !options.createsIfMissing {
            throw StoreError(
                .notFound,
                "\(error.message) Check its name, or make one with: babymonitor baby add NAME, import … --create-babies, or seed"
            )
        }
    }

    /// The widgets' snapshots: in the app group for the app's own store, in a directory beside the file for any
    /// other SQLite store; nil for a store in memory, which ends with the command, and if the app group has no
    /// directory.
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
                "A store in memory ends with the command and has no snapshots; choose another with --store.")
        }
        return widgetCache
    }

    func widgets(_ cache: WidgetSnapshotCache) -> WidgetSnapshotRefresher {
        WidgetSnapshotRefresher(store: store, cache: cache, reloader: NoWidgets())
    }

    /// Rewrites the widgets' snapshots after the command's writes; a failure is reported and does not undo them.
    fileprivate var reactions: StoreReactions {
        StoreReactions(to: store, widgetCache.map { [widgets($0)] } ?? [], includingOthers: false) {
            failure in
            Terminal.writeError(Failure(failure).paragraph + "\n")
        }
    }

    /// Deletes what the store's retention does not keep of its history; a failure is reported, and no error.
    func pruneHistory() async {
        do {
            guard let history = try await store.marker().history, history.retention != .unlimited else {
                return
            }
            try await store.pruneHistory()
        } catch {
            let failure = StoreReactionFailure(
                reaction: "delete old changes of the history", underlying: error)
            Terminal.writeError(Failure(failure).paragraph + "\n")
        }
    }

    /// The app's settings.
    var settings: AppSettings { get throws { AppSettings(try AppGroupDefaults(container.get())) } }

    var dashboard: Dashboard { Dashboard(store: store) }
    var csv: HistoryCSVService { HistoryCSVService(store: store) }
}

/// Reloads nothing, because a command line has no widgets; the snapshots are for those that do.
struct NoWidgets: WidgetReloading {
    func reloadWidgets() async throws {}
}

extension StoreError {
    /// The error of a command that only reads, and so does not bring a store of an earlier release to the newest version.
    fileprivate static func wouldMigrate(_ error: StoreError) -> StoreError {
        StoreError(
            .schemaMismatch,
            "The store has schema version \(error.olderVersion?.description ?? "unknown"), and the app's is "
                + "\(BabyMonitorSchema.version). A command that only reads does not migrate it. See what would change with "
                + "babymonitor store migrate --dry-run, and do it with babymonitor store migrate. Nothing was changed.",
            underlying: error.underlying)
    }

    /// Whether a store that cannot be opened for writing may still be readable: a checkpoint of the log may need a
    /// lock held by another process, a permission that this user lacks, or space on the disk.
    fileprivate var leavesReading: Bool {
        [.busy, .readOnly, .full, .inputOutput].contains(code)
    }
}
