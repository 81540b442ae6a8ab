import Foundation
import PostgresTestServer

/// Where stores are made, and copied as files or databases: that takes less time than filling each.
enum CopiedBackend: String, CaseIterable {
    case sqlite = "SQLite"
    case postgres = "PostgreSQL"

    static var available: [Self] { PostgresServer.url == nil ? [.sqlite] : allCases }

    /// The schema that a store has in a database of its own.
    static let namespace = "chaos"

    /// Lends a place without a store.
    func withPlace(_ body: (String) async throws -> Void) async throws {
        switch self {
        case .sqlite:
            try await Scratch.with { try await body("sqlite:" + $0.file("store.sqlite")) }
        case .postgres:
            try await PostgresServer.withDatabase { try await body(Self.url(ofStoreIn: $0)) }
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
            try await PostgresServer.withDatabase(copying: url) {
                try await body(Self.url(ofStoreIn: $0))
            }
        }
    }

    private static func url(ofStoreIn database: String) -> String { "\(database)&schema=\(namespace)" }
}
