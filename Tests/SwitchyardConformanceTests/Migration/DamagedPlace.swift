import Foundation
import GRDB
import PostgresTestServer
import SQLiteStore
import SwitchyardCore
import SwitchyardSQL
import TestBackends

/// A place of two stores, one damaged with rows and tables of the other.
struct DamagedPlace {
    let backend: TestBackend
    private let root: String

    /// Lends a place, and clears it away afterwards.
    static func with(_ backend: TestBackend, _ body: (DamagedPlace) async throws -> Void) async throws {
        guard backend != .sqlite else {
            let directory = FileManager.default.temporaryDirectory.appending(
                path: "switchyard damage % \(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            return try await body(DamagedPlace(backend: backend, root: directory.path))
        }
        let name = PostgresServer.newSchemaName()
        let place = DamagedPlace(backend: backend, root: name)
        let result: Result<Void, any Error>
        do { result = .success(try await body(place)) } catch { result = .failure(error) }
        for store in ["store", "other"] {
            try await PostgresServer.drop(schema: place.namespace(store), at: place.database)
        }
        try result.get()
    }

    func path(_ store: String = "store") -> String { "\(root)/\(store).sqlite" }
    private func namespace(_ store: String) -> String { "\(root)_\(store)" }

    /// The server's database; nil for the first one.
    private var database: String? { backend == .citus ? PostgresServer.citusURL : nil }

    func url(_ store: String = "store") throws -> String {
        guard backend != .sqlite else { return "sqlite:\(path(store))" }
        return try PostgresServer.url(schema: namespace(store), at: database)
            + (backend == .citus ? "&distribution=citus" : "")
    }

    /// Runs statements on the store, in which `$` stands for what precedes the name of a table, and `#` for that of the other
    /// store.
    ///
    /// Foreign keys are off.
    func run(_ statements: [String]) async throws {
        guard backend != .sqlite else {
            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            configuration.prepareDatabase { try $0.registerStoreFunctions() }
            let queue = try DatabaseQueue(path: path(), configuration: configuration)
            try await queue.writeWithoutTransaction { [path = path("other")] database in
                try database.execute(sql: "ATTACH ? AS \"other\"", arguments: [path])
                for statement in statements {
                    try database.execute(
                        sql: statement.replacing("$", with: "\"main\".").replacing("#", with: "\"other\"."))
                }
                try database.execute(sql: "DETACH \"other\"")
            }
            return try queue.close()
        }
        for statement in statements {
            try await PostgresServer.administer(
                statement.replacing("$", with: "\"\(namespace("store"))\".")
                    .replacing("#", with: "\"\(namespace("other"))\"."), at: database)
        }
    }

    /// The rows of a query on the store, in which `$` stands for what precedes the name of a table.
    func rows(_ query: String) async throws -> [[String?]] {
        guard backend == .postgres else {
            let queue = try DatabaseQueue(path: path())
            let rows = try await queue.read { database in
                try Row.fetchAll(database, sql: query.replacing("$", with: "\"main\".")).map { row in
                    row.databaseValues.map { $0.isNull ? nil : String.fromDatabaseValue($0) ?? "\($0)" }
                }
            }
            try queue.close()
            return rows
        }
        return try await PostgresServer.rows(
            of: query.replacing("$", with: "\"\(namespace("store"))\"."))
    }

    /// Puts tables of the other store in the place of tables of this one.
    ///
    /// - Parameters:
    ///   - dropped: The tables of this store that go.
    ///   - taken: The tables of the other store that come, with their rows.
    ///   - schema: The schema of the other store.
    ///   - isScoped: Whether the stores have scopes.
    /// - Throws: The database's error.
    func mix(dropping dropped: [String], taking taken: [String], of schema: Schema, isScoped: Bool = false)
        async throws
    {
        let generator = SQLGenerator(
            dialect: backend == .sqlite ? .sqlite : .postgres, schema: schema,
            namespace: backend == .sqlite ? nil : namespace("store"), isScoped: isScoped,
            isDistributed: backend == .citus)
        let prefix = backend == .sqlite ? "" : "\"\(namespace("store"))\"."
        let made = try generator.createStore()
        var statements = dropped.map { "DROP TABLE $\"\($0)\"" + (backend == .sqlite ? "" : " CASCADE") }
        for table in taken {
            let name = "\(prefix)\"\(table)\""
            statements += made.filter { $0.hasPrefix("CREATE TABLE \(name) ") }
            statements += made.filter { $0.hasPrefix("SELECT create_distributed_table('\(name)'") }
            statements.append("INSERT INTO $\"\(table)\" SELECT * FROM #\"\(table)\"")
            statements += made.filter { $0.contains("INDEX") && $0.contains(" ON \(name) ") }
        }
        try await run(statements)
        guard backend != .sqlite else { return }
        for table in taken {
            for key in made where key.hasPrefix("ALTER TABLE \(prefix)\"\(table)\" ADD") {
                // A table that the key leads to may be missing.
                try? await PostgresServer.administer(key, at: database)
            }
        }
    }

    /// Gives the store the marker of the other one.
    func takeMarker() async throws {
        try await run([
            "DELETE FROM $\"switchyard_store\"",
            "INSERT INTO $\"switchyard_store\" SELECT * FROM #\"switchyard_store\"",
        ])
    }
}
