import Foundation
import PostgresStore
import PostgresTestServer
import SwitchyardCore
import SwitchyardTransfer
import TestBackends
import Testing

@Suite(
    "PostgreSQL's log of a switch",
    .enabled(if: PostgresServer.url != nil, "\(PostgresServer.need)"))
struct SwitchLogTests {
    /// What statements about rows hold of their own; all else would be a value of a row.
    private static let constants: Set<String> = ["0", "1", "512"]

    @Test("no statement of a switch to or from PostgreSQL contains a value of a row")
    func statements() async throws {
        let log = try await StatementLog()
        let schema = try Notes.schema.get()
        try await PostgresServer.withSchemaName { name in
            let server = StorePlace(
                url: try PostgresServer.url(schema: name) + StatementLog.settings,
                registry: try PluginRegistry([PostgresPlugin.self]), schema: schema)
            try await server.with { try await Notes.add((0..<2_500).map { "N\($0)" }, to: $0) }
            try await TestBackend.memory.withPlace(of: schema) { memory in
                _ = try await StoreSwitch(from: server, to: memory).run()
                _ = try await StoreSwitch(from: memory, to: server, replacingBackup: true).run()
            }
            #expect(try await server.with { try await Notes.all(in: $0).count } == 2_500)
        }
        let statements = try await log.statements
        for part in ["COPY ", "INSERT INTO ", "UPDATE ", " WHERE \"id\" > $1 ORDER BY \"id\" LIMIT $2"] {
            #expect(statements.contains { $0.contains(part) }, "\(part)")
        }
        #expect(StatementLog.constants(in: statements).subtracting(Self.constants) == [])
    }
}
