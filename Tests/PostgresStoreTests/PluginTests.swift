import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("The plugin's settings")
struct PluginTests {
    private let schema: Schema
    private static let password = "correct-horse"

    init() throws {
        schema = try Schema(
            version: SchemaVersion(1), entities: [Entity("Baby", attributes: [Attribute("id", type: .uuid)])])
    }

    /// The error of opening with settings; no text form of it may hold the password.
    private func refusal(_ values: [String: String]) async -> StoreError? {
        let error = await #expect(throws: StoreError.self) {
            try await PostgresPlugin.open(
                try StoreSettings(values, for: PostgresPlugin.self), schema: schema, options: OpenOptions())
        }
        guard let error else { return nil }
        #expect(error.code == .configuration)
        var dumped = ""
        dump(error, to: &dumped)
        for text in [error.description, error.debugDescription, "\(error)", dumped] {
            #expect(!text.contains(Self.password))
        }
        return error
    }

    @Test(
        "a wrong setting of the PostgreSQL plugin is named, with what is allowed",
        arguments: [
            (
                "port", "http",
                "The setting store.postgres.port cannot be `http`; it takes a whole number from 1 to 65535."
            ),
            (
                "port", "0",
                "The setting store.postgres.port cannot be `0`; it takes a whole number from 1 to 65535."
            ),
            (
                "sslmode", "verify",
                "The setting store.postgres.sslmode cannot be `verify`; it takes one of disable, allow, prefer, require, "
                    + "verify-ca, verify-full."
            ),
            (
                "host", "",
                "The setting store.postgres.host cannot be empty; it takes the name or address of a server alone, without"
            ),
            (
                "poolSize", "none",
                "The setting store.postgres.poolSize cannot be `none`; it takes a whole number from 1 to 1000."
            ),
            (
                "lockTimeout", "-1",
                "The setting store.postgres.lockTimeout cannot be `-1`; it takes a number of seconds from 0.001 to 86400.0."
            ),
        ])
    func wrong(name: String, value: String, message: String) async {
        var values = ["host": "db.example.org", "database": "babies", "password": Self.password]
        values[name] = value
        #expect(await refusal(values)?.message.hasPrefix(message) == true)
    }

    @Test("an unknown setting of the PostgreSQL plugin is refused, with the one that was meant")
    func unknown() async throws {
        let error = try #require(await refusal(["hots": "db.example.org", "password": Self.password]))
        #expect(
            error.message.hasPrefix(
                "There is no setting store.postgres.hots. Did you mean `store.postgres.host`?"))
    }

    @Test("the PostgreSQL plugin requires host and database")
    func missing() async {
        #expect(
            await refusal(["database": "babies", "password": Self.password])?.message
                == "The setting store.postgres.host is missing; give it the server's name, or a URL to store.postgres.url."
        )
        #expect(
            await refusal(["host": "db.example.org", "password": Self.password])?.message
                == "The setting store.postgres.database is missing; give it the database's name.")
        #expect(
            await refusal(["url": "postgres://mia:\(Self.password)@db.example.org"])?.message
                == "The setting store.postgres.database is missing; give it the database's name.")
    }

    @Test(
        "a setting that contradicts the URL or the parameters is named",
        arguments: [
            ("host", "other.example.org", "url"), ("port", "5433", "url"), ("user", "leo", "url"),
            ("database", "toddlers", "url"), ("password", "another-horse", "url"),
            ("sslmode", "require", "url"), ("schema", "nursery", "url"), ("poolSize", "3", "url"),
        ])
    func conflict(name: String, value: String, other: String) async {
        let url =
            "postgres://mia:\(Self.password)@db.example.org:5432/babies?sslmode=verify-full&schema=home&poolSize=2"
        #expect(
            await refusal(["url": url, name: value])?.message
                == "The setting store.postgres.\(name) and the one in store.postgres.url have different values. Leave one "
                + "of them out.")
    }

    @Test("a setting that the parameters give with another value is named")
    func parametersConflict() async {
        let values = [
            "host": "db.example.org", "database": "babies", "password": "another-horse",
            "parameters": "application_name=babies password=\(Self.password)",
        ]
        #expect(
            await refusal(values)?.message
                == "The setting store.postgres.password and password among store.postgres.parameters have different values. "
                + "Leave one of them out.")
    }

    @Test("parameters that libpq cannot read are refused without being shown")
    func unreadableParameters() async {
        let values = [
            "host": "db.example.org", "database": "babies", "parameters": "pasword=\(Self.password)",
        ]
        #expect(
            await refusal(values)?.message
                == "The setting store.postgres.parameters cannot be read; it takes libpq's keywords, such as "
                + "application_name=babies options='-c work_mem=64MB'.")
    }

    @Test(
        "an ambiguous name of a schema is refused", arguments: ["my-schema", "pg_own", "ö"])
    func schemaName(name: String) async {
        let values = ["host": "db.example.org", "database": "babies", "schema": name]
        #expect(
            await refusal(values)?.message.hasPrefix("The setting store.postgres.schema takes letters,")
                == true)
    }

    @Test(
        "URL parts for libpq are quoted by bytes",
        arguments: [
            ("it%27s", "'it\\'s'"), ("%27%CC%81", "'\\'\u{301}'"), ("%5C%E2%83%A3", "'\\\\\u{20E3}'"),
        ])
    func quoting(escaped: String, quoted: String) throws {
        let url = "postgres://mia@db.example.org/babies?application_name=\(escaped)"
        let parameters = try PostgresPlugin.settings(fromURL: url)["parameters"]
        #expect(parameters.map { Array($0.utf8) } == Array("application_name=\(quoted)".utf8))
    }

    @Test("a URL is equivalent to its parts")
    func url() throws {
        #expect(
            try PostgresPlugin.settings(
                fromURL:
                    "postgresql://mia:a%20b@db.example.org:6432/babies?sslmode=verify-ca&schema=home&poolTimeout=0.5"
                    + "&application_name=it%27s&connect_timeout=3") == [
                    "user": "mia", "password": "a b", "host": "db.example.org", "port": "6432",
                    "database": "babies", "sslmode": "verify-ca", "schema": "home", "poolTimeout": "0.5",
                    "connectTimeout": "3", "parameters": #"application_name='it\'s'"#,
                ])
        #expect(
            try PostgresPlugin.settings(fromURL: "postgres:///babies?host=/run/postgresql") == [
                "host": "/run/postgresql", "database": "babies",
            ])
        #expect(
            try PostgresPlugin.settings(fromURL: "postgres://a:1,b:2/babies") == [
                "host": "a,b", "database": "babies", "parameters": "port='1,2'",
            ])
    }

    @Test(
        "an invalid URL is refused without showing its password",
        arguments: [
            "mysql://mia:correct-horse@db.example.org/babies", "postgres:babies?password=correct-horse",
            "postgres://mia:correct-horse@db.example.org:port/babies?nothing=1",
            "postgres://mia:correct-horse@db.example.org/babies?sslmod=require",
            "postgres://mia:correct-horse@db.example.org/babies?schema=%ZZ",
            "postgres://mia:correct-horse%ZZ@db.example.org/babies",
        ])
    func unreadableURL(url: String) async {
        #expect(await refusal(["url": url])?.message.lowercased().contains("postgres") == true)
        #expect(await refusal(["url": url, "password": Self.password])?.message.contains("URL") == true)
    }

    @Test("misspelt and repeated URL parameters are named")
    func misspeltParameter() async {
        let place = "postgres://mia:\(Self.password)@db.example.org/babies"
        #expect(
            await refusal(["url": "\(place)?sslmod=require"])?.message.contains(
                "holds `sslmod`, which is no parameter. Did you mean `sslmode`? There are libpq's connection parameters, and: "
                    + "connectTimeout, ") == true)
        #expect(
            await refusal(["url": "\(place)?sslmode=disable&sslmode=require"])?.message.contains(
                "holds `sslmode` twice; leave one of them out.") == true)
        #expect(
            await refusal(["url": "\(place)?poolSize=2&poolSize=3"])?.message.contains(
                "holds `poolSize` twice")
                == true)
        let piece = await refusal(["url": "postgres://mia:correct?horse"])?.message
        #expect(piece?.contains("holds a parameter that there is not.") == true)
        #expect(piece?.contains("horse") == false)
    }

    @Test(
        "a URL whose password is not percent-encoded is refused, and no part of it is shown",
        arguments: [
            "postgres://carer:s3c/r3t-PW@127.0.0.1:54877/babies",
            "postgres://carer:s3c@r3t-PW@127.0.0.1/babies",
            "postgres://carer:s3c?r3t-PW@127.0.0.1/babies", "postgres://carer:s3c#r3t-PW@127.0.0.1/babies",
            "postgres://127.0.0.1/babies?password=s3c@r3t-PW",
        ])
    func unencodedPassword(url: String) throws {
        let error = #expect(throws: StoreError.self) { try PostgresPlugin.settings(fromURL: url) }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("percent-encode the password") == true)
        for piece in ["s3c", "r3t", "PW"] { #expect(!String(reflecting: error).contains(piece)) }
    }

    @Test(
        "a host with a user, a password or a scheme is refused and not shown; sockets are hosts",
        arguments: [
            "r3t-PW@127.0.0.1", "postgres://carer:s3cr3t-PW@h/x", "a.example.org,r3t-PW@h", "http://r3t-PW",
        ])
    func host(host: String) async throws {
        let error = try #require(await refusal(["host": host, "database": "babies"]))
        #expect(
            error.message
                == "The setting store.postgres.host cannot be the given value; it takes the name or address of a server "
                + "alone, without `@` or `://`.")
        let hidden = try #require(
            await refusal([
                "host": "h", "database": "babies", "parameters": "hostaddr=127.0.0.1 host='\(host)'",
            ]))
        #expect(!String(reflecting: hidden).contains("r3t-PW"))
        for fine in ["a.example.org,b.example.org", "/run/user@1000/pg", "@abstract", "::1"] {
            #expect(try StoreSettings(["host": fine], for: PostgresPlugin.self).text("host") == fine)
        }
    }

    @Test("a bad value in a URL is named like one given separately")
    func badValueInURL() async {
        #expect(
            await refusal(["url": "postgres://mia:\(Self.password)@db.example.org:99999/babies"])?.message
                == "The setting store.postgres.port cannot be the given value; it takes a whole number from 1 to 65535."
        )
        #expect(
            await refusal(["url": "postgres://db.example.org/babies?password=\(Self.password)&pooling=some"])?
                .message
                .hasPrefix(
                    "The setting store.postgres.pooling cannot be the given value; it takes one of session, transaction."
                )
                == true)
    }

    @Test("no description of the PostgreSQL settings shows a password")
    func redaction() throws {
        let settings = try StoreSettings(
            [
                "url": "postgres://mia:\(Self.password)@db.example.org/babies", "password": Self.password,
                "parameters": "sslpassword=\(Self.password)",
            ], for: PostgresPlugin.self)
        var dumped = ""
        dump(settings, to: &dumped)
        for text in ["\(settings)", String(reflecting: settings), dumped] {
            #expect(!text.contains(Self.password))
            #expect(text.contains("db.example.org"))
        }
    }

    @Test("a libpq message is one paragraph, whatever its lines are")
    func paragraph() {
        #expect(
            Session.paragraph(
                "connection to server at \"127.0.0.1\", port 1 failed: Connection refused\n"
                    + "\tIs the server running on that host and accepting TCP/IP connections?\n")
                == "connection to server at \"127.0.0.1\", port 1 failed: Connection refused. "
                + "Is the server running on that host and accepting TCP/IP connections?")
        #expect(
            Session.paragraph("server closed the connection unexpectedly\n\n \n")
                == "server closed the connection unexpectedly.")
        #expect(Session.paragraph("") == "")
    }

    @Test(
        "the location is a URL of the same store, without secrets and without irrelevant settings",
        arguments: [
            (["host": "db.example", "database": "family"], "postgres://db.example/family"),
            (
                ["host": "db.example", "port": "6543", "user": "mia o", "database": "a/b", "schema": "s1"],
                "postgres://mia%20o@db.example:6543/a%2Fb?schema=s1"
            ),
            (
                [
                    "host": "/run/pg", "port": "5433", "user": "mia", "database": "family",
                    "sslmode": "disable",
                ],
                "postgres://mia@/family?host=%2Frun%2Fpg&port=5433&sslmode=disable"
            ),
            (
                ["url": "postgres://mia@db.example/family?pooling=transaction&poolSize=3"],
                "postgres://mia@db.example/family?pooling=transaction"
            ),
        ])
    func location(values: [String: String], url: String) throws {
        var values = values
        if values["url"] == nil { values["password"] = Self.password }
        let settings = try StoreSettings(values, for: PostgresPlugin.self)
        #expect(PostgresPlugin.location(of: settings) == url)
        let again = try StoreSettings(PostgresPlugin.settings(fromURL: url), for: PostgresPlugin.self)
        #expect(PostgresPlugin.location(of: again) == url)
        for name in ["host", "port", "user", "database", "schema", "sslmode"] where values[name] != nil {
            #expect(again.text(name) == values[name])
        }
    }
}
