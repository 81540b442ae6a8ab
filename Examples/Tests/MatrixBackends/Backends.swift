internal import Foundation
internal import MemoryStore
internal import SQLiteStore
internal import Switchyard
public import SwitchyardConformance
internal import SwitchyardCore

#if POSTGRES
    internal import PostgresStore
#endif

/// The places of the tests: PostgreSQL, too, if SWITCHYARD_TEST_POSTGRES_URL names a server, as under `Tests/run`.
public enum Backends {
    /// Those of this run.
    public static var available: [MigrationMatrix.Backend] {
        #if POSTGRES
            [memory, sqlite, postgres]
        #else
            [memory, sqlite]
        #endif
    }

    private static let memory = MigrationMatrix.Backend("memory", hasScopes: false) { body in
        let open = MemoryStore.opener()
        try await body { try open($0, $1) }
    }

    private static let sqlite = MigrationMatrix.Backend("sqlite") { body in
        let registry = try PluginRegistry([SQLitePlugin.self])
        try await withFile { url in
            try await body { try await registry.open(url: url, schema: $0, options: $1) }
        }
    }

    /// Lends the URL of a file that is not there yet, and removes it afterwards.
    public static func withFile(_ body: (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "matrix-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body("sqlite:" + directory.appending(path: "store.sqlite").path)
    }

    #if POSTGRES
        /// Each store has a schema of its own, which is left to the server's end.
        private static let postgres = MigrationMatrix.Backend("postgres") { body in
            let registry = try PluginRegistry([PostgresPlugin.self])
            let server = ProcessInfo.processInfo.environment["SWITCHYARD_TEST_POSTGRES_URL"] ?? "postgres:"
            let name = "matrix_" + UUID().uuidString.lowercased().replacing("-", with: "")
            try await body {
                try await registry.open(url: "\(server)&schema=\(name)", schema: $0, options: $1)
            }
        }
    #endif
}
