internal import Foundation
internal import MemoryStore
internal import PostgresStore
internal import PostgresTestServer
internal import SQLiteStore
public import SwitchyardCore

/// A backend as the argument of a test.
public enum TestBackend: String, CaseIterable, Sendable {
    case memory, sqlite, postgres
    /// PostgreSQL with Citus, whose stores all have scopes.
    case citus

    /// The backends of this run: PostgreSQL needs the server that `Tests/run` starts.
    public static let available: [TestBackend] =
        [.memory, .sqlite] + (PostgresServer.url == nil ? [] : [.postgres])

    /// Those whose stores are spread over several machines: Citus needs the cluster that `Tests/run` starts.
    public static let distributed: [TestBackend] = PostgresServer.citusURL == nil ? [] : [.citus]

    /// Those whose stores have scopes, and are reached by other processes.
    public static let shared = available.filter { $0 != .memory }

    /// Opens the store of one place, again and again, with any schema.
    public typealias Opener = @Sendable (Schema, OpenOptions) async throws -> any Store

    /// Lends a place without a store, and clears it away afterwards.
    public func withPlace<Value>(
        _ body: (@escaping Opener) async throws -> Value
    ) async throws -> Value {
        if self == .memory {
            let open = MemoryStore.opener()
            return try await body { try open($0, $1) }
        }
        return try await withURL { url in
            let registry = try PluginRegistry([plugin])
            return try await body { try await registry.open(url: url, schema: $0, options: $1) }
        }
    }

    /// Lends a place for stores of one schema, and clears it away afterwards.
    public func withPlace<Value>(
        of schema: Schema, _ body: (StorePlace) async throws -> Value
    ) async throws -> Value {
        if self == .memory {
            // A store that is switched finds its successor by the location.
            return try await body(
                StorePlace("memory:\(UUID().uuidString)", open: MemoryStore.place(schema).open))
        }
        return try await withURL { url in
            try await body(StorePlace(url: url, registry: PluginRegistry([plugin]), schema: schema))
        }
    }

    /// Lends an empty store, and clears it away afterwards.
    ///
    /// Its writes wait for a minute, because a machine that runs all suites at once may keep them waiting.
    public func withStore<Value>(
        _ schema: Schema, options: OpenOptions = OpenOptions(),
        _ body: (any Store) async throws -> Value
    ) async throws -> Value {
        try await withURL { url in
            var settings = try plugin.settings(fromURL: url)
            settings[plugin == PostgresPlugin.self ? "lockTimeout" : "busyTimeout"] = "60"
            return try await plugin.open(
                StoreSettings(settings, for: plugin), schema: schema, options: options
            ).closing(body)
        }
    }

    private var plugin: any StorePlugin.Type {
        switch self {
        case .memory: MemoryPlugin.self
        case .sqlite: SQLitePlugin.self
        case .postgres, .citus: PostgresPlugin.self
        }
    }

    /// Lends a URL at which there is no store, and clears it away afterwards.
    ///
    /// Each opening of the one in memory makes another store.
    public func withURL<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        switch self {
        case .memory: return try await body("memory:")
        case .sqlite:
            let directory = FileManager.default.temporaryDirectory.appending(
                path: "switchyard-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            return try await body("sqlite:" + directory.appending(path: "store.sqlite").path)
        case .postgres:
            return try await PostgresServer.withSchemaName { try await body(PostgresServer.url(schema: $0)) }
        case .citus:
            let database = PostgresServer.citusURL
            return try await PostgresServer.withSchemaName(at: database) { name in
                try await body(PostgresServer.url(schema: name, at: database) + "&distribution=citus")
            }
        }
    }
}
