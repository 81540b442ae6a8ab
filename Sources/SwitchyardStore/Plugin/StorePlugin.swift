/// A backend: a type that can open stores of one kind.
///
/// To write one, depend only on `SwitchyardCore`, test it with `SwitchyardConformance`, and pass it to a `PluginRegistry`.
public protocol StorePlugin: Sendable {
    /// The name of the plugin in configurations and URLs, such as `sqlite`: lower-case letters and digits.
    static var scheme: String { get }
    /// Other URL schemes that mean this plugin, such as `postgresql`.
    static var schemeAliases: [String] { get }
    /// The settings that the plugin reads, named below `store.<scheme>.`.
    ///
    /// A setting named `url` contains a URL for `settings(fromURL:)`, whose results then count as given in the place
    /// where the URL was given.
    static var settings: [SettingKey] { get }
    /// The capabilities that this backend lacks, each with the reason; empty if it has all of them.
    static var limitations: [StoreCapability: String] { get }

    /// The settings in a URL, by their names in `settings`.
    ///
    /// Return each part as a setting of its own (`host`, `port`) if you can, so that other sources can override it on
    /// its own. A `url` setting that is returned whole reaches `open` unchanged.
    ///
    /// - Parameter url: The text after `--store`, in `store.url` or in the setting `url`, its scheme
    ///   included, such as `sqlite:/data/a.sqlite`.
    /// - Returns: The texts of settings, by name.
    /// - Throws: `configuration` if the URL makes no sense; the message contains no password.
    static func settings(fromURL url: String) throws -> [String: String]

    /// The URL of the store that settings select, by which it is found again: without secrets, and without settings that do
    /// not say which store it is.
    ///
    /// The default is the scheme and the setting `path`, if there is one, as in `sqlite:/data/a.sqlite`.
    static func location(of settings: StoreSettings) -> String

    /// The environment variables that the backend's own client library uses for what these settings leave open; none by
    /// default.
    static func clientVariables(beside settings: StoreSettings) -> [ClientVariable]

    /// Opens a store, or creates it if it does not exist and the options allow it.
    ///
    /// A store that is newer than the schema, has another schema, is damaged or is not a Switchyard store is refused
    /// and left unchanged.
    ///
    /// - Throws: `notFound` for a store that does not exist and must not be created, `configuration`,
    ///   `schemaTooNew`, `schemaMismatch`, `scopeMismatch`, `outOfService`, `incompleteCopy`, `migrationUnfinished`,
    ///   `notAStore`, `corrupted`, `connectionLost`, `authentication`, `busy`, `readOnly`, `inputOutput`; `unsupported` for a scope where
    ///   `limitations` has `scopes`.
    static func open(_ settings: StoreSettings, schema: Schema, options: OpenOptions) async throws
        -> any Store
}

extension StorePlugin {
    /// Empty: the plugin has no aliases.
    public static var schemeAliases: [String] { [] }
    /// Empty: the backend has all capabilities.
    public static var limitations: [StoreCapability: String] { [:] }
    /// The scheme, and the setting `path` if there is one.
    public static func location(of settings: StoreSettings) -> String {
        "\(scheme):\(settings.text("path") ?? "")"
    }
    /// Empty: the client library reads no variables.
    public static func clientVariables(beside settings: StoreSettings) -> [ClientVariable] { [] }
}

extension StorePlugin {
    /// Refuses a scope, for a backend that does not support them: a plugin whose `limitations` include `scopes` calls
    /// this when it opens a store.
    ///
    /// - Throws: `unsupported` with the reason, if the options name a scope.
    public static func requireNoScope(_ options: OpenOptions) throws {
        guard options.scope != nil, let reason = limitations[.scopes] else { return }
        throw StoreError(
            .unsupported,
            "The backend \(scheme) does not support scopes. \(reason) Leave the scope out, or choose "
                + "another backend.")
    }
}

extension StorePlugin {
    /// The full key of a setting.
    package static func key(_ name: String) -> String { "store.\(scheme).\(name)" }

    /// The setting with a name.
    ///
    /// - Throws: `configuration` for an unknown name, naming the nearest one and all known ones.
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

/// A capability that most backends have, and that a backend can declare as missing.
public enum StoreCapability: String, Sendable, Hashable, Codable, CaseIterable {
    /// A returned write survives the end of the process.
    case durability
    /// A read continues on its snapshot while another task writes.
    case concurrentReads
    /// A store can hold rows of several scopes, and a transaction sees those of its own (`OpenOptions.scope`).
    case scopes
}
