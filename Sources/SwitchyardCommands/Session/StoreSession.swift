internal import Foundation
internal import MemoryStore
internal import SQLiteStore
public import SwitchyardAppGroup
public import SwitchyardConfiguration
public import SwitchyardCore
internal import SwitchyardTransfer

/// What a command works with: the configuration, and the store that it selects.
public struct StoreSession<App: StoreApp>: Sendable {
    /// The resolved configuration.
    public let configuration: StoreConfiguration
    /// The app group's directory, or why it is unknown: a store that is named explicitly does not need it.
    public let container: Container
    /// The open store.
    public let store: any Store
    /// The same store without the record of each write's id by which `store` settles unknown outcomes: for a service, whose devices
    /// repeat what was not answered, and whose role may not keep such records.
    public let unsettledStore: any Store
    /// The store that is followed wherever it is switched to; nil if exactly the one that was named is used.
    let followed: SwitchableStore?

    /// The app group's directory, or why it is unknown.
    public typealias Container = Result<AppGroupContainer, any Error>

    /// Opens the store, runs the work, and closes the store.
    ///
    /// - Parameters:
    ///   - call: What the call says about the store.
    ///   - purpose: What the work does with the store.
    ///   - check: Checks the configuration before anything is opened or created.
    ///   - work: The work.
    /// - Returns: The work's result.
    /// - Throws: `StoreError` if the store cannot be opened, or any error of the check or the work.
    public static func run<Value>(
        _ call: StoreCall, for purpose: Purpose,
        checking check: (StoreConfiguration) async throws -> Void = { _ in },
        _ work: (StoreSession) async throws -> Value
    ) async throws -> Value {
        let (configuration, container) = try await configuration(call)
        try await check(configuration)
        if purpose == .filling, let path = file(configuration), path == ownPath(container) {
            try container.get().create()
        }
        // Settles unknown outcomes now: a command that has ended cannot be asked whether its write was committed.
        let (opened, followed) = try await open(configuration, container, call, for: purpose)
        let session = StoreSession(
            configuration: configuration, container: container, store: SettlingStore(opened),
            unsettledStore: opened, followed: followed)
        return try await session.store.closing { _ in
            purpose.writes ? try await App.writing(session, work) : try await work(session)
        }
    }

    /// This device, as the store's history names it.
    public static var deviceName: String { ProcessText.hostName }

    /// The path of the store's file, if the backend uses one.
    public static func file(_ configuration: StoreConfiguration) -> String? {
        configuration.backend == SQLitePlugin.scheme ? configuration.settings.text("path") : nil
    }

    /// Whether the store is the app's own, in its app group.
    public var isOwn: Bool {
        let path = Self.file(configuration)
        return path != nil && path == Self.ownPath(container)
    }

    /// Whether the store ends with the command.
    public var isInMemory: Bool { configuration.backend == MemoryPlugin.scheme }

    /// Checks that writing a file would not replace a store.
    ///
    /// - Throws: `UsageError` if it is a file of the store that the configuration selects, under whatever name, or any other
    ///   SQLite database.
    public static func requireNoStore(at path: String, beside configuration: StoreConfiguration) async throws
    {
        let store = file(configuration)
        try await Cancellation.run { _ in try ExportTarget(path: path).requireNoStore(store) }
    }

    /// Deletes what the store's retention does not keep of its history; a failure is reported, and no error.
    public func pruneHistory() async {
        do {
            guard let history = try await store.marker().history, history.retention != .unlimited else {
                return
            }
            try await store.pruneHistory()
        } catch {
            Self.note(
                "The change was saved, but the command could not delete old changes of the history: "
                    + CommandProgram.sentence(of: error))
        }
    }

    /// Writes an error to standard error, and goes on.
    public static func note(_ error: any Error) {
        Terminal.writeError(Failure.note(error, by: App.commandName) + "\n")
    }

