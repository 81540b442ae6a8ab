import PostgresTestServer
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("Several addresses of a server", .needsServer, .timeLimit(.minutes(2)))
struct AddressTests {
    /// Parameters of several servers, each over its socket or through a proxy.
    private func parameters(_ servers: [ConnectionParameters]) throws -> ConnectionParameters {
        var parameters = try TestServer.parameters()
        parameters["host"] = servers.map { $0["host"] ?? "" }.joined(separator: ",")
        parameters["port"] = servers.map { $0["port"] ?? "" }.joined(separator: ",")
        parameters["sslmode"] = "disable"
        parameters["connect_timeout"] = "2"
        return parameters
    }

    private func isStandby(_ parameters: ConnectionParameters) async throws -> TestCell {
        let pool = try TestServer.pool(parameters)
        defer { Task { await pool.close() } }
        return try await pool.run { session in
            try session.begin(.snapshot)
            return try session.cell("SELECT pg_is_in_recovery()::text")
        }
    }

    @Test("several addresses of a server are tried in turn, each with a timeout of its own")
    func blackHole() async throws {
        try await FaultProxy.with { proxy in
            proxy.setFaultOfNewConnections { .init(.silence) }
            let servers = try [proxy.parameters, TestServer.parameters()]
            #expect(try await isStandby(parameters(servers)) == .text("false"))
            #expect(proxy.connectionCount == 1)
        }
    }

    @Test("an error names all addresses of a server if none answers")
    func none() async throws {
        try await FaultProxy.with { proxy in
            proxy.setFaultOfNewConnections { .init(.silence) }
            var refusing = ConnectionParameters()
            refusing["host"] = "127.0.0.1"
            refusing["port"] = "1"
            let list = try parameters([proxy.parameters, refusing])
            let error = await #expect(throws: StoreError.self) { try await isStandby(list) }
            #expect(error?.code == .connectionLost)
            #expect(
                error?.message
                    == "None of the PostgreSQL server's addresses gave a session. The PostgreSQL server at 127.0.0.1, port "
                    + "\(proxy.port) did not answer within 2 s; check the address and that the server is running. The "
                    + "PostgreSQL server at 127.0.0.1, port 1 cannot be reached: connection to server at \"127.0.0.1\", "
                    + "port 1 failed: Connection refused. Is the server running on that host and accepting TCP/IP "
                    + "connections?")
        }
    }

    @Test("no further address is tried after one that refuses the user")
    func refusedUser() async throws {
        try await FaultProxy.with { proxy in
            var list = try parameters([TestServer.parameters(), proxy.parameters])
            list["user"] = "nobody_here"
            let error = await #expect(throws: StoreError.self) { try await isStandby(list) }
            #expect(error?.code == .authentication)
            #expect(proxy.connectionCount == 0)
        }
    }

    @Test(
        "target_session_attrs skips addresses that do not answer",
        .needsStandby,
        arguments: [
            ("any", "true"), ("read-write", "false"), ("primary", "false"), ("standby", "true"),
            ("read-only", "true"), ("prefer-standby", "true"),
        ])
    func targetSession(wanted: String, expected: String) async throws {
        try await FaultProxy.with { proxy in
            proxy.setFaultOfNewConnections { .init(.silence) }
            let standby = try TestServer.parameters(PostgresServer.standbyURL)
            var list = try parameters([proxy.parameters, standby, TestServer.parameters()])
            list["target_session_attrs"] = wanted
            #expect(try await isStandby(list) == .text(expected))
        }
    }

    @Test(
        "without a standby, addresses give the primary if a standby is preferred, and an error if it is required"
    )
    func missingStandby() async throws {
        let primary = try TestServer.parameters()
        var list = try parameters([primary, primary])
        list["target_session_attrs"] = "prefer-standby"
        #expect(try await isStandby(list) == .text("false"))
        var alone = primary
        alone["target_session_attrs"] = "standby"
        let error = await #expect(throws: StoreError.self) { try await isStandby(alone) }
        #expect(error?.code == .connectionLost)
        #expect(error?.message.hasSuffix("is not what target_session_attrs=standby asks for.") == true)
    }

    @Test("all addresses of one host name are tried")
    func oneName() throws {
        var parameters = ConnectionParameters()
        parameters["host"] = "127.0.0.1,/tmp"
        parameters["port"] = "1,2"
        parameters["target_session_attrs"] = "prefer-standby"
        let addresses = parameters.addresses.map { address in
            ["host", "hostaddr", "port", "target_session_attrs"].map { address[$0] ?? "-" }
        }
        #expect(
            addresses == [
                ["127.0.0.1", "127.0.0.1", "1", "standby"], ["/tmp", "-", "2", "standby"],
                ["127.0.0.1", "127.0.0.1", "1", "any"], ["/tmp", "-", "2", "any"],
            ])
    }
}

extension Trait where Self == ConditionTrait {
    /// Runs a test only where `Tests/run` has started a hot standby.
    static var needsStandby: Self {
        .enabled(
            if: PostgresServer.standbyURL != nil,
            "needs a hot standby, which Tests/run starts beside the server")
    }
}
