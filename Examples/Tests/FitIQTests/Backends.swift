import Foundation
import MemoryStore
import PostgresStore
import SQLiteStore
import Switchyard
import SwitchyardConformance
import SwitchyardCore

/// The places of the tests: PostgreSQL if SWITCHYARD_TEST_POSTGRES_URL names a server, as under `Tests/run`.
enum Backends {
    static var available: [MigrationMatrix.Backend] {
        let server = ProcessInfo.processInfo.environment["SWITCHYARD_TEST_POSTGRES_URL"]
        return [memory, sqlite] + (server.map { [postgres($0)] } ?? [])
    }

    private static let memory = MigrationMatrix.Backend("memory") { body in
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
    static func withFile(_ body: (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "fitiq-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body("sqlite:" + directory.appending(path: "fitiq.sqlite").path)
    }

    /// Each store has a schema of its own, which is left to the server's end.
    private static func postgres(_ server: String) -> MigrationMatrix.Backend {
        MigrationMatrix.Backend("postgres") { body in
            let registry = try PluginRegistry([PostgresPlugin.self])
            let name = "fitiq_" + UUID().uuidString.lowercased().replacing("-", with: "")
            try await body {
                try await registry.open(url: "\(server)&schema=\(name)", schema: $0, options: $1)
            }
        }
    }
}
