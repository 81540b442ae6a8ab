import SwitchyardConfiguration
import SwitchyardCore
import Testing
import ToyPlugins

@Suite("A store named by a URL")
struct ConfigurationStoreURLTests {
    @Test("a URL chooses the backend and its settings")
    func choice() async throws {
        let sqlite = try await Toy.configuration(flags: ["store.url": "sqlite:/data/a.sqlite"])
        #expect(sqlite.backend == "sqlite")
        #expect(sqlite.settings.text("path") == "/data/a.sqlite")

        let memory = try await Toy.configuration(flags: ["store.url": "memory:"])
        #expect(memory.backend == "memory")

        let postgres = try await Toy.configuration(
            flags: ["store.url": "postgresql://mia:geheim@db.example:6543/baby?sslmode=require"])
        #expect(postgres.backend == "postgres")
        #expect(postgres.settings.text("host") == "db.example")
        #expect(postgres.settings.integer("port") == 6543)
        #expect(postgres.settings.text("user") == "mia")
        #expect(postgres.settings.text("password") == "geheim")
        #expect(postgres.settings.text("database") == "baby")
        #expect(postgres.settings.text("sslmode") == "require")
    }

    @Test("settings that a URL omits come from other sources")
    func completion() async throws {
        let configuration = try await Toy.configuration(
            flags: ["store.url": "postgres://db.example/baby"],
            environment: [
                "SWITCHYARD_STORE_POSTGRES_PASSWORD": "geheim", "SWITCHYARD_STORE_POSTGRES_HOST": "other",
            ])
        #expect(configuration.settings.text("host") == "db.example")
        #expect(configuration.settings.text("password") == "geheim")
        #expect(configuration.settings.integer("port") == 5432)
    }

    @Test("a separate setting overrides a URL from a weaker source")
    func partOverride() async throws {
        let configuration = try await Toy.configuration(
            flags: ["store.postgres.database": "test"],
            environment: ["SWITCHYARD_STORE_URL": "postgres://db.example/baby"])
        #expect(configuration.settings.text("database") == "test")
        #expect(configuration.settings.text("host") == "db.example")
    }

    @Test("the plugin's own URL stands for its settings, and store.url overrides it from a stronger source")
    func pluginURL() async throws {
        let environment = [
            "SWITCHYARD_STORE_BACKEND": "postgres",
            "SWITCHYARD_STORE_POSTGRES_URL": "postgres://db.example:6543/baby",
        ]
        let plain = try await Toy.configuration(environment: environment)
        #expect(plain.settings.text("host") == "db.example")
        #expect(plain.settings.text("database") == "baby")
        #expect(plain.settings.text("url") == nil)
        let overridden = try await Toy.configuration(
            flags: ["store.url": "postgres://localhost/test"], environment: environment)
        #expect(overridden.settings.text("host") == "localhost")
        #expect(overridden.settings.text("database") == "test")
        #expect(overridden.settings.integer("port") == 6543)
    }

    @Test("if a URL and a backend disagree, the stronger source wins")
    func disagreement() async throws {
        let byURL = try await Toy.configuration(
            flags: ["store.url": "memory:"], environment: ["SWITCHYARD_STORE_BACKEND": "postgres"])
        #expect(byURL.backend == "memory")
        let byBackend = try await Toy.configuration(
            flags: ["store.backend": "postgres"],
            environment: ["SWITCHYARD_STORE_URL": "sqlite:/data/a.sqlite"])
        #expect(byBackend.backend == "postgres")
        #expect(byBackend.settings.text("host") == "localhost")
        let entry = byBackend.explanation.entries.first { $0.key == "store.url" }
        #expect(entry?.isUsed == false)
    }

    @Test("a URL and a backend that disagree in one source are an error")
    func contradiction() async throws {
        let message = try await Toy.complaint {
            try await Toy.configuration(
                environment: [
                    "SWITCHYARD_STORE_BACKEND": "postgres", "SWITCHYARD_STORE_URL": "sqlite:/data/a.sqlite",
                ])
        }
        #expect(
            message
                == "The setting store.url, given by the environment variable SWITCHYARD_STORE_URL, chooses the backend sqlite, "
                + "but store.backend, given by the environment variable SWITCHYARD_STORE_BACKEND, chooses postgres. Leave one of "
                + "them out.")
    }

    @Test("a URL and a setting that disagree in one source are an error")
    func partContradiction() async throws {
        let message = try await Toy.complaint {
            try await Toy.configuration(
                environment: [
                    "SWITCHYARD_STORE_URL": "sqlite:/data/a.sqlite",
                    "SWITCHYARD_STORE_SQLITE_PATH": "/data/b.sqlite",
                ])
        }
        #expect(
            message
                == "The setting store.sqlite.path is given twice with different values: by the environment variable "
                + "SWITCHYARD_STORE_SQLITE_PATH, and by the environment variable SWITCHYARD_STORE_URL (as part of store.url). "
                + "Leave one of them out.")
        let same = try await Toy.configuration(
            environment: [
                "SWITCHYARD_STORE_URL": "sqlite:/data/a", "SWITCHYARD_STORE_SQLITE_PATH": "/data/a",
            ])
        #expect(same.settings.text("path") == "/data/a")
    }

    @Test("the app's default URL overrides the plugin's default for one of its parts")
    func defaultURL() async throws {
        let configuration = try await Toy.configuration(defaults: [
            "store.url": "postgres://db.example:6543/baby"
        ])
        #expect(configuration.settings.integer("port") == 6543)
        #expect(configuration.settings.text("host") == "db.example")
    }

    @Test("an unknown or missing scheme is an error that lists the backends")
    func unknownScheme() async throws {
        #expect(
            try await Toy.complaint { try await Toy.configuration(flags: ["store.url": "sqllite:/data/a"]) }
                == "The store `sqllite:/data/a` names no known backend. Did you mean `sqlite`? The backends are: sqlite, "
                + "postgres, memory. It was given by the flag --store.")
        #expect(
            try await Toy.complaint { try await Toy.configuration(flags: ["store.url": "/data/a.sqlite"]) }
                == "The store `/data/a.sqlite` has no scheme: a store's URL begins with the backend and a colon, such as "
                + "`sqlite:/…`. The backends are: sqlite, postgres, memory. It was given by the flag --store."
        )
        #expect(
            try await Toy.complaint { try await Toy.configuration(flags: ["store.url": "memory"]) }
                == "The store `memory` has no scheme: a store's URL begins with the backend and a colon, such as "
                + "`memory:…`. The backends are: sqlite, postgres, memory. It was given by the flag --store.")
    }

    @Test("a URL that its plugin refuses names its source and shows no password")
    func refused() async throws {
        let message = try await Toy.complaint {
            try await Toy.configuration(
                environment: ["SWITCHYARD_STORE_URL": "postgres://mia:geheim@:x/y"])
        }
        #expect(
            message
                == "The URL `postgres://mia:***@:x/y` names no server. It was given by the environment variable "
                + "SWITCHYARD_STORE_URL.")
    }

    @Test("a URL with an unknown parameter is an error")
    func unknownParameter() async throws {
        let message = try await Toy.complaint {
            try await Toy.configuration(flags: ["store.url": "postgres://h/db?sslmod=require"])
        }
        #expect(
            message.hasPrefix(
                "There is no setting store.postgres.sslmod. Did you mean `store.postgres.sslmode`?"))
        #expect(message.hasSuffix("It was given by the flag --store (as part of store.url)."))
    }
}
