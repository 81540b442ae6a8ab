import Foundation
import Testing

@Suite("babymonitor and its configuration")
struct ConfigurationTests {
    private func explain(
        _ bench: Workbench, _ options: String..., environment: [String: String] = [:]
    ) async throws -> ConfigurationAnswer {
        let outcome = try await bench.run(
            ["config", "explain", "--json"] + options, environment: environment)
        #expect(outcome.status == 0, "\(outcome.error)")
        return try outcome.json()
    }

    @Test(
        "a flag overrides the environment, the environment a secret, a secret the file, the file the default")
    func precedence() async throws {
        let bench = try Workbench([:])
        let usual = try await explain(bench)
        #expect(usual["store.sqlite.path"]?.origin?.source == "default")
        let group = "home/.local/share/app-groups/group.sungdoo.babyDashboard"
        #expect(usual["store.sqlite.path"]?.value == bench.url("\(group)/BabyDashboard.sqlite").path)

        try bench.write(#"{"store": {"url": "sqlite:file.sqlite"}}"#, to: "settings.json")
        var sources = ["SWITCHYARD_CONFIG_FILE": "settings.json"]
        let file = try await explain(bench, environment: sources)
        #expect(file["store.sqlite.path"]?.value == "file.sqlite")
        #expect(file["store.url"]?.origin?.source == "file")

        let secrets = bench.url("secrets")
        try FileManager.default.createDirectory(at: secrets, withIntermediateDirectories: false)
        try bench.write("sqlite:secret.sqlite\n", to: "secrets/store-url")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: bench.url("secrets/store-url").path)
        sources["SWITCHYARD_CONFIG_SECRETS"] = secrets.path
        let secret = try await explain(bench, environment: sources)
        #expect(secret["store.sqlite.path"]?.value == "secret.sqlite")

        sources["SWITCHYARD_STORE_URL"] = "sqlite:environment.sqlite"
        let environment = try await explain(bench, environment: sources)
        #expect(environment["store.sqlite.path"]?.value == "environment.sqlite")
        #expect(environment["store.url"]?.origin?.name == "SWITCHYARD_STORE_URL")

        let flag = try await explain(bench, "--store", "sqlite:flag.sqlite", environment: sources)
        #expect(flag["store.sqlite.path"]?.value == "flag.sqlite")
        #expect(flag["store.url"]?.origin?.name == "--store")

        // What wins is also what is used.
        _ = try await bench.run(
            ["baby", "add", "Mia", "--store", "sqlite:flag.sqlite"], environment: sources)
        #expect(try bench.files().keys.filter { $0.hasSuffix(".sqlite") } == ["flag.sqlite"])
    }

    @Test("a profile keeps its store in an app group of its own, readable by its owner alone")
    func profiles() async throws {
        let bench = try Workbench([:])
        for (arguments, group) in [
            (["baby", "add", "Mia"], "group.sungdoo.babyDashboard"),
            (["baby", "add", "Leo", "--profile", "debug"], "group.sungdoo.babyDashboard.dev"),
        ] {
            #expect(try await bench.run(arguments).status == 0)
            let directory = bench.url("home/.local/share/app-groups/\(group)").path
            #expect(FileManager.default.fileExists(atPath: directory + "/BabyDashboard.sqlite"))
            let mode = try FileManager.default.attributesOfItem(atPath: directory)[.posixPermissions]
            #expect(mode as? Int == 0o700)
        }
        let babies: [BabyAnswer] = try await bench.succeed("baby", "list", "--json").json()
        #expect(babies.map(\.name) == ["Mia"])
        let moved = try await bench.run(
            ["store", "info", "--json"], environment: ["SWITCHYARD_PROFILE": "debug"])
        #expect(try moved.json(StoreAnswer.self).rows["BabyProfile"] == 1)
    }

