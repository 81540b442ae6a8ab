internal import Foundation
internal import SwitchyardCore
internal import SwitchyardMirror

/// The steps that turn sources into a configuration.
struct ConfigurationResolution {
    /// A setting whose value has been checked.
    struct Setting {
        /// The value.
        var value: SettingText
        /// Where it came from.
        var origin: SettingOrigin
        /// Whether the value has any effect.
        var isUsed = true
    }

    let keys: ConfigurationKeys
    let registry: PluginRegistry
    private let sources: ConfigurationSources
    private var layers: ConfigurationLayers
    /// The settings found so far, by key.
    private(set) var found: [String: Setting] = [:]
    /// The keys of the URLs that have been replaced by the settings they contain.
    private var resolvedURLs: Set<String> = []

    /// The whole environment.
    var environment: [String: String] { sources.environment }

    /// Starts with the flags and the environment.
    ///
    /// - Throws: `configuration` if a name in either is unknown.
    init(_ sources: ConfigurationSources, keys: ConfigurationKeys, registry: PluginRegistry) throws {
        self.sources = sources
        self.keys = keys
        self.registry = registry
        layers = try ConfigurationLayers(sources, keys: keys)
    }

    /// Reads the file and the secrets directory.
    ///
    /// - Throws: `configuration` if one cannot be read, or contains an undeclared key.
    mutating func findSources() async throws {
        try await read(keys.sources)
        let file = found[ConfigurationKeys.file]
        if let path = file?.value.exposed ?? sources.file {
            let mustExist = file != nil
            layers.file = try await given(file?.origin) {
                try await BlockingWork.run {
                    try ConfigurationFile(path: path, mustExist: mustExist)
                }
            }
        }
        // The file may say where the secrets are.
        try await read(keys.sources)
        let secrets = found[ConfigurationKeys.secrets]
        if let path = secrets?.value.exposed ?? sources.secretsDirectory {
            let mustExist = secrets != nil
            let known = keys.all.map(\.fileName)
            layers.secrets = try await given(secrets?.origin) {
                try await BlockingWork.run {
                    try SecretsDirectory(path: path, known: known, mustExist: mustExist)
                }
            }
        }
        try layers.refuseUnknown(among: keys)
    }

    /// Reads the app's settings.
    mutating func readAppSettings() async throws -> ConfigurationValues {
        try await read(keys.app)
        var values: [String: SettingText] = [:]
        for key in keys.app { values[key.name] = found[key.name]?.value }
        return ConfigurationValues(values)
    }

    /// Reads the settings of the store and of the server that it mirrors, and chooses their plugins.
    mutating func chooseStore(
        defaults: [String: String]
    ) async throws -> (any StorePlugin.Type, StoreSettings, MirrorConfiguration?) {
        for key in defaults.keys.sorted() where !keys.store.contains(where: { $0.name == key }) {
            throw StoreError(
                .configuration,
                "The app gives a default for the unknown key `\(key)`. "
                    + Spelling.advice(for: key, among: keys.store.map(\.name), separator: "."))
        }
        layers.defaults = defaults
        try await read(keys.store)
        let choice = try choosePlugin()
        // What the store's own URL says, such as a password, is not for another server.
        let mirror = try chooseMirror()
        try expandURLs(of: choice)
        for key in keys.store {
            guard let scheme = key.scheme, scheme != choice.scheme, scheme != mirror?.server.backend else {
                continue
            }
            found[key.name]?.isUsed = false
        }
        var values: [String: SettingText] = [:]
        for setting in choice.settings where !resolvedURLs.contains(choice.key(setting.name)) {
            values[setting.name] = found[choice.key(setting.name)]?.value
        }
        return (choice, StoreSettings(scheme: choice.scheme, checked: values), mirror)
    }

