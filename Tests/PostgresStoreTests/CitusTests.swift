import Foundation
import PostgresTestServer
import Switchyard
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("The setting of a distribution", .timeLimit(.minutes(3)))
struct CitusTests {
    enum First: VersionedSchema {
        static let version = SchemaVersion(1)
        static let models: [any Model.Type] = [Note.self]

        @Model
        struct Note {
            let id: ID
            var text: String
        }
    }

    enum Second: VersionedSchema {
        static let version = SchemaVersion(2)
        static let models: [any Model.Type] = [Note.self, Label.self]

        @Model
        struct Note {
            let id: ID
            var text: String
            var label: Label.ID?
        }

        @Model
        struct Label {
            let id: ID
            var name: String
        }
    }

    enum Plan: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [First.self, Second.self]
        static var stages: [MigrationStage] {
            [.lightweight(fromVersion: First.self, toVersion: Second.self)]
        }
    }

    private let registry: PluginRegistry

    init() throws { registry = try PluginRegistry([PostgresPlugin.self]) }

    /// Lends the URL of stores in a schema of the cluster, without the setting.
    private func withCluster(_ body: (String, String) async throws -> Void) async throws {
        let database = PostgresServer.citusURL
        try await PostgresServer.withSchemaName(at: database) { name in
            try await body(name, PostgresServer.url(schema: name, at: database))
        }
    }

    /// The tables of a schema that Citus knows: each with its kind of distribution, its column, and whether it is placed with
    /// the table of operations.
    private func distributed(_ schema: String) async throws -> [String] {
        try await PostgresServer.rows(
            of: """
                SELECT c.relname || ' ' || p.partmethod::text || ' '
                    || coalesce(column_to_column_name(p.logicalrelid, p.partkey), '') || ' '
                    || (p.colocationid = (SELECT colocationid FROM pg_dist_partition
                        WHERE logicalrelid = '\(schema).switchyard_operation'::regclass))::text
                FROM pg_dist_partition AS p JOIN pg_class AS c ON c.oid = p.logicalrelid
                WHERE c.relnamespace = '\(schema)'::regnamespace ORDER BY 1
                """, at: PostgresServer.citusURL
        ).map { $0[0] ?? "" }
    }

    @Test("the distribution setting needs a scope", .needsServer)
    func unscoped() async throws {
        try await TestPlace.with { place in
            let url = try PostgresServer.url(schema: place.schema)
            let error = await #expect(throws: StoreError.self) {
                try await registry.open(url: url + "&distribution=citus", schema: First.self)
            }
            #expect(error?.code == .configuration)
            #expect(
                error?.message.contains("this one has none. Make the store with a scope (OpenOptions.scope)")
                    == true)
            // The place is still free for a store on one machine.
            try await registry.open(url: url, schema: First.self).close()
        }
    }

    @Test("adoption refuses the distribution setting, since its tables have no scopes")
    func adoption() async throws {
        let settings = try StoreSettings(
            ["url": "postgres://mia@db.example/family?distribution=citus"], for: PostgresPlugin.self)
        let error = await #expect(throws: StoreError.self) {
            try await PostgresPlugin.adopt(settings, as: [First.schema], options: OpenOptions())
        }
        #expect(error?.code == .configuration)
    }

    @Test("a server without Citus refuses the distribution setting, and nothing is created", .needsServer)
    func absent() async throws {
        try await TestPlace.with { place in
            let url = try PostgresServer.url(schema: place.schema) + "&distribution=citus"
            let error = await #expect(throws: StoreError.self) {
                try await registry.open(
                    url: url, schema: First.self, options: OpenOptions(scope: StoreScope()))
            }
            #expect(error?.code == .configuration)
            #expect(error?.message.contains("Run CREATE EXTENSION citus in this database") == true)
            let schemas = try await PostgresServer.rows(
                of: "SELECT nspname FROM pg_namespace WHERE nspname = '\(place.schema)'")
            #expect(schemas == [])
        }
    }

    @Test(
        "the distribution setting distributes all tables of a store, and later ones without being repeated",
        .needsCitus)
    func made() async throws {
        try await withCluster { schema, url in
            let options = OpenOptions(scope: StoreScope())
            try await registry.open(url: url + "&distribution=citus", schema: First.self, options: options)
                .close()
            let tables = [
                "Note h switchyard_scope true", "switchyard_history h switchyard_scope true",
                "switchyard_history_block h switchyard_scope true",
                "switchyard_history_consumer h switchyard_scope true",
                "switchyard_mirror h switchyard_scope true",
                "switchyard_operation h switchyard_scope true", "switchyard_queue h switchyard_scope true",
                "switchyard_store n  false",
            ]
            #expect(try await distributed(schema) == tables)
            try await registry.open(url: url, migrating: Plan.self, options: options).closing { store in
                let label = try await store.write { try $0.insert(Second.Label(name: "a")) }
                try await store.write { try $0.insert(Second.Note(text: "b", label: label.id)) }
                #expect(try await store.check() == [])
            }
            #expect(
                try await distributed(schema) == ["Label h switchyard_scope true"] + tables)
        }
    }

    @Test(
        "a store on one machine refuses the distribution setting with the statements that distribute it",
        .needsCitus)
    func spread() async throws {
        try await withCluster { schema, url in
            let options = OpenOptions(scope: StoreScope())
            let note = First.Note(text: "a")
            try await registry.open(url: url, schema: First.self, options: options).closing { store in
                try await store.write { _ = try $0.insert(note) }
            }
            #expect(try await distributed(schema) == [])
            let error = await #expect(throws: StoreError.self) {
                try await registry.open(
                    url: url + "&distribution=citus", schema: First.self, options: options)
            }
            #expect(error?.code == .configuration)
            let message = try #require(error?.message)
            let start = try #require(message.range(of: "run once: ")?.upperBound)
            let end = try #require(message.range(of: "; nothing was changed.")?.lowerBound)
            #expect(try await distributed(schema) == [])
            try await PostgresServer.administer(
                "SET client_min_messages = warning; " + message[start..<end], at: PostgresServer.citusURL)
            #expect(try await distributed(schema).count == 7)
            try await registry.open(url: url + "&distribution=citus", schema: First.self, options: options)
                .closing { store in
                    #expect(try await store.read { try $0.find(note.id) }?.text == "a")
                    try await store.write { try $0.insert(First.Note(text: "b")) }
                    #expect(try await store.check() == [])
                }
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// Runs a test only where `Tests/run` has started a cluster.
    static var needsCitus: Self {
        .enabled(
            if: PostgresServer.citusURL != nil,
            "needs a Citus cluster: run Tests/run on a machine that has PostgreSQL's Citus extension")
    }
}
