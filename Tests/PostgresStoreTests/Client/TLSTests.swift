import PostgresTestServer
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite(
    "TLS connections",
    .enabled(
        if: PostgresServer.tlsURL != nil,
        "needs a server with TLS, which Tests/run starts where there is openssl"),
    .timeLimit(.minutes(2)))
struct TLSTests {
    private func withPool(
        _ parameters: ConnectionParameters, options: SessionOptions = SessionOptions(),
        _ body: (ConnectionPool) async throws -> Void
    ) async throws {
        let pool = try TestServer.pool(parameters, options: options, limits: ConnectionPool.Limits(size: 1))
        try await body(pool)
        await pool.close()
    }

    @Test("rows and large values arrive whole over TLS, from an authenticated server")
    func rows() async throws {
        try await withPool(TestServer.parameters(PostgresServer.tlsURL)) { pool in
            let (sum, large, isEncrypted) = try await pool.run { session in
                try session.begin(.snapshot)
                var sum: Int64 = 0
                try session.forEachRow("SELECT generate_series(1, 200000)::int8") { cells in
                    sum += cells[0].word
                    return true
                }
                return try (sum, session.cell("SELECT repeat('x', 10000000)"), session.isEncrypted)
            }
            #expect(sum == 20_000_100_000)
            #expect(large == .text(String(repeating: "x", count: 10_000_000)))
            #expect(isEncrypted)
        }
    }

    @Test("a server that stops answering during a TLS stream ends the stream")
    func silence() async throws {
        let url = PostgresServer.tlsURL
        try await FaultProxy.with(url) { proxy in
            var parameters = try TestServer.parameters(url)
            parameters["port"] = "\(proxy.port)"
            var options = SessionOptions()
            options.statementTimeout = .seconds(1)
            options.patience = .seconds(1)
            try await withPool(parameters, options: options) { pool in
                let error = await #expect(throws: StoreError.self) {
                    try await pool.run { session in
                        try session.begin(.snapshot)
                        _ = try session.cell("SELECT 1")
                        proxy.setFaultOfOpenConnections(
                            .init(.silence, .afterBytes(100_000)))
                        try session.forEachRow("SELECT generate_series(1, 1000000)") { _ in true }
                    }
                }
                #expect(error?.code == .connectionLost)
            }
        }
    }

    @Test("a server whose certificate is not the expected one's is refused")
    func stranger() async throws {
        var parameters = try TestServer.parameters(PostgresServer.tlsURL)
        parameters["sslrootcert"] = "/etc/hostname"
        try await withPool(parameters) { pool in
            let error = await #expect(throws: StoreError.self) { try await pool.run { _ in } }
            #expect(error?.code == .connectionLost)
        }
    }
}
