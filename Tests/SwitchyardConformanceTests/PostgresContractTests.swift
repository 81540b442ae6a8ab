import Foundation
import PostgresStore
import PostgresTestServer
import Switchyard
import SwitchyardConformance
import Testing

/// PostgreSQL, for the suite: each store in a schema of its own.
struct PostgresHarness: ConformanceHarness {
    let name = "postgres"

    func makeStore(_ schema: Schema, busyTimeout: Duration) async throws -> any Store {
        try await open(
            schema, in: PostgresServer.newSchemaName(), "&lockTimeout=\(busyTimeout / .seconds(1))")
    }

    func reopen(_ store: any Store, schema: Schema, options: OpenOptions) async throws -> any Store {
        try await open(schema, in: namespace(of: store), options: options)
    }

    func dispose(_ store: any Store) async {
        try? await store.close()
        do { try await PostgresServer.drop(schema: namespace(of: store)) } catch { Issue.record(error) }
    }

    func plant(_ fault: PlantedFault, in store: any Store) async throws -> Intervention {
        let namespace = namespace(of: store)
        func plant(_ literal: String, _ entity: String, _ attribute: String) async throws {
            let (table, column, found, owner) = try column(entity, attribute)
            try await PostgresServer.administer(
                "ALTER TABLE \(table) DROP CONSTRAINT \"\(ConstraintName.check(found, of: owner))\"; "
                    + "UPDATE \(table) SET \(column) = \(literal)")
        }
        func column(_ entity: String, _ attribute: String) throws -> (
            table: String, column: String, Attribute, Entity
        ) {
            let entity = try store.schema.require(entity)
            let attribute = try #require(entity.attribute(attribute))
            return ("\(namespace).\"\(entity.name)\"", "\"\(attribute.column)\"", attribute, entity)
        }
        switch fault {
        case .text(let entity, let attribute):
            let (table, column, _, _) = try column(entity, attribute)
            try await PostgresServer.administer(
                "ALTER TABLE \(table) ALTER \(column) DROP DEFAULT, ALTER \(column) TYPE text USING 'seven'")
        case .integerTwo(let entity, let attribute):
            let (table, column, _, _) = try column(entity, attribute)
            try await PostgresServer.administer("ALTER TABLE \(table) ALTER \(column) TYPE bigint USING 2")
        case .wideInteger(let entity, let attribute):
            try await plant("300", entity, attribute)
        case .unknownCase(let entity, let attribute):
            try await plant("'unheard-of'", entity, attribute)
        case .furtherColumn(let entity):
            try await PostgresServer.administer(
                "ALTER TABLE \(namespace).\"\(entity)\" ADD COLUMN further text")
        case .invalidUTF8:
            return .impossible(reason: "The server takes no bytes for text that are not UTF-8.")
        }
        return .done
    }

    private func open(
        _ schema: Schema, in namespace: String, _ settings: String = "", options: OpenOptions = OpenOptions()
    ) async throws -> any Store {
        let url = try #require(PostgresServer.url)
        return try await PluginRegistry([PostgresPlugin.self]).open(
            url: "\(url)&schema=\(namespace)\(settings)", schema: schema, options: options)
    }

    private func namespace(of store: any Store) -> String {
        store.description.location.split(separator: " ").last.map(String.init) ?? ""
    }
}

@Suite("The contract on PostgreSQL", .needsPostgres)
struct PostgresContractTests {
    @Test("PostgreSQL keeps", arguments: Requirement.all)
    func contract(_ requirement: Requirement) async throws {
        let reason = try await requirement.verify(PostgresHarness())
        #expect(
            reason
                == (requirement.number == "V3"
                    ? "The server takes no bytes for text that are not UTF-8." : nil))
    }
}

extension Trait where Self == ConditionTrait {
    /// Runs a test only where `Tests/run` has started a server.
    static var needsPostgres: Self { .enabled(if: PostgresServer.url != nil, "\(PostgresServer.need)") }
}
