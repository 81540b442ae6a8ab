import Foundation
import PostgresTestServer
import Testing

@Suite("switchyard called wrongly")
struct WrongInputTests {
    let bench: Workbench

    init() throws { bench = try Workbench(program: "switchyard") }

    @Test(
        "a call that cannot be understood ends with 2, and says what was wanted",
        arguments: [
            (["inof", "dairy.db"], "Unexpected argument 'inof'."),
            (["export", "dairy.db", "Cow"], "--csv"),
            (["info"], "Missing expected argument '<store>'."),
            (["info", ""], "The URL names no file"),
            (["info", "sqllite:dairy.db"], "Did you mean `sqlite`?"),
            (["info", "memory:"], "The backends are: sqlite, postgres, coredata."),
            (["info", "dairy.db", "--store", "sqlite:other.db"], "Unknown option '--store'"),
            (["switch", "dairy.db"], "Give the new place with --to."),
            (["restore", "dairy.db", "out.json"], "--mode"),
            (["verify", "dairy.db"], "<url>: The second store."),
            (["tables", "dairy.db", "--scope", "home"], "is not the id of a scope"),
            (["copy", "dairy.db", "other.db"], "postgres"),
        ])
    func usage(arguments: [String], complaint: String) async throws {
        let outcome = try await bench.run(arguments)
        #expect(outcome.status == 2, "\(arguments)")
        #expect(outcome.output == "")
        #expect(outcome.isOneParagraph)
        #expect(outcome.error.contains(complaint), "\(outcome.error)")
        #expect(try bench.files().keys.sorted() == ["home"])
    }

    @Test(
        "a file that is missing or no store ends with 1, and nothing is made or changed",
        arguments: [
            ["info", "F"], ["tables", "F"], ["check", "F"], ["history", "F"], ["verify", "F", "F"],
            ["export", "F", "Cow", "--csv", "out.csv"], ["import", "F", "Cow", "--csv", "rows.csv"],
            ["backup", "F", "out.json"], ["restore", "F", "rows.json", "--mode", "merge"],
            ["query", "F", "Cow"], ["switch", "F", "--to", "sqlite:new.db"],
        ])
    func noStore(arguments: [String]) async throws {
        try bench.write("id,name,weight\n\n", to: "rows.csv")
        try bench.write("{}", to: "rows.json")
        try bench.write("no database, but a text that is longer than the header of one", to: "text.db")
        let before = try bench.files()
        for (name, complaint) in [("missing.db", "There is no store at"), ("text.db", "text.db")] {
            let outcome = try await bench.run(arguments.map { $0 == "F" ? name : $0 })
            #expect(outcome.status == 1, "\(outcome.error)")
            #expect(outcome.output == "")
            #expect(outcome.isOneParagraph)
            #expect(outcome.error.contains(complaint), "\(outcome.error)")
        }
        #expect(try bench.files() == before)
    }

    @Test("a misspelt entity is named with those that there are, and no file is written")
    func entity() async throws {
        try await Dairy.make("sqlite:" + bench.url("dairy.db").path)
        #expect(
            try await bench.fail(1, "export", "dairy.db", "Cows", "--csv", "out.csv")
                == "switchyard: The store has no entity Cows; it has Cow, Milking. (Cows)\n")
        #expect(try bench.files().keys.sorted() == ["dairy.db", "home"])
    }

    @Test("an export or a backup never replaces a store")
    func replaced() async throws {
        try await Dairy.make("sqlite:" + bench.url("dairy.db").path)
        #expect(
            try await bench.fail(2, "export", "dairy.db", "Cow", "--csv", "dairy.db").contains(
                "belongs to the store that is exported"))
        #expect(
            try await bench.fail(2, "backup", "dairy.db", "dairy.db-wal", "--overwrite").contains(
                "belongs to the store that is exported"))
        #expect(try await bench.succeed("check", "dairy.db").output == "The store is sound.\n")
    }

    @Test("a password in a URL is never shown")
    func password() async throws {
        try await Dairy.make("sqlite:" + bench.url("dairy.db").path)
        let url = "postgres://me:hunter2@localhost:1/none"
        for arguments in [
            ["info", url], ["verify", "dairy.db", url], ["switch", "dairy.db", "--to", url],
            ["copy", "dairy.db", url], ["info", "--jsn", url], ["tables", url, "--verbose"],
        ] {
            let outcome = try await bench.run(arguments)
            #expect(outcome.status != 0, "\(arguments)")
            #expect(!(outcome.output + outcome.error).contains("hunter2"), "\(arguments)")
        }
    }

    @Test(
        "a password is taken from the URL, a setting or libpq's variable, and never shown",
        .enabled(if: PostgresServer.passwordURL != nil, Comment(rawValue: PostgresServer.need)))
    func passwords() async throws {
        let server = try #require(PostgresServer.passwordURL)
        try await PostgresServer.withSchemaName(at: server) { name in
            let url = try PostgresServer.url(schema: name, at: server)
            var parts = try #require(URLComponents(string: url))
            let password = try #require(parts.password)
            parts.password = nil
            let bare = try #require(parts.string)
            try await Dairy.make(url)
            for (store, environment) in [
                (url, [:]), (bare, ["SWITCHYARD_STORE_POSTGRES_PASSWORD": password]),
                (bare, ["PGPASSWORD": password]),
            ] {
                let outcome = try await bench.run(["info", store, "--verbose"], environment: environment)
                #expect(outcome.status == 0, "\(outcome.error)")
                #expect(outcome.output.hasSuffix("rows         Cow: 2\nrows         Milking: 5\n"))
                #expect(!(outcome.output + outcome.error).contains(password))
            }
            let refused = try await bench.run(["info", bare], environment: ["PGPASSWORD": "hunter2"])
            #expect(refused.status == 1, "\(refused.error)")
            #expect(!refused.error.contains("hunter2"))
        }
    }

    @Test(
        "a server's database that is no store is refused, and stays without one",
        .enabled(if: PostgresServer.url != nil, Comment(rawValue: PostgresServer.need)))
    func emptyDatabase() async throws {
        try await PostgresServer.withSchemaName { name in
            let url = try PostgresServer.url(schema: name)
            for arguments in [
                ["info", url], ["check", url], ["history", url], ["backup", url, "out.json"],
            ] {
                let outcome = try await bench.run(arguments)
                #expect(outcome.status == 1)
                #expect(outcome.error.contains("There is no store"), "\(outcome.error)")
            }
            #expect(
                try await PostgresServer.rows(
                    of: "SELECT 1 FROM pg_namespace WHERE nspname = '\(name)'"
                ).isEmpty)
        }
    }
}
