import BabyMonitor
import Foundation
import MemoryStore
import PostgresStore
import PostgresTestServer
import SQLiteStore
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import Testing

/// The stores that a service is tested on.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case memory
    case sqlite
    case postgres

    /// Those that can be used here and now; PostgreSQL where `Tests/run` has started a server.
    static let available = allCases.filter { $0 != .postgres || PostgresServer.url != nil }

    var testDescription: String { rawValue }

    /// Runs a test on an empty store of this kind, and removes the store afterwards.
    func withStore(_ body: (any Store) async throws -> Void) async throws {
        switch self {
        case .memory:
            let store = MemoryStore(schema: try BabyMonitorSchema.schema, busyTimeout: .seconds(60))
            try await body(store)
            try await store.close()
        case .sqlite: try await withFile(body)
        case .postgres: try await withServer(body)
        }
    }

    /// Lends a place without a store, which can be opened with any schema, and clears it away afterwards.
    func withPlace(_ body: (@escaping MigrationMatrix.Opener) async throws -> Void) async throws {
        let registry = try PluginRegistry([SQLitePlugin.self, PostgresPlugin.self])
        switch self {
        case .memory:
            let open = MemoryStore.opener()
            try await body { try open($0, $1) }
        case .sqlite:
            try await withDirectory { directory in
                let url = "sqlite:" + directory.appending(path: "BabyDashboard.sqlite").path
                try await body { try await registry.open(url: url, schema: $0, options: $1) }
            }
        case .postgres:
            let url = try #require(PostgresServer.url)
            try await PostgresServer.withSchemaName { name in
                try await body {
                    try await registry.open(url: "\(url)&schema=\(name)", schema: $0, options: $1)
                }
            }
        }
    }

    private func withDirectory(_ body: (URL) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "baby-store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory)
    }

    private func withFile(_ body: (any Store) async throws -> Void) async throws {
        try await withDirectory { directory in
            let path = directory.appending(path: "BabyDashboard.sqlite").path
            // A machine that is busy with all suites at once may let a writer wait for long.
            let settings = try StoreSettings(["path": path, "busyTimeout": "60"], for: SQLitePlugin.self)
            let store = try await SQLitePlugin.open(
                settings, schema: try BabyMonitorSchema.schema, options: OpenOptions())
            try await body(store)
            try await store.close()
        }
    }

    private func withServer(_ body: (any Store) async throws -> Void) async throws {
        let url = try #require(PostgresServer.url)
        try await PostgresServer.withSchemaName { schema in
            let store = try await PluginRegistry([PostgresPlugin.self])
                .open(url: "\(url)&schema=\(schema)", schema: BabyMonitorSchema.self)
            let result: Result<Void, any Error>
            do { result = .success(try await body(store)) } catch { result = .failure(error) }
            try await store.close()
            try result.get()
        }
    }
}
