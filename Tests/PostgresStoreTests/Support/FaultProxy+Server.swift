import PostgresTestServer
import SwitchyardCore
import Testing

@testable import PostgresStore

extension FaultProxy {
    /// Lends a proxy in front of a test server, and closes all its connections afterwards.
    static func with(
        _ url: String? = PostgresServer.url, _ body: (FaultProxy) async throws -> Void
    ) async throws {
        let parameters = try TestServer.parameters(url)
        let proxy = try FaultProxy(
            host: #require(parameters["host"]), port: #require(parameters["port"].flatMap { Int($0) }))
        defer { proxy.stop() }
        try await body(proxy)
    }

    /// The parameters of a connection through the proxy.
    var parameters: ConnectionParameters {
        get throws {
            var parameters = try TestServer.parameters()
            parameters["host"] = "127.0.0.1"
            parameters["port"] = "\(port)"
            parameters["sslmode"] = "disable"
            return parameters
        }
    }

    /// The URL of a store through the proxy.
    func url(of place: TestPlace, _ settings: String = "") -> String {
        "postgres://switchyard@127.0.0.1:\(port)/switchyard_test?schema=\(place.schema)&sslmode=disable\(settings)"
    }
}
