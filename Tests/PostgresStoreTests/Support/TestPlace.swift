import Foundation
import PostgresTestServer
import SwitchyardCore
import Testing

@testable import PostgresStore

/// A place for a store: a schema of its own in the database of the test server.
struct TestPlace: Sendable {
    let schema: String

    /// Lends a place that is empty, and clears it away afterwards.
    static func with(_ body: (TestPlace) async throws -> Void) async throws {
        try await PostgresServer.withSchemaName { try await body(TestPlace(schema: $0)) }
    }

    /// Lends the store of an empty place, of version 1, and closes it before the place is cleared away.
    static func withStore(
        _ settings: String = "", _ body: (TestPlace, any Store) async throws -> Void
    ) async throws {
        try await with { place in
            let store = try await place.open(version: 1, settings)
            let result: Result<Void, any Error>
            do { result = .success(try await body(place, store)) } catch { result = .failure(error) }
            try await store.close()
            try result.get()
        }
    }

    /// Opens a store of babies; the version decides whether they have weights.
    static func open(_ url: String, version: Int, scope: StoreScope? = nil) async throws -> any Store {
        var attributes = [Attribute("id", type: .uuid), Attribute("name", type: .text)]
        if version > 1 { attributes.append(Attribute("weight", type: .int, isOptional: true)) }
        let schema = try Schema(
            version: SchemaVersion(version), entities: [Entity("Baby", attributes: attributes)])
        return try await PluginRegistry([PostgresPlugin.self]).open(
            url: url, schema: schema, options: OpenOptions(scope: scope))
    }

    /// Opens the store of this place, whose connections bear its name.
    func open(
        version: Int, _ settings: String = "", scope: StoreScope? = nil
    ) async throws -> any Store {
        let url = try #require(PostgresServer.url)
        return try await Self.open(
            "\(url)&schema=\(schema)&application_name=\(schema)\(settings)", version: version, scope: scope)
    }

    /// A row of a baby, for version 1, or 2 if the store has one.
    func row(_ name: String, weight: StoredValue? = nil) -> [StoredValue] {
        [.uuid(UUID()), .text(name)] + (weight.map { [$0] } ?? [])
    }

    /// Ends the sessions of the store, and waits until they are gone.
    func terminateOthers() throws {
        _ = try TestServer.otherSession().cell(
            "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE application_name = $1",
            [(.text(schema), .text)])
    }

    /// All that the schema holds: its tables, columns and rows, as text.
    func contents() async throws -> [[TestCell]] {
        try await TestServer.withSession { [schema] session in
            let columns = try session.rows(
                """
                SELECT table_name::text, column_name::text, data_type::text FROM information_schema.columns
                WHERE table_schema = $1 ORDER BY 1, 2
                """, [(.text(schema), .text)])
            let rows = try session.rows(
                "SELECT schema_to_xml($1::name, true, false, '')::text", [(.text(schema), .text)])
            return columns + rows
        }
    }
}

/// Holds a thread until it is opened.
final class Gate: Sendable {
    private let isOpen = Monitor(false)

    func open() { isOpen.withLock { $0 = true } }

    func wait() { isOpen.wait { $0 ? () : nil } }
}
