internal import Configuration
internal import SwitchyardCore
internal import Synchronization

/// The sources of a configuration in order of precedence, and the reader that queries them.
///
/// swift-configuration derives the variables' names, looks them up and queries the sources in order. The file
/// and the secrets are read here, for the reasons given at `ConfigurationFile` and `SecretsDirectory`.
///
/// Each source returns text, and only `SettingKey` decides which texts are valid. The providers' own conversions
/// are inconsistent (a JSON number of 3.7 counts as true, and only the environment accepts `yes` as a boolean),
/// and their optional reads turn a malformed value into nil.
struct ConfigurationLayers: Sendable {
    /// A value as given.
    struct Given: Sendable {
        /// The text.
        let text: String
        /// Where it came from.
        let origin: SettingOrigin
    }

    private let keys: ConfigurationKeys
    private let flags: [String: ConfigurationSources.Flag]
    private let environment: [String: String]
    /// The secrets directory, once it has been read.
    var secrets: SecretsDirectory?
    /// The configuration file, once it has been read.
    var file: ConfigurationFile?
    /// The app's defaults, by key.
    var defaults: [String: String] = [:]

    /// Starts with the flags and the environment.
    ///
    /// - Throws: `configuration` if two flags contradict each other, or a name in either is unknown.
    init(_ sources: ConfigurationSources, keys: ConfigurationKeys) throws {
        self.keys = keys
        var flags: [String: ConfigurationSources.Flag] = [:]
        for flag in sources.flags {
            guard keys.key(flag.key) != nil else {
                throw StoreError(
                    .configuration,
                    "The flag \(flag.name) sets the unknown key `\(flag.key)`. "
                        + Spelling.advice(for: flag.key, among: keys.all.map(\.name), separator: "."))
            }
            if let other = flags.updateValue(flag, forKey: flag.key), other.value != flag.value {
                throw StoreError(
                    .configuration,
                    "The setting \(flag.key) was given twice with different values, by the flags \(other.name) and "
                        + "\(flag.name). Give it once.")
            }
        }
        self.flags = flags
        environment = try Self.variables(of: sources, keys: keys)
    }

    /// The variables of the environment that are settings.
    ///
    /// - Throws: `configuration` for an unknown variable with the prefix of a setting.
    private static func variables(
        of sources: ConfigurationSources, keys: ConfigurationKeys
    ) throws -> [String: String] {
        let prefix = ConfigurationKeys.prefix.uppercased() + "_"
        let variables = sources.environment.filter { $0.key.uppercased().hasPrefix(prefix) }
        guard !variables.isEmpty else { return [:] }
        let known = keys.all.map(\.variable)
        for name in variables.keys.sorted() where !known.contains(name) {
            let isIgnored = sources.ignoredEnvironment.contains { pattern in
                pattern.hasSuffix("*") ? name.hasPrefix(pattern.dropLast()) : name == pattern
            }
            guard !isIgnored else { continue }
            throw StoreError(
                .configuration,
                "The environment variable `\(name)` is not a known setting. "
                    + Spelling.advice(for: name, among: known, separator: "_"))
        }
        return variables.filter { known.contains($0.key) }
    }

    /// Reads settings, each from the first source that has it.
    ///
    /// - Throws: `configuration` if a source fails.
    func read(_ wanted: [ConfigurationKeys.Key]) async throws -> [String: Given] {
        let recorder = AccessRecorder()
        let reader = ConfigReader(
            providers: [
                memory(flags.mapValues(\.value)),
                environmentProvider,
                memory(secretValues),
                memory(fileValues),
                memory(defaultValues(wanted)),
            ],
            accessReporter: recorder)
        var given: [String: Given] = [:]
        for key in wanted {
            do {
                // Every read is marked secret, since any text may be a URL that contains a password, and a reader
                // can be configured from outside to log what it reads.
                let text = try await reader.fetchString(forKey: ConfigKey(key.name), isSecret: true)
                guard let text, let index = recorder.winner else { continue }
                given[key.name] = Given(text: text, origin: origin(of: key, at: index))
            } catch {
                throw StoreError(.configuration, "The setting \(key.name) cannot be read.", underlying: error)
            }
        }
        return given
    }

    /// The provider of the environment's values.
    ///
    /// Where the environment sets nothing, as is usual, it is not asked for each key: to derive a variable's name takes
    /// longer than everything else that a key needs.
    private var environmentProvider: any ConfigProvider {
        guard !environment.isEmpty else { return memory([:]) }
        return EnvironmentVariablesProvider(environmentVariables: environment)
            .prefixKeys(with: ConfigKey([ConfigurationKeys.prefix]))
    }

    private func memory(_ values: [String: String]) -> InMemoryProvider {
        var content: [AbsoluteConfigKey: ConfigValue] = [:]
        for (key, text) in values {
            content[AbsoluteConfigKey(ConfigKey(key))] = ConfigValue(.string(text), isSecret: true)
        }
        return InMemoryProvider(values: content)
    }

    private var secretValues: [String: String] {
        var values: [String: String] = [:]
        for key in keys.all { values[key.name] = secrets?.values[key.fileName] }
        return values
    }

    private var fileValues: [String: String] {
        var values: [String: String] = [:]
        for entry in file?.entries ?? [] {
            if case .text(let text) = entry.value { values[entry.key] = text }
        }
        return values
    }

    private func defaultValues(_ wanted: [ConfigurationKeys.Key]) -> [String: String] {
        var values = defaults
        for key in wanted where values[key.name] == nil { values[key.name] = key.setting.defaultValue }
        return values
    }

    private func origin(of key: ConfigurationKeys.Key, at index: Int) -> SettingOrigin {
        switch index {
        case 0: SettingOrigin(.flag, name: flags[key.name]?.name)
        case 1: SettingOrigin(.environment, name: key.variable)
        case 2: SettingOrigin(.secret, name: secrets.map { $0.path + "/" + key.fileName })
        case 3: SettingOrigin(.file, name: file?.path, line: file?.entries.first { $0.key == key.name }?.line)
        default: SettingOrigin(.default)
        }
    }
}

/// Records which provider answered the last read.
///
/// Reads are sequential, so the record of a read is complete when the read returns.
private final class AccessRecorder: AccessReporter {
    private let last = Mutex<Int?>(nil)

    /// The index of the provider that had a value; nil if none had.
    var winner: Int? { last.withLock { $0 } }

    func report(_ event: AccessEvent) {
        let index = event.providerResults.firstIndex { (try? $0.result.get().value) != nil }
        last.withLock { $0 = index }
    }
}