    @Test("each key is explained with its value, its source and its variable")
    func explanation() async throws {
        let bench = try Workbench()
        let answer = try await explain(bench, environment: ["SWITCHYARD_STORE_SQLITE_READERS": "3"])
        #expect(answer.backend == "sqlite")
        #expect(answer["store.sqlite.readers"]?.value == "3")
        #expect(answer["store.sqlite.readers"]?.origin?.source == "environment")
        #expect(answer["store.sqlite.synchronous"]?.origin?.source == "default")
        #expect(answer["store.postgres.password"]?.variable == "SWITCHYARD_STORE_POSTGRES_PASSWORD")
        let json = try await bench.succeed("config", "explain", "--json").output
        #expect(json.contains(#""origin" : null"#))
        #expect(json.contains(#""value" : null"#))
        let text = try await bench.succeed("config", "explain").output
        #expect(text.contains("environment variable SWITCHYARD_STORE_URL"))
        // Nothing was opened.
        #expect(try bench.files().keys.sorted() == ["home"])
    }

    @Test("a key that is not set is shown with its variable, and the profile with its places")
    func unset() async throws {
        let bench = try Workbench([:])
        let lines = try await bench.succeed("config", "explain", "--profile", "debug").output
            .split(separator: "\n").map { $0.split(separator: " ", omittingEmptySubsequences: true) }
        #expect(
            lines.contains([
                "store.postgres.host", "(not", "set)", "would", "be", "set", "by",
                "SWITCHYARD_STORE_POSTGRES_HOST",
            ]))
        #expect(lines.contains(["app", "group", "group.sungdoo.babyDashboard.dev"]))
        #expect(lines.contains(["cloud", "container", "iCloud.sungdoo.babyDashboard.dev"]))
        struct Answer: Decodable {
            struct Profile: Decodable {
                let name, appGroup, directory, cloudContainer: String
            }
            let backend: String
            let profile: Profile
        }
        let answer: Answer = try await bench.succeed("config", "explain", "--json").json()
        #expect(answer.backend == "sqlite")
        #expect(answer.profile.name == "release")
        #expect(answer.profile.appGroup == "group.sungdoo.babyDashboard")
        #expect(answer.profile.cloudContainer == "iCloud.sungdoo.babyDashboard")
        #expect(
            answer.profile.directory
                == bench.url("home/.local/share/app-groups/group.sungdoo.babyDashboard").path)
    }

    @Test("config explain shows what libpq reads from the environment, but not its password")
    func libpq() async throws {
        let bench = try Workbench([:])
        let environment = [
            "PGPORT": "1", "PGPASSWORD": "hunter2", "PGUSER": "leo", "PGSERVICE": "", "PGAPPNAME": "app",
            "PGOPTIONS": "-c geqo=off", "PGSSLMODE": "require",
        ]
        let local = try await explain(
            bench, "--store", "postgres://carer@localhost/babies", environment: environment)
        #expect(local["store.postgres.port"]?.value == "1")
        #expect(local["store.postgres.port"]?.origin?.name == "PGPORT")
        #expect(local["store.postgres.password"]?.value == "(hidden)")
        #expect(local["store.postgres.password"]?.origin?.name == "PGPASSWORD")
        #expect(local["store.postgres.user"]?.value == "carer")
        #expect(local["store.postgres.sslmode"]?.origin?.name == "PGSSLMODE")
        #expect(local["PGOPTIONS"]?.value == "-c geqo=off")
        #expect(local["PGSERVICE"] == nil)
        // The session has a name of its own.
        #expect(local["PGAPPNAME"] == nil)
        let remote = try await explain(
            bench, "--store", "postgres://carer:more@db.example.org:2/babies", environment: environment)
        #expect(remote["store.postgres.port"]?.value == "2")
        #expect(remote["store.postgres.password"]?.origin?.name == "--store")
        #expect(remote["store.postgres.sslmode"] == nil || remote["store.postgres.sslmode"]?.origin == nil)
        let sqlite = try await explain(bench, environment: environment)
        #expect(sqlite["store.postgres.port"]?.origin == nil)
    }

    @Test(
        "no output shows a password, wherever it was given",
        arguments: [
            ["SWITCHYARD_STORE_URL": "postgres://carer:hunter2@localhost:1/babies"],
            ["SWITCHYARD_STORE_URL": "postgres://carer@localhost:1/babies?password=hunter2"],
            [
                "SWITCHYARD_STORE_BACKEND": "postgres", "SWITCHYARD_STORE_POSTGRES_HOST": "localhost",
                "SWITCHYARD_STORE_POSTGRES_PORT": "1", "SWITCHYARD_STORE_POSTGRES_PASSWORD": "hunter2",
                "SWITCHYARD_STORE_POSTGRES_DATABASE": "babies",
            ],
            [
                "SWITCHYARD_STORE_BACKEND": "postgres",
                "SWITCHYARD_STORE_POSTGRES_URL": "postgres://carer:hunter2@localhost:1/babies",
            ],
        ])
    func passwords(environment: [String: String]) async throws {
        let bench = try Workbench(environment)
        for arguments in [["config", "explain"], ["config", "explain", "--json"]] {
            let outcome = try await bench.run(arguments)
            #expect(outcome.status == 0, "\(outcome.error)")
            #expect(outcome.output.contains("localhost"))
            #expect(!(outcome.output + outcome.error).contains("hunter2"))
        }
        let explained: ConfigurationAnswer = try await bench.succeed("config", "explain", "--json").json()
        #expect(explained["store.postgres.password"]?.isSecret == true)
        #expect(explained["store.postgres.password"]?.origin != nil)
        // Nobody listens on port 1.
        let error = try await bench.fail(1, "status")
        #expect(error.contains("localhost"))
        #expect(!error.contains("hunter2"))
    }

    @Test(
        "a missing database and an unreachable server are failures, an invalid setting is wrong usage",
        .enabled(
            if: ProcessInfo.processInfo.environment["SWITCHYARD_TEST_POSTGRES_URL"] != nil,
            "there is no PostgreSQL server beside; Tests/run starts one"))
    func missingDatabase() async throws {
        let server = try #require(ProcessInfo.processInfo.environment["SWITCHYARD_TEST_POSTGRES_URL"])
        var url = try #require(URLComponents(string: server))
        url.path = "/no_such_database"
        let bench = try Workbench(["SWITCHYARD_STORE_URL": try #require(url.string)])
        #expect(
            try await bench.fail(1, "status")
                == "babymonitor: The database does not exist; create it or correct its name.\n")
        _ = try await bench.fail(
            2, "status", environment: ["SWITCHYARD_STORE_URL": "postgres://localhost:none/x"])
    }

    @Test("a refusal does not show a password in the wrong setting")
    func misplacedPassword() async throws {
        let bench = try Workbench([:])
        for environment in [
            ["SWITCHYARD_STORE_URL": "postgers://carer:hunter2@localhost/babies"],
            ["SWITCHYARD_STORE_POSTGRES_PASWORD": "hunter2"],
            ["SWITCHYARD_STORE_URL": "postgres://carer:hunter2@localhost:nowhere/babies"],
            ["SWITCHYARD_STORE_URL": "postgres://carer:hunter2/more@localhost:1/babies"],
            ["SWITCHYARD_STORE_URL": "postgres://carer:some@hunter2@localhost:1/babies"],
            ["SWITCHYARD_STORE_URL": "postgres://carer:hunter2/more"],
            ["SWITCHYARD_STORE_POSTGRES_HOST": "postgres://carer:hunter2@localhost/babies"],
        ] {
            for arguments in [["status"], ["config", "explain"]] {
                let outcome = try await bench.run(arguments, environment: environment)
                #expect(outcome.status == 2, "\(environment)")
                #expect(outcome.output == "")
                #expect(outcome.isOneParagraph)
                #expect(!outcome.error.contains("hunter2"))
                #expect(outcome.error.contains("SWITCHYARD_STORE_"))
            }
        }
    }

    @Test("a refusal does not show a password in an unknown word")
    func misplacedWord() async throws {
        let bench = try Workbench([:])
        let url = "postgres://carer:hunter2@localhost/babies"
        for arguments in [
            ["status", url], ["status", "--config", url], ["config", "explain", "--json", "--config", url],
            ["say", "Undo", url], ["intent", "run", "StartFeeding", url], ["history", "--since", url],
            ["baby", "add", "Mia", "--feed-term", url], ["import", "feeds", url], ["export", url],
            ["status", "--store", "sqlite:\(url)"], ["status", "--store", "postgress://carer:hunter2"],
            ["status", "--store", "postgress://carer:hunter2%40localhost/babies"],
            ["status", "--store", "postgres://localhost%20password=hunter2:1/babies"],
        ] {
            let outcome = try await bench.run(arguments)
            #expect(outcome.status != 0, "\(arguments)")
            #expect(outcome.isOneParagraph)
            #expect(!(outcome.output + outcome.error).contains("hunter2"), "\(outcome.error)")
        }
    }

    @Test("a misspelt setting names itself, its source and what is allowed, and nothing is opened")
    func mistakes() async throws {
        let bench = try Workbench([:])
        func refusal(_ settings: String) async throws -> String {
            try bench.write(settings, to: "settings.json")
            return try await bench.fail(2, "status", "--config", "settings.json")
        }
        #expect(
            try await refusal(#"{"store": {"backnd": "sqlite"}}"#)
                == "babymonitor: The key `store.backnd` in the file settings.json, line 1, is not a known setting. Did you mean "
                + "`store.backend`? There are: store.backend, store.url, store.mirror.…, store.sqlite.…, store.postgres.…, "
                + "store.memory.….\n"
        )
        #expect(
            try await refusal(#"{"store": {"backend": "sqllite"}}"#)
                == "babymonitor: There is no backend `sqllite`. Did you mean `sqlite`? The backends are: sqlite, postgres, "
                + "memory. It was given by the file settings.json, line 1.\n")
        #expect(
            try await refusal(#"{"store": {"backend": "sqlite", "sqlite": {"readers": "many"}}}"#)
                == "babymonitor: The setting store.sqlite.readers cannot be `many`; it takes a whole number from 0 to 64. It "
                + "was given by the file settings.json, line 1.\n")
        #expect(
            try await refusal("{").hasPrefix(
                "babymonitor: The configuration file settings.json cannot be used: "))
        #expect(
            try await bench.fail(2, "status", "--config", "none.json").hasPrefix(
                "babymonitor: The configuration file none.json does not exist."))
        #expect(
            try await bench.fail(2, "status", "--profile", "relase")
                == "babymonitor: The setting profile cannot be `relase`; it takes one of debug, release. Did you mean "
                + "`release`? It was given by the flag --profile.\n")
        #expect(
            try await bench.fail(2, "status", "--store", "mysql:babies").hasPrefix(
                "babymonitor: The store `mysql:babies` names no known backend. The backends are: sqlite, postgres, memory."
            ))
        #expect(
            try await bench.fail(2, "status", environment: ["SWITCHYARD_STORE_BACKED": "sqlite"]).contains(
                "Did you mean `SWITCHYARD_STORE_BACKEND`?"))
        #expect(try bench.files().keys.sorted() == ["home", "settings.json"])
    }

    @Test("a named store needs no home directory; the error for the default store says that it does")
    func homeless() async throws {
        let bench = try Workbench()
        let homeless = ["HOME": ""]
        #expect(try await bench.run(["baby", "add", "Mia"], environment: homeless).status == 0)
        #expect(
            try await bench.run(["status"], environment: homeless).output
                == "Mia: never fed; no diaper change\n")
        #expect(
            try await bench.fail(2, "status", environment: ["HOME": "", "SWITCHYARD_STORE_URL": ""])
                == "babymonitor: No data directory is known: neither XDG_DATA_HOME nor HOME is an absolute path. Set "
                + "app.groups.root.\n")
    }

    @Test(
        "a secrets file mistaken for another file is not shown",
        arguments: [
            "store-backend", "store-postgres-port", "store-sqlite-readers", "store-url", "profile",
        ])
    func mixedUpSecrets(file: String) async throws {
        let bench = try Workbench([:])
        let secrets = bench.url("secrets")
        try FileManager.default.createDirectory(at: secrets, withIntermediateDirectories: false)
        try bench.write("correct-horse-battery", to: "secrets/\(file)")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: bench.url("secrets/\(file)").path)
        let paragraph = try await bench.fail(
            2, "status", environment: ["SWITCHYARD_CONFIG_SECRETS": secrets.path])
        #expect(!paragraph.contains("correct-horse"))
        #expect(paragraph.contains("secrets/\(file)"))
    }

    @Test("an invalid YAML file is refused by line and column, in plain words")
    func brokenYAML() async throws {
        let bench = try Workbench([:])
        try bench.write("store:\n  backend: \"sqlite\n  - x\n", to: "settings.yaml")
        let paragraph = try await bench.fail(2, "status", "--config", "settings.yaml")
        #expect(
            paragraph.contains(
                "this is not YAML; look at the indentation, the quotes and the colons here and in the line before"
            ))
        for word in ["token", "block", "scalar", "scanning"] { #expect(!paragraph.contains(word)) }
    }
}
