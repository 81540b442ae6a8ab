public import SwitchyardCore

/// A configuration that has been read: which backend holds the data, with which settings, and why.
///
/// ## Sources
/// A setting is taken from the first source that has it:
/// 1. flags;
/// 2. the environment: `SWITCHYARD_` and the key in capitals, with `_` for each point
///    (`SWITCHYARD_STORE_BACKEND`);
/// 3. the secrets directory: a file for each key, with `-` for each point (`store-postgres-password`);
/// 4. the configuration file, JSON or YAML: an object inside an object for each point, or the key as it is;
/// 5. defaults, of the app and then of the plugin.
///
/// ## Keys
/// - `config.file`, `config.secrets`: where the file and the directory are; by flag or in the environment,
///   the latter also in the file.
/// - `store.backend`: a plugin's scheme.
/// - `store.url`: a store as a URL. It chooses the backend, and stands for settings of the plugin, which
///   count as given where the URL was given.
/// - `store.<scheme>.<name>`: the settings of every registered plugin.
/// - What the app declares, such as `profile`.
///
/// ## Rules
/// - Of `store.backend` and `store.url` the one from the stronger source chooses the backend. If they
///   disagree in the same source, that is an error.
/// - The same holds for a setting given by itself and as part of a URL.
/// - A key that nobody declared is an error in every source, also where a stronger one would win; of the
///   files in the secrets directory only those that look like settings, for it may serve others too. A value
///   that its key does not take is an error wherever it wins, also for a plugin that is not chosen.
/// - A relative path in the file begins at the file's directory; elsewhere at the current one.
///
/// The configuration says where to look. What the store found there says of itself has the last word.
public struct StoreConfiguration: Sendable {
    /// The scheme of the chosen plugin.
    public let backend: String
    /// The settings of the chosen plugin.
    public let settings: StoreSettings
    /// The app's settings.
    public let values: ConfigurationValues
    /// Each key, its value, and where that came from.
    public let explanation: ConfigurationExplanation

    /// Reads a configuration.
    ///
    /// - Parameters:
    ///   - registry: The plugins that can be chosen.
    ///   - keys: The app's own settings, by whole key.
    ///   - sources: Where to read.
    ///   - defaults: Gives the app's defaults for keys below `store.`, from the app's own settings.
    /// - Throws: `configuration`, with the key, where its value came from and what is allowed; what
    ///   `defaults` throws.
    public init(
        registry: PluginRegistry, keys: [SettingKey] = [], sources: ConfigurationSources,
        defaults: (ConfigurationValues) throws -> [String: String] = { _ in [:] }
    ) async throws {
        let keys = try ConfigurationKeys(app: keys, registry: registry)
        var resolution = try ConfigurationResolution(sources, keys: keys, registry: registry)
        try await resolution.findSources()
        values = try await resolution.readAppSettings()
        let plugin: any StorePlugin.Type
        (plugin, settings) = try await resolution.chooseStore(defaults: defaults(values))
        backend = plugin.scheme
        explanation = resolution.explanation(of: plugin, settings)
    }
}

extension StoreConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The backend and its settings, with secrets and passwords hidden.
    public var description: String { settings.description }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// What a debugger or `dump` shows: no password.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["backend": backend, "settings": settings, "values": values],
            displayStyle: .struct)
    }
}
