import Foundation
import SwitchyardCore
import Testing

/// A plugin of files, for tests of configuration: it opens nothing.
enum ToySQLite: StorePlugin {
    static let scheme = "sqlite"
    static let settings = [
        SettingKey("path", .path, summary: "The database file."),
        SettingKey("busyTimeout", .seconds(0...60), default: "5", summary: "How long to wait for a lock."),
        SettingKey("readers", .integer(1...16), default: "4", summary: "The most readers at once."),
        SettingKey("vacuum", .flag, default: "false", summary: "Whether to give space back."),
        SettingKey("journal", .choice(["wal", "delete"]), default: "wal", summary: "The journal."),
    ]

    static func settings(fromURL url: String) throws -> [String: String] {
        let path = url.dropFirst("sqlite:".count)
        guard !path.isEmpty else { throw StoreError(.configuration, "The URL `\(url)` names no file.") }
        return ["path": String(path)]
    }

    static func open(
        _ settings: StoreSettings, schema: Schema, options: OpenOptions
    ) async throws -> any Store {
        ToyStore(schema: schema, location: try settings.requiredText("path"), backend: scheme)
    }
}

/// A plugin of a server, for tests of configuration: it opens nothing.
enum ToyPostgres: StorePlugin {
    static let scheme = "postgres"
    static let schemeAliases = ["postgresql"]
    static let settings = [
        SettingKey("url", .text, summary: "The server as a URL."),
        SettingKey("host", .text, default: "localhost", summary: "The server."),
        SettingKey("port", .integer(1...65_535), default: "5432", summary: "The port."),
        SettingKey("database", .text, summary: "The database."),
        SettingKey("user", .text, summary: "The user."),
        SettingKey("password", .text, isSecret: true, summary: "The password."),
        SettingKey("sslmode", .choice(["disable", "require", "verify-full"]), summary: "The encryption."),
        SettingKey("certificate", .path, summary: "The file of trusted certificates."),
    ]

    static func settings(fromURL url: String) throws -> [String: String] {
        guard let parts = URLComponents(string: url), parts.host != nil else {
            throw StoreError(.configuration, "The URL `\(url)` names no server.")
        }
        var settings: [String: String] = [:]
        settings["host"] = parts.host
        settings["port"] = parts.port.map(String.init)
        settings["user"] = parts.user
        settings["password"] = parts.password
        settings["database"] = parts.path.isEmpty ? nil : String(parts.path.dropFirst())
        for item in parts.queryItems ?? [] { settings[item.name] = item.value }
        return settings
    }

    static func open(
        _ settings: StoreSettings, schema: Schema, options: OpenOptions
    ) async throws -> any Store {
        ToyStore(schema: schema, location: settings.text("host") ?? "", backend: scheme)
    }
}

/// A plugin without settings.
enum ToyMemory: StorePlugin {
    static let scheme = "memory"
    static let settings: [SettingKey] = []
    static func settings(fromURL url: String) throws -> [String: String] { [:] }
    static func open(
        _ settings: StoreSettings, schema: Schema, options: OpenOptions
    ) async throws -> any Store {
        ToyStore(schema: schema, location: "memory", backend: scheme)
    }
}

/// A store that can only say where it is.
struct ToyStore: Store {
    let schema: Schema
    let location: String
    let backend: String

    var description: StoreDescription { StoreDescription(backend: backend, location: location) }
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result { throw StoreError(.unsupported, "A toy.") }
    func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result { throw StoreError(.unsupported, "A toy.") }
    func wasCommitted(_ operation: OperationID) async throws -> Bool { false }
    func marker() async throws -> StoreMarker { StoreMarker(schema: schema) }
    func check() async throws -> [String] { [] }
    func close() async throws {}
}

/// A schema without entities.
enum ToySchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = []
}

/// What the tests of configuration share.
enum Toy {
    static let profiles = [
        AppProfile("debug", appGroup: "group.toy.dev", cloudContainer: "iCloud.toy.dev"),
        AppProfile("release", appGroup: "group.toy", cloudContainer: "iCloud.toy"),
    ]
    static let appKeys = [
        SettingKey.profile(profiles, default: "release"),
        SettingKey.appGroupsRoot,
        SettingKey("feed.retries", .integer(0...9), summary: "How often to try again."),
        SettingKey("feed.token", .text, isSecret: true, summary: "A secret of the app."),
    ]

    static func registry() throws -> PluginRegistry {
        try PluginRegistry([ToySQLite.self, ToyPostgres.self, ToyMemory.self])
    }

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

    /// The message of the `configuration` error that some work throws.
    static func complaint(
        _ work: () async throws -> some Any, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let error = await #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
            _ = try await work()
        }
        let failure = try #require(error, sourceLocation: sourceLocation)
        #expect(failure.code == .configuration, sourceLocation: sourceLocation)
        return failure.message
    }

    /// Does work in a directory of its own, which is gone afterwards.
    static func inDirectory<Result>(_ work: (String) async throws -> Result) async throws -> Result {
        let path =
            FileManager.default.temporaryDirectory.path(percentEncoded: false) + "switchyard-"
            + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await work(path)
    }

    /// Writes a file that only its owner may read, unless told otherwise.
    static func write(_ text: String, _ path: String, mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
}