    /// Writes a sentence to standard error, and goes on.
    static func note(_ sentence: String) { note(UsageError(sentence)) }
}

extension StoreSession {
    /// The backends that the command includes.
    static var registry: PluginRegistry { get throws { try PluginRegistry(App.plugins) } }

    /// The database that a call names, which is not a store; it is not opened yet.
    ///
    /// - Throws: `configuration`, and `unsupported` if the backend reads only stores.
    package static func foreignDatabase(_ call: StoreCall) async throws -> any ForeignDatabase {
        let (configuration, _) = try await configuration(call)
        return try registry.foreignDatabase(configuration)
    }

    /// The database that a configuration selects, if its backend has no stores, and the command has no models for the rows.
    static func databaseToConvert(_ configuration: StoreConfiguration) throws -> (any ForeignDatabase)? {
        guard App.plan == nil,
            let plugin = try registry.plugin(configuration.backend) as? any ForeignDatabasePlugin.Type,
            !plugin.hasStores
        else { return nil }
        return try plugin.foreignDatabase(configuration.settings)
    }

    /// The number of reads at the same time of a store that is switched or compared.
    static var placeReaders: Int { 2 }

    /// Reads the configuration, from the process's own environment among other sources.
    ///
    /// - Parameters:
    ///   - call: What the call says about the store.
    ///   - readers: The number of reads at the same time, unless it is configured.
    ///   - isOpened: Whether the store will be opened, so that it must be known where it is.
    /// - Returns: The configuration of the store, and the container of the profile.
    /// - Throws: `configuration` if a URL or a setting is wrong.
    static func configuration(
        _ call: StoreCall, readers: Int = 0, isOpened: Bool = true
    ) async throws -> (configuration: StoreConfiguration, container: Container) {
        let environment = try ProcessText.environment()
        // Without an app, the settings of one are nobody's.
        let ofApps = App.plan == nil ? ["SWITCHYARD_PROFILE", "SWITCHYARD_APP_*"] : []
        let sources = ConfigurationSources(
            flags: call.flags, environment: environment,
            ignoredEnvironment: ["SWITCHYARD_TEST_*"] + ofApps)
        let profiles = App.defaultProfile.map {
            [SettingKey.profile(App.profiles, default: $0.name), .appGroupsRoot]
        }
        let registry = try Self.registry
        let configuration = try await StoreConfiguration(
            registry: registry, keys: (profiles ?? []) + [.rehearsalPercent] + App.configurationKeys,
            sources: sources
        ) { values in
            guard registry.schemes.contains(SQLitePlugin.scheme) else { return [:] }
            // Most commands do one thing at a time, so that they need no reader connections; and no system suspends them.
            var defaults = [
                "store.backend": SQLitePlugin.scheme, "store.sqlite.readers": "\(readers)",
                "store.sqlite.suspension": "ignored",
            ]
            defaults["store.sqlite.path"] = ownPath(try appGroup(values, environment))
            return defaults
        }
        let container = try appGroup(configuration.values, environment)
        if isOpened, configuration.backend == SQLitePlugin.scheme, file(configuration) == nil {
            _ = try container.get()
        }
        return (configuration, container)
    }

    private static func appGroup(
        _ values: ConfigurationValues, _ environment: [String: String]
    ) throws -> Container {
        guard App.defaultProfile != nil else {
            return .failure(
                StoreError(.configuration, "No store is named. Give its URL by --store, or set store.url."))
        }
        let profile = try values.profile(among: App.profiles)
        return Result { try values.container(of: profile, environment: environment) }
    }

    /// The path of the app's own store; nil if its directory is unknown.
    static func ownPath(_ container: Container) -> String? { (try? container.get()).map(App.storePath) }

    /// The records of the app's stores, in its app group; nil without an app group.
    static func places(_ container: Container) -> PlaceRegistry? {
        (try? container.get()).map(App.places)
    }
}
