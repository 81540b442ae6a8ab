import Foundation
import PostgresTestServer

/// Where larders are made, and copied as files or databases: that takes less time than filling each.
enum LarderBackend: String, CaseIterable {
    case sqlite = "SQLite"
    case postgres = "PostgreSQL"

    static var available: [Self] { PostgresServer.url == nil ? [.sqlite] : allCases }

    /// Lends a place without a store.
    func withPlace(_ body: (String) async throws -> Void) async throws {
        switch self {
        case .sqlite:
            try await Scratch.with { try await body("sqlite:" + $0.file("larder.sqlite")) }
        case .postgres:
            try await PostgresServer.withDatabase { try await body("\($0)&schema=larder") }
        }
    }

    /// Lends a copy of a store that nobody has open.
    func withCopy(of url: String, _ body: (String) async throws -> Void) async throws {
        switch self {
        case .sqlite:
            try await withPlace { copy in
                let paths = [url, copy].map { String($0.dropFirst("sqlite:".count)) }
                try FileManager.default.copyItem(atPath: paths[0], toPath: paths[1])
                try await body(copy)
            }
        case .postgres:
            try await PostgresServer.withDatabase(copying: url) { try await body("\($0)&schema=larder") }
        }
    }
}
