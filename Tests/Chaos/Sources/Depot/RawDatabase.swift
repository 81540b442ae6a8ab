import Foundation
import GRDB
import PostgresTestServer

/// A database that is written and read by SQL alone, without the code under test.
struct RawDatabase: Sendable {
    let backend: CopiedBackend
    /// The URL of a store that is in it, or may be.
    let url: String

    /// The path of an SQLite file.
    var path: String { String(url.dropFirst("sqlite:".count)) }

    /// The URL of a database of the server.
    private var server: String { String(url.dropLast("&schema=\(CopiedBackend.namespace)".count)) }

    /// Runs statements.
    func run(_ script: String) async throws {
        switch backend {
        case .sqlite:
            let queue = try DatabaseQueue(path: path)
            try await queue.writeWithoutTransaction { try $0.execute(sql: script) }
            try queue.close()
        case .postgres:
            _ = try await rows(of: script)
        }
    }

    /// The rows of a query whose values are all texts or null; none if there is no database.
    func rows(of query: String) async throws -> [[String?]] {
        switch backend {
        case .sqlite:
            guard FileManager.default.fileExists(atPath: path) else { return [] }
            let queue = try DatabaseQueue(path: path)
            let rows = try await queue.read { database in
                try Row.fetchAll(database, sql: query).map { row in
                    (0..<row.count).map { row[$0] as String? }
                }
            }
            try queue.close()
            return rows
        case .postgres:
            return try await PostgresServer.rows(
                of: "SET client_min_messages = warning; SET search_path = \(CopiedBackend.namespace); "
                    + query, at: server)
        }
    }

    /// All tables, columns, constraints and indexes: the kind of each, its name, and how it is defined.
    func structure() async throws -> [[String?]] {
        switch backend {
        case .sqlite:
            try await rows(of: "SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2")
        case .postgres:
            try await rows(
                of: """
                    SELECT * FROM (
                        SELECT 'table', relname::text, '' FROM pg_class
                            WHERE relkind = 'r' AND relnamespace = to_regnamespace('\(CopiedBackend.namespace)')
                        UNION ALL
                        SELECT 'column', relname::text || '.' || attname::text,
                            format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END
                            FROM pg_attribute JOIN pg_class ON attrelid = pg_class.oid
                            WHERE relkind = 'r' AND relnamespace = to_regnamespace('\(CopiedBackend.namespace)')
                            AND attnum > 0 AND NOT attisdropped
                        UNION ALL
                        SELECT 'constraint', conname::text, pg_get_constraintdef(oid) FROM pg_constraint
                            WHERE connamespace = to_regnamespace('\(CopiedBackend.namespace)')
                        UNION ALL
                        SELECT 'index', indexname::text, indexdef FROM pg_indexes
                            WHERE schemaname = '\(CopiedBackend.namespace)'
                    ) AS part (kind, name, text) ORDER BY kind, name, text
                    """)
        }
    }

    /// Lends the database as a process that was killed has left it.
    ///
    /// Of a file it is a copy, so that the next process finds the same logs. A server may still be at work for the process:
    /// its connections are ended first.
    func asLeft<Value>(_ body: (RawDatabase) async throws -> Value) async throws -> Value {
        switch backend {
        case .sqlite:
            return try await Scratch.with { scratch in
                let copy = scratch.file("store.sqlite")
                for suffix in ["", "-wal", "-journal"]
                where FileManager.default.fileExists(atPath: path + suffix) {
                    try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
                }
                return try await body(RawDatabase(backend: .sqlite, url: "sqlite:\(copy)"))
            }
        case .postgres:
            _ = try await rows(
                of: """
                    SELECT pg_terminate_backend(pid, 60000)::text FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
                    """)
            return try await body(self)
        }
    }

    /// The names of the files beside an SQLite file.
    var neighbours: [String] {
        get throws {
            guard backend == .sqlite else { return [] }
            let file = URL(filePath: path)
            return try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
                .filter { $0 != file.lastPathComponent }.sorted()
        }
    }
}