    /// The server that the store mirrors; nil without one.
    private mutating func chooseMirror() throws -> MirrorConfiguration? {
        guard let url = found[ConfigurationKeys.mirrorURL] else {
            let others = [
                ConfigurationKeys.mirrorScope, ConfigurationKeys.mirrorDevice, ConfigurationKeys.mirrorToken,
            ]
            for name in others { found[name]?.isUsed = false }
            return nil
        }
        if ["https", "http"].contains(URL(string: url.value.exposed)?.scheme) {
            return try chooseService(url)
        }
        found[ConfigurationKeys.mirrorToken]?.isUsed = false
        let plugin = try plugin(from: url) { try registry.plugin(forURL: $0) }
        var values: [String: SettingText] = [:]
        for setting in plugin.settings { values[setting.name] = found[plugin.key(setting.name)]?.value }
        // The URL of another store of the same backend is not this one's.
        values["url"] = nil
        for (name, text) in try given(
            by: url.origin, { try plugin.checkedSettings(fromURL: url.value.exposed) })
        {
            let setting = try given(by: url.origin) { try plugin.setting(name) }
            var origin = url.origin
            origin.url = ConfigurationKeys.mirrorURL
            let key = try ConfigurationKeys.Key(plugin.key(name), setting, scheme: plugin.scheme)
            values[name] = try check(text, key, origin).value
        }
        let scope = try found[ConfigurationKeys.mirrorScope].map { setting in
            guard let scope = StoreScope(setting.value.exposed) else {
                throw StoreError(
                    .configuration,
                    "The setting \(ConfigurationKeys.mirrorScope) is not the id of a scope, which is a UUID."
                ).given(by: setting.origin)
            }
            return scope
        }
        let settings = StoreSettings(scheme: plugin.scheme, checked: values)
        return MirrorConfiguration(
            server: .store(backend: plugin.scheme, settings: settings),
            location: plugin.location(of: settings),
            scope: scope, device: found[ConfigurationKeys.mirrorDevice]?.value.exposed)
    }

    /// The service by which the server is reached; its token says which household is meant.
    private mutating func chooseService(_ url: Setting) throws -> MirrorConfiguration {
        found[ConfigurationKeys.mirrorScope]?.isUsed = false
        let service = try given(by: url.origin) {
            guard let service = URL(string: url.value.exposed) else {
                throw StoreError(.configuration, "The URL of the mirror's service cannot be read.")
            }
            try HouseholdLink.requireService(service)
            return service
        }
        let token = try found[ConfigurationKeys.mirrorToken].map { setting in
            try given(by: setting.origin) { try MirrorToken(setting.value.exposed) }
        }
        return MirrorConfiguration(
            server: .service(service, token: token), location: service.absoluteString,
            scope: token?.scope, device: found[ConfigurationKeys.mirrorDevice]?.value.exposed)
    }

    private mutating func read(_ wanted: [ConfigurationKeys.Key]) async throws {
        let given = try await layers.read(wanted)
        for key in wanted {
            guard let given = given[key.name] else { continue }
            found[key.name] = try check(given.text, key, given.origin)
        }
    }

    private func check(
        _ text: String, _ key: ConfigurationKeys.Key, _ origin: SettingOrigin
    ) throws -> Setting {
        do {
            let value = try key.setting.value(
                text, key: key.name, mayBeSecret: origin.url != nil || origin.source == .secret)
            let path = SettingPath(
                home: sources.environment["HOME"], base: origin.source == .file ? layers.file?.directory : nil
            )
            return Setting(value: try path.resolve(value, of: key.setting, key: key.name), origin: origin)
        } catch let error as StoreError {
            throw error.given(by: origin)
        }
    }

