internal import Foundation
package import SwitchyardCore

/// A plugin of files, for tests of configuration: it opens nothing.
package enum ToySQLite: StorePlugin {
    package static let scheme = "sqlite"
    package static let settings = [
        SettingKey("path", .path, summary: "The database file."),
        SettingKey("busyTimeout", .seconds(0...60), default: "5", summary: "How long to wait for a lock."),
        SettingKey("readers", .integer(1...16), default: "4", summary: "The most readers at once."),
        SettingKey("vacuum", .flag, default: "false", summary: "Whether to give space back."),
        SettingKey("journal", .choice(["wal", "delete"]), default: "wal", summary: "The journal."),
    ]

    package static func settings(fromURL url: String) throws -> [String: String] {
        let path = url.dropFirst("sqlite:".count)
        guard !path.isEmpty else { throw StoreError(.configuration, "The URL `\(url)` names no file.") }
        return ["path": String(path)]
    }

    package static func open(
        _ settings: StoreSettings, schema: Schema, options: OpenOptions
    ) async throws -> any Store {
        ToyStore(schema: schema, location: try settings.requiredText("path"), backend: scheme)
    }
}

/// A plugin of a server, for tests of configuration: it opens nothing.
package enum ToyPostgres: StorePlugin {
    package static let scheme = "postgres"
    package static let schemeAliases = ["postgresql"]
    package static let settings = [
        SettingKey("url", .text, summary: "The server as a URL."),
        SettingKey("host", .text, default: "localhost", summary: "The server."),
        SettingKey("port", .integer(1...65_535), default: "5432", summary: "The port."),
        SettingKey("database", .text, summary: "The database."),
        SettingKey("user", .text, summary: "The user."),
        SettingKey("password", .text, isSecret: true, summary: "The password."),
        SettingKey("sslmode", .choice(["disable", "require", "verify-full"]), summary: "The encryption."),
        SettingKey("certificate", .path, summary: "The file of trusted certificates."),
    ]

    package static func settings(fromURL url: String) throws -> [String: String] {
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

    package static func open(
        _ settings: StoreSettings, schema: Schema, options: OpenOptions
    ) async throws -> any Store {
        ToyStore(schema: schema, location: settings.text("host") ?? "", backend: scheme)
    }
}

/// A plugin without settings.
package enum ToyMemory: StorePlugin {
    package static let scheme = "memory"
    package static let settings: [SettingKey] = []
    package static func settings(fromURL url: String) throws -> [String: String] { [:] }
    package static func open(
        _ settings: StoreSettings, schema: Schema, options: OpenOptions
    ) async throws -> any Store {
        ToyStore(schema: schema, location: "memory", backend: scheme)
    }
}

/// A store that can only say where it is.
package struct ToyStore: Store {
    package let schema: Schema
    package let location: String
    package let backend: String

    /// Describes a store.
    package init(schema: Schema, location: String, backend: String) {
        self.schema = schema
        self.location = location
        self.backend = backend
    }

    package var info: StoreInfo { StoreInfo(backend: backend, location: location) }
    package let commits = CommitFeed()
    package func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result { throw StoreError(.unsupported, "A toy.") }
    package func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result { throw StoreError(.unsupported, "A toy.") }
    package func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool { false }
    package func check() async throws -> [String] { [] }
    package func close() async throws {}
}

/// A schema without entities.
package enum ToySchema: VersionedSchema {
    package static let version = SchemaVersion(1)
    package static let models: [any Model.Type] = []
}

/// What the tests of plugins and configurations share.
package enum Toy {
    package static func registry() throws -> PluginRegistry {
        try PluginRegistry([ToySQLite.self, ToyPostgres.self, ToyMemory.self])
    }

    /// The message of the `configuration` error that some work throws.
    ///
    /// - Throws: What the work throws instead, or `Uncomplaining` if that is nothing.
    package static func complaint(_ work: () async throws -> some Any) async throws -> String {
        do {
            _ = try await work()
        } catch let error as StoreError where error.code == .configuration {
            return error.message
        }
        throw Uncomplaining()
    }

    /// Work that should have thrown an error has ended without one.
    package struct Uncomplaining: Error {}

    /// Does work in a directory of its own, which is gone afterwards.
    package static func inDirectory<Result>(_ work: (String) async throws -> Result) async throws -> Result {
        let path =
            FileManager.default.temporaryDirectory.path(percentEncoded: false) + "switchyard-"
            + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await work(path)
    }

    /// Writes a file that only its owner may read, unless told otherwise.
    package static func write(_ text: String, _ path: String, mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
}
