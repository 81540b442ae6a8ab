public import Foundation
public import SwitchyardCore
public import SwitchyardMirror

/// A resolved configuration: which backend holds the data, with which settings, and why.
///
/// ## Sources
/// A setting's value comes from the first source that has it:
/// 1. flags;
/// 2. the environment: `SWITCHYARD_` and the key in capitals, with `_` for each point
///    (`SWITCHYARD_STORE_BACKEND`);
/// 3. the secrets directory: a file for each key, with `-` for each point (`store-postgres-password`);
/// 4. the configuration file, JSON or YAML: a nested object for each point, or the full key as one name;
/// 5. defaults: the app's, then the plugin's.
///
/// ## Keys
/// - `config.file`, `config.secrets`: the paths of the file and the directory; by flag or in the environment,
///   the latter also in the file.
/// - `store.backend`: a plugin's scheme.
/// - `store.url`: a store as a URL. It chooses the backend and provides settings of the plugin, which have the
///   precedence of the source that gave the URL.
/// - `store.<scheme>.<name>`: the settings of every registered plugin.
/// - `store.mirror.url`: the server's store, which this one mirrors, as a URL; its password and other settings can be those of
///   the plugin, and `store.mirror.scope` is the household's scope there. Or the service that reaches it, with `https://`, and
///   `store.mirror.token` as this device's token. `store.mirror.device`: this device's name.
/// - The app's own keys, such as `profile`.
///
/// ## Rules
/// - Of `store.backend` and `store.url`, the one with the higher precedence chooses the backend. It is an error
///   if they disagree in the same source.
/// - The same holds for a setting given both by itself and as part of a URL.
/// - An unknown key is an error in every source, even if another source overrides it. In the secrets directory,
///   which may serve other programs too, this applies only to files that look like settings. An invalid value is
///   an error unless another source overrides it, even for a plugin that is not chosen.
/// - A relative path in the file is resolved against the file's directory, and elsewhere against the current one.
///
/// The configuration says where to look. The marker of the store there overrides it.
public struct StoreConfiguration: Sendable {
    /// The scheme of the chosen plugin.
    public let backend: String
    /// The settings of the chosen plugin.
    public let settings: StoreSettings
    /// The URL of the store, without secrets.
    public let location: String
    /// The server that the store mirrors; nil without one.
    public private(set) var mirror: MirrorConfiguration?
    /// The app's settings.
    public let values: ConfigurationValues
    /// Each key, its value, and where that came from.
    public let explanation: ConfigurationExplanation

    /// Reads a configuration.
    ///
    /// - Parameters:
    ///   - registry: The plugins that can be chosen.
    ///   - keys: The app's own settings, by full key.
    ///   - sources: The sources to read.
    ///   - defaults: Returns the app's defaults for keys below `store.`, given the app's own settings.
    /// - Throws: `configuration`, with the key, the origin of its value and the values allowed; anything that
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
        (plugin, settings, mirror) = try await resolution.chooseStore(defaults: defaults(values))
        backend = plugin.scheme
        location = plugin.location(of: settings)
        explanation = resolution.explanation(of: plugin, settings)
    }

    /// The same store, opened alone: a program that opens the mirror exchanges what is written here.
    public var withoutMirror: StoreConfiguration {
        var local = self
        local.mirror = nil
        return local
    }
}

/// The server that a store mirrors.
public struct MirrorConfiguration: Sendable {
    /// What the server is.
    public enum Server: Sendable {
        /// A store that is reached directly: the scheme of its plugin, and the settings of that.
        case store(backend: String, settings: StoreSettings)
        /// A service, which is reached over HTTPS; without a token, as what the store has joined.
        case service(URL, token: MirrorToken?)

        /// The scheme of the plugin of a store.
        var backend: String? {
            guard case .store(let backend, _) = self else { return nil }
            return backend
        }
    }

    /// What the server is.
    public let server: Server
    /// Its URL, without secrets.
    public let location: String
    /// The household's scope; nil for a server's store without scopes.
    public let scope: StoreScope?
    /// The device's name, as the mirror shows it.
    public let device: String?
}

extension StoreConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The backend and its settings, with secrets and passwords hidden.
    public var description: String { settings.description }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// Contains no password, since debuggers and `dump` show it.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["backend": backend, "settings": settings, "values": values],
            displayStyle: .struct)
    }
}
