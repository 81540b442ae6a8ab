public import Logging

/// A backend: a type that can open stores of one kind.
///
/// Write one against this module alone, prove it with `SwitchyardConformance`, and pass it to a
/// `PluginRegistry`.
public protocol StorePlugin: Sendable {
    /// The name by which configuration and URLs choose the plugin, such as `sqlite`: lower-case letters and
    /// digits.
    static var scheme: String { get }
    /// Other URL schemes that mean this plugin, such as `postgresql`.
    static var schemeAliases: [String] { get }
    /// The settings that the plugin reads, named below `store.<scheme>.`.
    ///
    /// A setting named `url` holds such a URL as `settings(fromURL:)` reads; what that returns for it counts
    /// as given where the URL was given.
    static var settings: [SettingKey] { get }
    /// What this backend cannot do, each with the reason; empty for one that can do everything.
    static var limitations: [StoreCapability: String] { get }

    /// The settings that a URL stands for, by their names in `settings`.
    ///
    /// Each part is best returned as a setting of its own (`host`, `port`), because it then competes by
    /// itself with the values that other sources have for it. A setting `url` which is returned whole reaches
    /// `open` as it is.
    ///
    /// - Parameter url: The text after `--store`, in `store.url` or in the setting `url`, its scheme
    ///   included, such as `sqlite:/data/a.sqlite`.
    /// - Returns: The texts of settings, by name.
    /// - Throws: `configuration`, if the URL makes no sense; the message holds no password.
    static func settings(fromURL url: String) throws -> [String: String]

    /// The environment variables that the backend's own client goes by where these settings leave it free;
    /// none, unless implemented.
    static func clientVariables(beside settings: StoreSettings) -> [ClientVariable]

    /// Opens a store, and makes it if there is none and the options allow it.
    ///
    /// A store that is newer than the schema, of another schema, damaged or not one of Switchyard's is
    /// refused and left exactly as it was.
    ///
    /// - Throws: `notFound` for a store that is not there and not to be made, `configuration`,
    ///   `schemaTooNew`, `schemaMismatch`, `scopeMismatch`, `outOfService`, `notAStore`, `corrupted`,
    ///   `connectionLost`, `authentication`, `busy`, `readOnly`, `inputOutput`; `unsupported` for a scope where
    ///   `limitations` has `scopes`.
    static func open(_ settings: StoreSettings, schema: Schema, options: OpenOptions) async throws
        -> any Store
}

extension StorePlugin {
    /// No other scheme.
    public static var schemeAliases: [String] { [] }
    /// No limitation.
    public static var limitations: [StoreCapability: String] { [:] }
    /// No variable.
    public static func clientVariables(beside settings: StoreSettings) -> [ClientVariable] { [] }
}

extension StorePlugin {
    /// Refuses a scope that the backend cannot keep apart: a plugin whose `limitations` have `scopes` calls this as it
    /// opens a store.
    ///
    /// - Throws: `unsupported`, with the reason.
    public static func requireNoScope(_ options: OpenOptions) throws {
        guard options.scope != nil, let reason = limitations[.scopes] else { return }
        throw StoreError(
            .unsupported,
            "The backend \(scheme) keeps no scopes apart. \(reason) Leave the scope out, or choose "
                + "another backend.")
    }
}

extension StorePlugin {
    /// The whole key of a setting.
    package static func key(_ name: String) -> String { "store.\(scheme).\(name)" }

    /// The setting of a name.
    ///
    /// - Throws: `configuration`, naming the nearest and all that there are.
    package static func setting(_ name: String) throws -> SettingKey {
        if let setting = settings.first(where: { $0.name == name }) { return setting }
        let known = settings.map { key($0.name) }
        throw StoreError(
            .configuration,
            known.isEmpty
                ? "There is no setting \(key(name)); the backend \(scheme) has none."
                : "There is no setting \(key(name)). "
                    + Spelling.advice(for: key(name), among: known, separator: "."))
    }
}

/// Something that most backends can do and one may declare that it cannot.
public enum StoreCapability: String, Sendable, Hashable, Codable, CaseIterable {
    /// A returned write survives the end of the process.
    case durability
    /// A read goes on, on its snapshot, while another task writes.
    case concurrentReads
    /// Rows of several scopes lie in one store, and a transaction sees those of its own (`OpenOptions.scope`).
    case scopes
}

/// How a store is to be opened.
public struct OpenOptions: Sendable {
    /// Whether rows may be written.
    public var access: Access
    /// Whether a store that is not there is made.
    public var createsIfMissing: Bool
    /// The role in which the store is opened: one that has another role is not written, and one that is made
    /// gets it.
    public var role: StoreRole
    /// The scope whose rows transactions see and write if they name no other; nil for a store whose rows are not
    /// divided into scopes.
    ///
    /// A store that is made with one is divided for good, and one that is made without one cannot be.
    public var scope: StoreScope?
    /// Takes the records of what the store does: statements at `trace`, without the values in them; retries, waits,
    /// checkpoints and connections at `debug`; at `info` only what went wrong and no error tells.
    public var logger: Logger

    /// What a store is opened for.
    public enum Access: Sendable, Hashable {
        /// Reading and writing.
        case readWrite
        /// Reading only. The store's files are not modified in any way.
        case readOnly
    }

    /// Opens the active store for reading and writing, and makes a missing one, unless told otherwise; its records go
    /// to the task's own logger (`withLogger`), or to where the process has bootstrapped logging.
    public init(
        access: Access = .readWrite, createsIfMissing: Bool = true, role: StoreRole = .active,
        scope: StoreScope? = nil, logger: Logger = .current
    ) {
        self.access = access
        self.createsIfMissing = createsIfMissing
        self.role = role
        self.scope = scope
        self.logger = logger
    }
}
