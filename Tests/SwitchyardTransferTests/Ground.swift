import Foundation
import MemoryStore
import PostgresStore
import PostgresTestServer
import SQLiteStore
import SwitchyardCore
import SwitchyardTransfer
import Testing

/// The backends between which stores are switched.
enum Ground: CaseIterable, CustomTestStringConvertible {
    case memory, sqlite, postgres

    static let reachable = allCases.filter { $0 != .postgres || PostgresServer.url != nil }
    static let pairs = reachable.flatMap { from in reachable.map { (from, $0) } }

    var testDescription: String { "\(self)" }

    /// Lends a place without a store, and clears it afterwards.
    func withPlace<Value>(
        _ schema: Schema, _ body: (StorePlace) async throws -> Value
    ) async throws -> Value {
        let registry = try PluginRegistry([SQLitePlugin.self, PostgresPlugin.self])
        switch self {
        case .memory: return try await body(MemoryStore.place(schema))
        case .sqlite:
            let directory = FileManager.default.temporaryDirectory.appending(
                path: "switchyard-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            let path = directory.appending(path: "store.sqlite").path
            return try await body(StorePlace(url: "sqlite:" + path, registry: registry, schema: schema))
        case .postgres:
            let url = try #require(PostgresServer.url)
            return try await PostgresServer.withSchemaName { name in
                try await body(
                    StorePlace(
                        url: url + (url.contains("?") ? "&" : "?") + "schema=\(name)", registry: registry,
                        schema: schema))
            }
        }
    }
}

extension StorePlace {
    /// Opens the store, and closes it after the body.
    func with<Value>(
        _ options: OpenOptions = OpenOptions(), _ body: (any Store) async throws -> Value
    ) async throws -> Value {
        let store = try await open(options)
        let result: Result<Value, any Error>
        do { result = .success(try await body(store)) } catch { result = .failure(error) }
        try await store.close()
        return try result.get()
    }

    /// The marker of the store, which is only read.
    func markerThere(role: StoreRole = .active) async throws -> StoreMarker {
        try await with(OpenOptions(access: .readOnly, createsIfMissing: false, role: role)) {
            try await $0.marker()
        }
    }
}

extension Result where Failure == any Error {
    /// The outcome of asynchronous work.
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
