internal import Logging
internal import MemoryStore
internal import SwitchyardConfiguration
internal import SwitchyardCore
internal import SwitchyardTransfer

extension StoreSession {
    /// What a command does with its store.
    public enum Purpose: Sendable {
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
        var writes: Bool { self == .changing || self == .filling }

        /// Whether nothing at all is written: of any store, or of an app's by a command that inspects.
        fileprivate var isReadOnly: Bool { self == .inspecting || self == .reading && App.plan == nil }
    }

    /// How a store is opened that must exist, in the name of this command.
    static func opening(_ call: StoreCall) -> OpenOptions {
        OpenOptions(
            createsIfMissing: false, keepsHistory: true, author: CommandProgram.author, device: deviceName,
            logger: call.logger(App.commandName))
    }

    /// What opens the store that a call selects, with any schema, where it is known to be now.
    ///
    /// - Throws: `configuration` if a URL or a setting is wrong.
    static func opener(
        _ call: StoreCall
    ) async throws -> (OpenOptions, @Sendable (Schema, OpenOptions) async throws -> any Store) {
        let (configuration, _) = try await configuration(try await located(call))
        let local = configuration.withoutMirror
        return (opening(call), { try await registry.open(local, schema: $0, options: $1) })
    }

    /// Opens the configured store where it is now, or exactly the one that the call names.
    static func open(
        _ configuration: StoreConfiguration, _ container: Container, _ call: StoreCall, for purpose: Purpose
    ) async throws -> (store: any Store, followed: SwitchableStore?) {
        var opening = opening(call)
        opening.access = purpose.isReadOnly ? .readOnly : .readWrite
        opening.historyRetention = App.historyRetention
        opening.scope = try call.storeScope
        // Each call of `open` creates a new store in memory, so it cannot be missing.
        opening.createsIfMissing = purpose == .filling || configuration.backend == MemoryPlugin.scheme
        do {
            return try await open(configuration, container, call, opening, for: purpose)
        } catch let error as StoreError where purpose == .rehearsing && error.code == .notFound {
            guard let plan = App.plan else { throw error }
            let schema = try MigrationPlan(plan).schema
            return (MemoryStore(schema: schema, options: OpenOptions(logger: opening.logger)), nil)
        } catch let error as StoreError where purpose == .reading && error.code == .outOfService {
            opening.access = .readOnly
            // What cannot be read either is refused for the first reason.
            guard let found = try? await open(configuration, container, call, opening, for: purpose) else {
                throw error
            }
            let place = error.successor.map { ", because of a switch to \($0)" } ?? ""
            note("The store takes no more writes\(place), and was only read.")
            return found
        } catch let error as StoreError where purpose == .reading && error.leavesReading {
            opening.access = .readOnly
            return try await open(configuration, container, call, opening, for: purpose)
        }
    }

    private static func open(
        _ configuration: StoreConfiguration, _ container: Container, _ call: StoreCall,
        _ opening: OpenOptions, for purpose: Purpose
    ) async throws -> (store: any Store, followed: SwitchableStore?) {
        let migrating = purpose.writes
        guard call.store == nil, configuration.backend != MemoryPlugin.scheme else {
            return (try await open(configuration, opening, migrating: migrating), nil)
        }
        let place = { @Sendable (location: String) in
            try await self.place(call.selecting(location), migrating: migrating)
        }
        let store = try await SwitchableStore.open(
            try await self.place(call, configuration, migrating: migrating), options: opening,
            registry: places(container), place: place)
        // An inspection changes nothing, not even what is known of the reads.
        guard purpose != .inspecting else { return (store, store) }
        let percent = configuration.values.integer(SettingKey.rehearsalPercent.name) ?? 1
        let rehearsed = RehearsedStore(
            store, sampleRate: Double(percent) / 100, logger: opening.logger, place: place)
        return (rehearsed, store)
    }

