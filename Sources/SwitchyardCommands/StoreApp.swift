public import ArgumentParser
public import Foundation
public import SwitchyardAppGroup
public import SwitchyardCore
public import SwitchyardJSON
public import SwitchyardMirror

/// An app as the store's commands know it: its name, its schema, its backends and its places.
///
/// ```swift
/// enum Dairy: StoreApp {
///     static let commandName = "dairy"
///     static let plugins: [any StorePlugin.Type] = [SQLitePlugin.self]
///     static var plan: (any SchemaMigrationPlan.Type)? { DairyPlan.self }
/// }
///
/// @main
/// struct DairyCommand: AsyncParsableCommand {
///     static let configuration = CommandConfiguration(
///         commandName: Dairy.commandName, abstract: "Keeps a dairy's books.",
///         subcommands: [
///             StoreCommand<Dairy>.self, MirrorCommand<Dairy>.self, ConfigCommand<Dairy>.self, UndoCommand<Dairy>.self,
///         ])
///
///     static func main() async { await CommandProgram.run(Self.self) }
/// }
/// ```
///
/// The argument parser makes commands by decoding them, so that nothing can be passed to one. Each command is therefore
/// generic in the type that describes the app, and no state is global.
public protocol StoreApp: Sendable {
    /// The arguments in front of a command's own that name the store; an app has none by default.
    associatedtype Place: StoreArguments = NoStoreArguments
    /// The options that all of the store's commands take.
    associatedtype Options: StoreArguments = StoreOptions<Self>

    /// The word by which people call the command.
    static var commandName: String { get }
    /// The backends.
    static var plugins: [any StorePlugin.Type] { get }
    /// The versions of the schema; nil to open each store by the schema that it holds.
    static var plan: (any SchemaMigrationPlan.Type)? { get }
    /// The app's builds, each with an app group of its own; none by default: a call or the configuration then names the
    /// store.
    static var profiles: [AppProfile] { get }
    /// The build that is meant unless the call or the configuration selects another; the first one by default.
    static var defaultProfile: AppProfile? { get }
    /// The app's own configuration keys, which the commands accept and `config explain` shows; none by default.
    static var configurationKeys: [SettingKey] { get }
    /// How much of its history a new store keeps; all of it by default.
    static var historyRetention: HistoryRetention { get }
    /// The functions that the models name for merging their attributes; none by default.
    static var mergeFunctions: MergeFunctions { get }
    /// The form of the document that `store backup` writes.
    static var backup: JSONBackup { get }
    /// The lock file of the schema, in the directory where the package is built; `schema.lock` by default.
    static var schemaLockFile: String { get }
    /// How to make the first store, as the end of a sentence: `make one with: dairy cow add NAME`; nil by default.
    static var creationAdvice: String? { get }
    /// The app's own commands below `store`; none by default.
    static var storeCommands: [any ParsableCommand.Type] { get }

    /// The path of the app's SQLite file; by default the command's name and `.sqlite` in the app group's directory.
    static func storePath(in container: AppGroupContainer) -> String
    /// The records of where the app's stores are that were switched; by default in `Places` in the app group's directory.
    static func places(in container: AppGroupContainer) -> PlaceRegistry
    /// The URL of a store that is named by an argument instead of an option; by default the argument itself.
    static func storeURL(_ argument: String) -> String
    /// The moment at which a day begins that is given as a time; by default midnight.
    ///
    /// - Throws: What reading the app's settings throws.
    static func start(of day: CalendarDay, in timeZone: TimeZone, _ session: StoreSession<Self>) throws
        -> Date
    /// Runs the work of a command that writes; an app can do what has to follow a change before the command ends.
    ///
    /// - Throws: What the work throws.
    static func writing<Value>(
        _ session: StoreSession<Self>, _ work: (StoreSession<Self>) async throws -> Value
    ) async throws -> Value
}

extension StoreApp {
    /// None: the call or the configuration names the store.
    public static var profiles: [AppProfile] { [] }
    /// The first of the profiles.
    public static var defaultProfile: AppProfile? { profiles.first }
    /// None.
    public static var configurationKeys: [SettingKey] { [] }
    /// All of it.
    public static var historyRetention: HistoryRetention { .unlimited }
    /// None.
    public static var mergeFunctions: MergeFunctions { MergeFunctions() }
    /// A document whose arrays have the names of the entities.
    public static var backup: JSONBackup { JSONBackup() }
    /// `schema.lock`.
    public static var schemaLockFile: String { "schema.lock" }
    /// None.
    public static var creationAdvice: String? { nil }
    /// None.
    public static var storeCommands: [any ParsableCommand.Type] { [] }

    /// The command's name and `.sqlite`.
    public static func storePath(in container: AppGroupContainer) -> String {
        container.path(of: "\(commandName).sqlite")
    }

    /// The directory `Places`.
    public static func places(in container: AppGroupContainer) -> PlaceRegistry {
        PlaceRegistry(path: container.path(of: "Places"))
    }

    /// The argument itself.
    public static func storeURL(_ argument: String) -> String { argument }

    /// Midnight.
    public static func start(
        of day: CalendarDay, in timeZone: TimeZone, _ session: StoreSession<Self>
    ) throws -> Date {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let (year, month, day) = day.components
        guard let midnight = calendar.date(from: DateComponents(year: year, month: month, day: day)) else {
            throw UsageError("The calendar of the time zone \(timeZone.identifier) has no such day.")
        }
        return calendar.startOfDay(for: midnight)
    }

    /// Only runs the work.
    public static func writing<Value>(
        _ session: StoreSession<Self>, _ work: (StoreSession<Self>) async throws -> Value
    ) async throws -> Value {
        try await work(session)
    }
}
