import SwitchyardAppGroup
import SwitchyardConfiguration
import SwitchyardCore
import ToyPlugins

extension Toy {
    /// The profiles of an app.
    static let profiles = [
        AppProfile("debug", appGroup: "group.toy.dev", cloudContainer: "iCloud.toy.dev"),
        AppProfile("release", appGroup: "group.toy", cloudContainer: "iCloud.toy"),
    ]
    /// The keys of an app.
    static let appKeys = [
        SettingKey.profile(profiles, default: "release"),
        SettingKey.appGroupsRoot,
        SettingKey("feed.retries", .integer(0...9), summary: "How often to try again."),
        SettingKey("feed.token", .text, isSecret: true, summary: "A secret of the app."),
    ]

    /// Reads a configuration with all toys.
    static func configuration(
        flags: [String: String] = [:], environment: [String: String] = [:], ignored: [String] = [],
        file: String? = nil, secrets: String? = nil, defaults: [String: String] = [:]
    ) async throws -> StoreConfiguration {
        let names = ["store.url": "--store", "config.file": "--config", "config.secrets": "--secrets"]
        let sources = ConfigurationSources(
            flags: flags.map { .init(names[$0.key] ?? "--\($0.key)", key: $0.key, value: $0.value) },
            environment: environment, ignoredEnvironment: ignored, file: file, secretsDirectory: secrets)
        return try await StoreConfiguration(
            registry: registry(), keys: appKeys, sources: sources, defaults: { _ in defaults })
    }
}
