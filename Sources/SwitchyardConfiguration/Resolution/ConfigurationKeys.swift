internal import Configuration
internal import SwitchyardCore

/// All keys that a configuration may have, with their names in each source.
struct ConfigurationKeys: Sendable {
    /// One key.
    struct Key: Sendable {
        /// The full key, such as `store.sqlite.path`.
        let name: String
        /// The setting's declaration.
        let setting: SettingKey
        /// The scheme of the plugin that declares the key; nil for a key of the app or of the configuration itself.
        let scheme: String?
        /// The name of the environment variable.
        let variable: String
        /// The name of the file in a secrets directory.
        let fileName: String

        /// Declares a setting under a full key.
        init(_ name: String, _ setting: SettingKey, scheme: String? = nil) throws {
            self.name = name
            self.setting = setting
            self.scheme = scheme
            variable = try Self.environment.value(forKey: AbsoluteConfigKey(ConfigKey(name)), type: .string)
                .encodedKey
            fileName = name.split(separator: ".").joined(separator: "-")
        }

        // Used only to derive names, so that they match the names under which it looks values up.
        private static let environment = EnvironmentVariablesProvider(environmentVariables: [:])
            .prefixKeys(with: ConfigKey([ConfigurationKeys.prefix]))
    }

    /// The prefix of all environment variables, in lower case and without the underscore.
    static let prefix = "switchyard"
    /// The key of the configuration file's path.
    static let file = "config.file"
    /// The key of the secrets directory's path.
    static let secrets = "config.secrets"
    /// The key of the backend.
    static let backend = "store.backend"
    /// The key of the store's URL.
    static let url = "store.url"

    /// The keys of the server that the store mirrors.
    static let mirrorURL = "store.mirror.url", mirrorScope = "store.mirror.scope"
    static let mirrorDevice = "store.mirror.device", mirrorToken = "store.mirror.token"

    /// The keys that say where the other sources are.
    let sources: [Key]
    /// The app's keys.
    let app: [Key]
    /// The keys that choose the store, and the settings of all plugins.
    let store: [Key]
    /// All keys, in the order in which they are explained.
    var all: [Key] { sources + app + store }

    /// Collects the keys of an app and of the plugins.
    ///
    /// - Throws: `configuration` if a key is malformed or declared twice, or if two keys have the same
    ///   environment variable.
    init(app: [SettingKey], registry: PluginRegistry) throws {
        sources = [
            try Key(Self.file, SettingKey(Self.file, .path, summary: "The configuration file.")),
            try Key(
                Self.secrets,
                SettingKey(Self.secrets, .path, summary: "The directory with one file per secret.")),
        ]
        self.app = try app.map { try Key($0.name, $0) }
        var store = [
            try Key(
                Self.backend, SettingKey(Self.backend, .text, summary: "The backend that holds the data.")),
            try Key(
                Self.url,
                SettingKey(
                    Self.url, .text,
                    summary: "The store as a URL, which chooses the backend and its settings.")),
            try Key(
                Self.mirrorURL,
                SettingKey(
                    Self.mirrorURL, .text,
                    summary:
                        "The server's store, which this one mirrors, or the service that reaches it, as a URL."
                )),
            try Key(
                Self.mirrorToken,
                SettingKey(
                    Self.mirrorToken, .text, isSecret: true,
                    summary: "The device's token, if the server is a service.")),
            try Key(
                Self.mirrorScope,
                SettingKey(
                    Self.mirrorScope, .text, summary: "The household's scope in the server's store, a UUID.")),
            try Key(
                Self.mirrorDevice,
                SettingKey(Self.mirrorDevice, .text, summary: "The device's name, as the mirror shows it.")),
        ]
        for plugin in registry.plugins {
            for setting in plugin.settings {
                store.append(try Key(plugin.key(setting.name), setting, scheme: plugin.scheme))
            }
        }
        self.store = store

        for setting in app {
            try setting.validate(key: setting.name)
            guard setting.name != "store", !setting.name.hasPrefix("store.") else {
                throw StoreError(
                    .configuration,
                    "The app declares the key \(setting.name), but `store` belongs to the plugins.")
            }
        }
        var names: [String: String] = [:]
        for key in all {
            for alias in Set([key.variable, key.fileName]) {
                guard let other = names.updateValue(key.name, forKey: alias) else { continue }
                throw StoreError(
                    .configuration,
                    "The keys \(other) and \(key.name) are declared with the same name \(alias). Rename one of them."
                )
            }
        }
        try refuseNesting()
    }

    /// Refuses a key that is also a prefix of another one, because no file could hold both.
    private func refuseNesting() throws {
        let all = all
        for key in all {
            let beginning = key.name + "."
            if let other = all.first(where: { $0.name.hasPrefix(beginning) }) {
                throw StoreError(
                    .configuration,
                    "The key \(key.name) is declared, but it is also a part of \(other.name). Rename one.")
            }
        }
    }

    /// The key with this name; nil if it is unknown.
    func key(_ name: String) -> Key? { all.first { $0.name == name } }
}
