import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("Connection parameters")
struct ConnectionParametersTests {
    @Test("a connection URL is split into its parts")
    func url() throws {
        let parameters = try ConnectionParameters(
            url: "postgres://mia:s%C3%A9cret@db.example.org:6432/babies?sslmode=verify-ca")
        #expect(
            parameters.values == [
                "user": "mia", "password": "sécret", "host": "db.example.org", "port": "6432",
                "dbname": "babies",
                "sslmode": "verify-ca",
            ])
    }

    @Test("an unreadable connection URL is refused without showing its password")
    func malformed() {
        for url in [
            "postgres://mia:s%ZZcret@host/", "postgres://mia:secret@host:port/?nothing=1", "host='secret",
        ] {
            let error = #expect(throws: StoreError.self) { try ConnectionParameters(url: url) }
            #expect(error?.code == .configuration)
            #expect(!String(reflecting: error).contains("cret"))
        }
    }

    @Test("no description of connection parameters contains the password")
    func redacted() throws {
        var parameters = try ConnectionParameters(url: "postgres://mia:secret@host/babies")
        parameters["sslpassword"] = "secret"
        var dumped = ""
        dump(parameters, to: &dumped)
        for text in ["\(parameters)", String(reflecting: parameters), dumped] {
            #expect(!text.contains("secret"))
            #expect(text.contains("host=host"))
        }
        #expect(parameters.redact("no entry for secret") == "no entry for …")
        #expect(
            parameters.redact("database \"postgres://leo:other@host/babies\" does not exist")
                == "database \"postgres://leo:***@host/babies\" does not exist")
    }

    @Test(
        "a remote host gets sslmode verify-full",
        arguments: [
            ("db.example.org", "verify-full"), ("10.0.0.5", "verify-full"),
            ("localhost,db.example.org", "verify-full"),
            ("localhost", nil), ("127.0.0.1", nil), ("::1", nil), ("/run/postgresql", nil), ("", nil),
            ("localhost.example.org", "verify-full"), ("127.example.org", "verify-full"),
        ])
    func sslMode(host: String, mode: String?) {
        var parameters = ConnectionParameters()
        parameters["host"] = host
        #expect(parameters.resolved["sslmode"] == mode)
        parameters["sslmode"] = "require"
        #expect(parameters.resolved["sslmode"] == "require")
    }

    @Test("hostaddr decides whether a host is local")
    func hostAddress() {
        var parameters = ConnectionParameters()
        parameters["host"] = "localhost"
        parameters["hostaddr"] = "192.0.2.1"
        #expect(parameters.resolved["sslmode"] == "verify-full")
    }

    @Test("a service, whose file may name any host, gets sslmode verify-full")
    func service() {
        var parameters = ConnectionParameters()
        parameters["service"] = "home"
        #expect(parameters.resolved["sslmode"] == "verify-full")
        parameters["host"] = "localhost"
        #expect(parameters.resolved["sslmode"] == nil)
    }

    @Test("values that libpq would misread are refused by name")
    func invalid() throws {
        for (keyword, value, allowed) in [
            ("sslmode", "verify", "verify-full"), ("port", "0", "1 to 65535"), ("port", "54x2", "1 to 65535"),
            ("port", "5432,65536", "1 to 65535"), ("connect_timeout", "soon", "greater than 0"),
            ("connect_timeout", "-1", "greater than 0"), ("host", "a@b", "server alone"),
            ("user", "m\u{0}a", "U+0000"),
        ] {
            var parameters = ConnectionParameters()
            parameters[keyword] = value
            let error = #expect(throws: StoreError.self) { try parameters.validate() }
            #expect(error?.code == .configuration)
            #expect(error?.message.contains(keyword) == true)
            #expect(error?.message.contains(allowed) == true)
        }
        var fine = ConnectionParameters()
        fine["port"] = "5432,5433"
        fine["connect_timeout"] = "3"
        fine["host"] = "a,b"
        try fine.validate()
        #expect(fine.connectTimeout == 3)
    }
}