    /// Opens a store by the app's plan or, without one, by the schema that the store holds.
    ///
    /// - Parameters:
    ///   - configuration: Where the store is.
    ///   - options: How it is opened.
    ///   - migrating: Whether a store of an earlier release is brought to the newest version.
    ///   - schema: The schema of a store that is created without a plan.
    /// - Returns: The store.
    /// - Throws: `StoreUnavailable` if the server has no such database; as opening the store.
    static func open(
        _ configuration: StoreConfiguration, _ options: OpenOptions, migrating: Bool,
        creating schema: Schema? = nil
    ) async throws -> any Store {
        // A command does its one thing; what it writes is exchanged by the app, or by the command `mirror exchange`.
        let configuration = configuration.withoutMirror
        do {
            guard let plan = App.plan else {
                if let database = try databaseToConvert(configuration) {
                    return try await ConvertedStore.open(database, of: configuration.backend, options) {
                        finding in
                        note("\(finding)")
                    }
                }
                let schema = try await heldSchema(configuration) ?? schema ?? unknownSchema
                return try await registry.open(configuration, schema: schema, options: options)
            }
            guard !migrating, let newest = plan.schemas.last else {
                return try await registry.open(configuration, migrating: plan, options: options)
            }
            return try await registry.open(configuration, schema: newest, options: options)
        } catch let error as StoreError
            where App.plan == nil && error.code == .scopeMismatch && options.scope == nil
        {
            throw StoreError(
                .scopeMismatch,
                "The store's rows are divided into scopes. Name one by --scope ID; the command info lists them. Nothing was "
                    + "changed.", underlying: error)
        } catch let error as StoreError where !migrating && error.olderVersion != nil {
            throw wouldMigrate(error)
        } catch let error as StoreError where error.code == .configuration && error.underlying != nil {
            // The configuration is valid, but the server says that something it names does not exist.
            throw StoreUnavailable(reason: error)
        } catch let error as StoreError where error.code == .notFound && !options.createsIfMissing {
            let advice = App.creationAdvice.map { " Check its name, or \($0)" } ?? ""
            throw StoreError(.notFound, "\(error.message)\(advice)")
        }
    }

    /// The schema that a store holds, which is not changed; nil if there is no store.
    ///
    /// - Throws: As opening it.
    static func heldSchema(_ configuration: StoreConfiguration) async throws -> Schema? {
        let unknown = try unknownSchema
        return try await StorePlace(configuration.location) { options in
            try await registry.open(configuration.withoutMirror, schema: unknown, options: options)
        }.marker()?.schema
    }

    /// A schema to open a store with before its own is known.
    private static var unknownSchema: Schema {
        get throws { try Schema(version: SchemaVersion(1), entities: []) }
    }

    /// The app's plan; for a command that has none, the version of the schema that the store holds.
    ///
    /// - Throws: `schemaInvalid` for a plan that is wrong; as opening the store.
    static func plan(_ call: StoreCall) async throws -> MigrationPlan {
        if let plan = App.plan { return try MigrationPlan(plan) }
        return try MigrationPlan(versions: [try await newestSchema(call)])
    }

    /// The newest schema of the app's plan; for a command that has none, the schema that the store holds.
    ///
    /// - Throws: `schemaInvalid` for a plan that is wrong; `notFound`; as opening the store.
    static func newestSchema(_ call: StoreCall) async throws -> Schema {
        if let newest = App.plan?.schemas.last { return try newest.schema }
        return try await run(call, for: .inspecting) { session in session.store.schema }
    }
}

extension StoreSession {
    /// The error of a command that only reads, and so does not bring a store of an earlier release to the newest version.
    private static func wouldMigrate(_ error: StoreError) -> StoreError {
        let newest = App.plan?.schemas.last.flatMap { try? $0.schema.version.description } ?? "unknown"
        return StoreError(
            .schemaMismatch,
            "The store has schema version \(error.olderVersion?.description ?? "unknown"), and the app's is "
                + "\(newest). A command that only reads does not migrate it. See what would change with "
                + "\(App.commandName) store migrate --dry-run, and do it with \(App.commandName) store migrate. Nothing was "
                + "changed.", underlying: error.underlying)
    }
}

extension StoreError {
    /// Whether a store that cannot be opened for writing may still be readable: a checkpoint of the log may need a
    /// lock held by another process, a permission that this user lacks, or space on the disk.
    fileprivate var leavesReading: Bool { [.busy, .readOnly, .full, .inputOutput].contains(code) }
}
