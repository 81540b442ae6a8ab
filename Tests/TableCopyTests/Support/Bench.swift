import Foundation
import GRDB
import Logging
import PostgresStore
import PostgresTestServer
import SwitchyardCore
import TableCopy
import Testing

/// An SQLite file and a schema on the server, both of a test's own.
struct Bench: Sendable {
    let directory: URL
    let schema: String

    var file: URL { directory.appending(path: "source.sqlite") }

    var url: String {
        get throws {
            let url = try #require(PostgresServer.url)
            return url + (url.contains("?") ? "&" : "?") + "schema=\(schema)"
        }
    }

    /// Lends a file that a script has made, and removes it afterwards.
    static func with<Value>(_ script: String = "", _ body: (Bench) async throws -> Value) async throws
        -> Value
    {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "switchyard-\(UUID().uuidString)"
        ).resolvingSymlinksInPath()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await PostgresServer.withSchemaName { schema in
            let bench = Bench(directory: directory, schema: schema)
            if !script.isEmpty { try bench.execute(script) }
            return try await body(bench)
        }
    }

    /// Runs a script on the file.
    func execute(_ script: String) throws {
        let queue = try DatabaseQueue(path: file.path)
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA foreign_keys = OFF")
            try database.execute(sql: script)
        }
        try queue.close()
    }

    func copy() throws -> TableCopy { TableCopy(from: file.path, to: try url) }

    /// What the server answers to a query in the schema, each row as its texts.
    func server(_ sql: String) async throws -> [[String]] {
        let connection = try await LoadConnection.open(
            url, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let rows = try await connection.perform { try $0.texts(sql) }
        await connection.close()
        return rows
    }

    /// Whether the schema, which the first copy makes, is there.
    func hasSchema() async throws -> Bool {
        try await !column("SELECT nspname::text FROM pg_namespace WHERE nspname = '\(schema)'").isEmpty
    }

    /// The answer in one column.
    func column(_ sql: String) async throws -> [String] { try await server(sql).map { $0[0] } }
}

extension TableCopyPlan {
    /// The PostgreSQL types of a table's columns.
    func types(of table: String) -> [String] {
        tables.first { $0.name == table }?.columns.map(\.type) ?? []
    }

    /// The findings of a kind, each with its count if it has one.
    func findings(_ kind: TableCopyFinding.Kind) -> [String] {
        findings.filter { $0.kind == kind }.map(\.message)
    }
}
