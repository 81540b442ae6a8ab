import Foundation
import PostgresTestServer
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("Connecting", .needsServer)
struct ConnectTests {
    private func failure(_ parameters: ConnectionParameters) async -> StoreError? {
        do {
            let connection = try await Connection.open(parameters, logger: TestServer.logger)
            await connection.close()
            return nil
        } catch {
            return error as? StoreError
        }
    }

    @Test("a connection over TCP authenticates with a password")
    func password() async throws {
        let pool = try TestServer.pool(TestServer.parameters(PostgresServer.passwordURL))
        #expect(
            try await pool.run { try $0.cell("SELECT current_user::text") } == .text("switchyard_password"))
        await pool.close()
    }

    @Test("a wrong password is an authentication error that does not show it")
    func wrongPassword() async throws {
        var parameters = try TestServer.parameters(PostgresServer.passwordURL)
        parameters["password"] = "wrong-horse"
        let error = try #require(await failure(parameters))
        #expect(error.code == .authentication)
        #expect(!String(reflecting: error).contains("wrong-horse"))
    }

    @Test("a missing password is an authentication error")
    func missingPassword() async throws {
        var parameters = try TestServer.parameters(PostgresServer.passwordURL)
        parameters["password"] = nil
        parameters["passfile"] = "/nonexistent"
        #expect(await failure(parameters)?.code == .authentication)
    }

    @Test("an unknown user is an authentication error")
    func unknownUser() async throws {
        var parameters = try TestServer.parameters(PostgresServer.passwordURL)
        parameters["user"] = "nobody_here"
        #expect(await failure(parameters)?.code == .authentication)
    }

    @Test("an unknown database is a configuration error")
    func unknownDatabase() async throws {
        var parameters = try TestServer.parameters()
        parameters["dbname"] = "nothing_here"
        #expect(await failure(parameters)?.code == .configuration)
    }

    @Test(
        "a database whose encoding is not UTF-8 is a configuration error",
        arguments: ["WIN1252", "LATIN1"])
    func encoding(name: String) async throws {
        let database = "encoded_\(name.lowercased())"
        try await PostgresServer.administer(
            "CREATE DATABASE \(database) TEMPLATE template0 ENCODING '\(name)' LOCALE 'C'")
        var parameters = try TestServer.parameters()
        parameters["dbname"] = database
        let error = await failure(parameters)
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("is \(name); Switchyard needs UTF8.") == true)
        try await PostgresServer.administer("DROP DATABASE \(database)")
    }

    @Test("a port without a listener is a lost connection that names the place")
    func refusedPort() async throws {
        var parameters = ConnectionParameters()
        parameters["host"] = "127.0.0.1"
        parameters["port"] = "1"
        let error = try #require(await failure(parameters))
        #expect(error.code == .connectionLost)
        #expect(error.message.contains("127.0.0.1, port 1"))
    }

    @Test("a host name that does not exist is a lost connection")
    func unknownHost() async throws {
        var parameters = ConnectionParameters()
        parameters["host"] = "nowhere.invalid"
        #expect(await failure(parameters)?.code == .connectionLost)
    }

    @Test("a socket directory that does not exist is a lost connection")
    func unknownSocket() async throws {
        var parameters = ConnectionParameters()
        parameters["host"] = "/nonexistent"
        #expect(await failure(parameters)?.code == .connectionLost)
    }

    @Test("a server that accepts and says nothing is abandoned after the connect timeout")
    func silentServer() async throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = bind(listener, pointer, length)
                _ = listen(listener, 1)
                _ = getsockname(listener, pointer, &length)
            }
        }
        var parameters = ConnectionParameters()
        parameters["host"] = "127.0.0.1"
        parameters["port"] = "\(UInt16(bigEndian: address.sin_port))"
        parameters["connect_timeout"] = "1"
        let error = try #require(await failure(parameters))
        #expect(error.code == .connectionLost)
        #expect(error.message.contains("did not answer within 1 s"))
    }

    @Test("a server without TLS is refused with verify-full")
    func tls() async throws {
        var parameters = try TestServer.parameters(PostgresServer.passwordURL)
        parameters["sslmode"] = "verify-full"
        #expect(await failure(parameters)?.code == .connectionLost)
    }

    @Test("an unknown option in a URL is a configuration error")
    func unknownOption() throws {
        #expect(
            #expect(throws: StoreError.self) {
                _ = try ConnectionParameters(url: "postgres:///db?sslmod=require")
            }?.code == .configuration)
    }

    @Test("a session has the settings that answers depend on")
    func settings() async throws {
        try await TestServer.withSchema { pool, schema in
            let row = try await pool.run { session in
                try session.rows(
                    """
                    SELECT current_setting('TimeZone'), current_setting('client_encoding'),
                    current_setting('search_path'), current_setting('default_transaction_isolation'),
                    current_setting('statement_timeout'), current_setting('lock_timeout'),
                    current_setting('idle_in_transaction_session_timeout'), current_setting('application_name')
                    """)
            }
            #expect(
                row == [
                    [
                        .text("UTC"), .text("UTF8"), .text(#""\#(schema)", pg_temp"#), .text("serializable"),
                        .text("10min"), .text("10s"), .text("1min"), .text("switchyard"),
                    ]
                ])
        }
    }

    @Test("a session setting that a script has changed is restored for the next user")
    func settingsRestored() async throws {
        try await TestServer.withSchema(limits: ConnectionPool.Limits(size: 1)) { pool, schema in
            try await pool.run { session in
                try session.script(
                    "SET TimeZone = 'Asia/Tokyo'; SET search_path = pg_catalog; SET lock_timeout = 1")
            }
            let row = try await pool.run { session in
                try session.rows(
                    """
                    SELECT current_setting('TimeZone'), current_setting('search_path'),
                    current_setting('lock_timeout')
                    """)
            }
            #expect(row == [[.text("UTC"), .text(#""\#(schema)", pg_temp"#), .text("10s")]])
        }
    }

    @Test("the code of a server's error is found in any language")
    func sqlState() {
        #expect(
            Session.sqlState(
                inVerbose: "connection to server at \"127.0.0.1\", port 5432 failed: FATAL:  28P01: password "
                    + "authentication failed for user \"mia\"\nLOCATION:  auth_failed, auth.c:335\n")
                == "28P01")
        #expect(
            Session.sqlState(inVerbose: "connection … failed: SCHWERWIEGEND:  3D000: Datenbank fehlt")
                == "3D000")
        #expect(
            Session.sqlState(inVerbose: "could not translate host name \"x\" to address: Name unknown") == nil
        )
    }
}