    /// Runs work, and adds the origin of the setting that led to it to its errors.
    private func given<Result>(
        _ origin: SettingOrigin?, _ work: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await work()
        } catch let error as StoreError {
            throw origin.map(error.given(by:)) ?? error
        }
    }

    // MARK: The choice of the plugin

    private mutating func choosePlugin() throws -> any StorePlugin.Type {
        let url = try found[ConfigurationKeys.url].map { setting in
            (setting, try plugin(from: setting) { try registry.plugin(forURL: $0) })
        }
        let backend = try found[ConfigurationKeys.backend].map { setting in
            (setting, try plugin(from: setting) { try registry.plugin($0) })
        }
        switch (url, backend) {
        case (nil, nil):
            throw StoreError(
                .configuration,
                "No store is chosen. Set store.backend to one of \(registry.schemes.joined(separator: ", ")), or "
                    + "store.url to a URL that begins with one of them and a colon.")
        case (nil, let (setting, plugin)?):
            choose(plugin, by: setting)
            return plugin
        case (let (setting, plugin)?, nil):
            choose(plugin, by: setting, isURL: true)
            return plugin
        case (let (url, urlPlugin)?, let (backend, backendPlugin)?):
            if urlPlugin.scheme == backendPlugin.scheme {
                choose(backendPlugin, by: backend)
                return backendPlugin
            }
            guard url.origin.source != backend.origin.source else {
                throw StoreError(
                    .configuration,
                    "The setting store.url, given by the \(url.origin), chooses the backend \(urlPlugin.scheme), but "
                        + "store.backend, given by the \(backend.origin), chooses \(backendPlugin.scheme). Leave one of them out."
                )
            }
            let urlWins = url.origin.source < backend.origin.source
            let plugin = urlWins ? urlPlugin : backendPlugin
            choose(plugin, by: urlWins ? url : backend, isURL: urlWins)
            found[ConfigurationKeys.url]?.isUsed = urlWins
            return plugin
        }
    }

    private func plugin(
        from setting: Setting, _ find: (String) throws -> any StorePlugin.Type
    ) throws -> any StorePlugin.Type {
        do {
            return try find(setting.value.exposed)
        } catch let error as StoreError {
            guard setting.origin.source == .secret else { throw error.given(by: setting.origin) }
            // The value may come from a file of secrets that was mixed up with another, so it is not shown.
            throw StoreError(
                .configuration,
                "The value is not one of the backends \(registry.schemes.joined(separator: ", "))."
            )
            .given(by: setting.origin)
        }
    }

    /// Records the chosen backend by its scheme, even if an alias was given.
    private mutating func choose(_ plugin: any StorePlugin.Type, by setting: Setting, isURL: Bool = false) {
        var origin = setting.origin
        if isURL { origin.url = ConfigurationKeys.url }
        found[ConfigurationKeys.backend] = Setting(
            value: SettingText(plugin.scheme, isSecret: false), origin: origin)
    }

    // MARK: URLs

    /// Replaces the URLs of the chosen plugin with the settings that they contain.
    private mutating func expandURLs(of plugin: any StorePlugin.Type) throws {
        // The plugin's own `url` first, so that a `store.url` that expands to it is merged with it.
        for name in [plugin.key("url"), ConfigurationKeys.url] {
            guard let url = found[name], url.isUsed else { continue }
            let parts = try given(by: url.origin) { try plugin.checkedSettings(fromURL: url.value.exposed) }
            if parts["url"] == nil { resolvedURLs.insert(name) }
            for part in parts.sorted(by: { $0.key < $1.key }) {
                var origin = url.origin
                origin.url = name
                let setting = try given(by: origin) { try plugin.setting(part.key) }
                let key = try ConfigurationKeys.Key(plugin.key(part.key), setting, scheme: plugin.scheme)
                guard key.name != name else { continue }
                try merge(check(part.value, key, origin), into: key.name)
            }
        }
    }

    private func given<Result>(by origin: SettingOrigin, _ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as StoreError {
            throw error.given(by: origin)
        }
    }

    /// Keeps the value whose source takes precedence.
    private mutating func merge(_ new: Setting, into key: String) throws {
        // A default URL from the app overrides the plugin's default for one of its parts.
        guard let old = found[key], old.origin.source <= new.origin.source, old.origin.source != .default
        else {
            found[key] = new
            return
        }
        guard old.origin.source == new.origin.source, old.value != new.value else { return }
        throw StoreError(
            .configuration,
            "The setting \(key) is given twice with different values: by the \(old.origin), and by the \(new.origin). "
                + "Leave one of them out.")
    }
}

extension ConfigurationFile {
    /// The directory that contains the file.
    var directory: String? {
        guard let slash = path.lastIndex(of: "/") else { return nil }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
