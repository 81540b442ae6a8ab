import PostgresTestServer
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("Durability", .needsServer)
struct DurabilityTests {
    /// The setting of a transaction of a role whose default is given.
    private func setting(
        default value: String, options: String? = nil, pooling: SessionOptions.Pooling = .session
    ) async throws -> TestCell {
        let role = PostgresServer.newSchemaName()
        try await PostgresServer.administer(
            "CREATE ROLE \(role) LOGIN; ALTER ROLE \(role) SET synchronous_commit = \(value)")
        var parameters = try TestServer.parameters()
        parameters["user"] = role
        parameters["options"] = options
        var session = SessionOptions()
        session.pooling = pooling
        let pool = try TestServer.pool(parameters, options: session)
        let cell = try await pool.run { session in
            try session.begin(.serializable)
            let cell = try session.cell("SELECT current_setting('synchronous_commit')")
            try session.commit()
            return cell
        }
        await pool.close()
        try await PostgresServer.administer("DROP ROLE \(role)")
        return cell
    }

    @Test(
        "a commit's durability does not depend on the role's default, with and without a pooler",
        arguments: SessionOptions.Pooling.allCases)
    func roleDefault(pooling: SessionOptions.Pooling) async throws {
        #expect(try await setting(default: "off", pooling: pooling) == .text("on"))
    }

    @Test("durability beyond the server's own disk follows the role's default")
    func stronger() async throws {
        #expect(try await setting(default: "remote_apply") == .text("remote_apply"))
    }

    @Test("a connection's own parameters can turn durability off")
    func chosen() async throws {
        #expect(
            try await setting(default: "on", options: "-c synchronous_commit=off") == .text("off"))
    }
}
