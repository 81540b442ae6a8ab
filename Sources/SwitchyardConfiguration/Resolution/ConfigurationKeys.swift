internal import Configuration
internal import SwitchyardCore

/// All keys that a configuration may have, and what each is called in every source.
struct ConfigurationKeys: Sendable {
    /// One key.
    struct Key: Sendable {
        /// The whole key, such as `store.sqlite.path`.
        let name: String
        /// What the key takes.
        let setting: SettingKey
        /// The scheme of the plugin that declares it; nil for an app's key or one of the configuration
        /// itself.
        let scheme: String?
        /// The name of the environment variable.
        let variable: String
        /// The name of the file in a secrets directory.
        let fileName: String

        /// Takes a setting under a key.
        init(_ name: String, _ setting: SettingKey, scheme: String? = nil) throws {
            self.name = name
            self.setting = setting
            self.scheme = scheme
            variable = try Self.environment.value(forKey: AbsoluteConfigKey(ConfigKey(name)), type: .string)
                .encodedKey
            fileName = name.split(separator: ".").joined(separator: "-")
        }

        // Asked for its names only, so that they are the ones under which it will look.
        private static let environment = EnvironmentVariablesProvider(environmentVariables: [:])
            .prefixKeys(with: ConfigKey([ConfigurationKeys.prefix]))
    }

    /// What all environment variables begin with, in lower case and without the underscore.
    static let prefix = "switchyard"
    /// The key of the configuration file's path.
    static let file = "config.file"
    /// The key of the secrets directory's path.
    static let secrets = "config.secrets"
    /// The key of the backend.
    static let backend = "store.backend"
    /// The key of the store's URL.
    static let url = "store.url"

    /// Where the other settings are.
    let sources: [Key]
    /// The app's keys.
    let app: [Key]
    /// The choice of the store, and the settings of all plugins.
    let store: [Key]
    /// All keys, in the order in which they are explained.
    var all: [Key] { sources + app + store }

    /// Takes the keys of an app and of the plugins.
    ///
    /// - Throws: `configuration` if a key is declared twice, is not a key, or is called like another one in
    ///   the environment.
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

    /// Refuses a key that is also the beginning of another one, because no file could hold both.
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

    /// The key of a name; nil if there is none.
    func key(_ name: String) -> Key? { all.first { $0.name == name } }
}
