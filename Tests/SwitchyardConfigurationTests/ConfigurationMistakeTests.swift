import SwitchyardConfiguration
import SwitchyardCore
import Testing
import ToyPlugins

@Suite("Mistakes in a configuration")
struct ConfigurationMistakeTests {
    @Test("a misspelt backend names its source and the nearest backend")
    func backend() async throws {
        #expect(
            try await Toy.complaint {
                try await Toy.configuration(environment: ["SWITCHYARD_STORE_BACKEND": "postgers"])
            }
                == "There is no backend `postgers`. Did you mean `postgres`? The backends are: sqlite, postgres, memory. "
                + "It was given by the environment variable SWITCHYARD_STORE_BACKEND.")
        #expect(
            try await Toy.complaint { try await Toy.configuration(flags: ["store.backend": "oracle"]) }
                == "There is no backend `oracle`. The backends are: sqlite, postgres, memory. It was given by the flag "
                + "--store.backend.")
    }

    @Test("a configuration without a backend is an error, never a default")
    func noBackend() async throws {
        #expect(
            try await Toy.complaint { try await Toy.configuration() }
                == "No store is chosen. Set store.backend to one of sqlite, postgres, memory, or store.url to a URL that "
                + "begins with one of them and a colon.")
    }

    @Test("a misspelt environment variable names the nearest one")
    func environmentKey() async throws {
        #expect(
            try await Toy.complaint {
                try await Toy.configuration(
                    flags: ["store.url": "memory:"], environment: ["SWITCHYARD_STORE_SQLITE_PAHT": "/data/a"])
            }
                == "The environment variable `SWITCHYARD_STORE_SQLITE_PAHT` is not a known setting. Did you mean "
                + "`SWITCHYARD_STORE_SQLITE_PATH`? There are: SWITCHYARD_STORE_SQLITE_PATH, SWITCHYARD_STORE_SQLITE_BUSY_…, "
                + "SWITCHYARD_STORE_SQLITE_READERS, SWITCHYARD_STORE_SQLITE_VACUUM, SWITCHYARD_STORE_SQLITE_JOURNAL."
        )
        let lowerCase = try await Toy.complaint {
            try await Toy.configuration(
                flags: ["store.url": "memory:"], environment: ["switchyard_profile": "debug"])
        }
        #expect(lowerCase.contains("Did you mean `SWITCHYARD_PROFILE`?"))
    }

    @Test("foreign variables, and those on the caller's list, are ignored")
    func ignoredEnvironment() async throws {
        let configuration = try await Toy.configuration(
            flags: ["store.url": "memory:"],
            environment: [
                "PATH": "/bin", "SWITCHYARD_TEST_SEED": "1", "SWITCHYARD_TRACE": "1", "SWITCHYARDX": "",
            ],
            ignored: ["SWITCHYARD_TEST_*", "SWITCHYARD_TRACE"])
        #expect(configuration.backend == "memory")
    }

    @Test("an unknown key of a flag names the nearest one")
    func flagKey() async throws {
        #expect(
            try await Toy.complaint { try await Toy.configuration(flags: ["profil": "debug"]) }
                == "The flag --profil sets the unknown key `profil`. Did you mean `profile`? There are: config.…, profile, "
                + "app.…, feed.…, store.….")
    }

    @Test("two flags that set one key to different values are an error")
    func flagTwice() async throws {
        let sources = ConfigurationSources(flags: [
            .init("--store", key: "store.url", value: "memory:"),
            .init("-s", key: "store.url", value: "sqlite:a"),
        ])
        let registry = try Toy.registry()
        #expect(
            try await Toy.complaint { try await StoreConfiguration(registry: registry, sources: sources) }
                == "The setting store.url was given twice with different values, by the flags --store and -s. Give it once."
        )
    }

    @Test(
        "an invalid value names the key, the source and the allowed values",
        arguments: [
            (
                "SWITCHYARD_STORE_POSTGRES_PORT", "5433x",
                "store.postgres.port cannot be `5433x`; it takes a whole number from 1 to 65535."
            ),
            (
                "SWITCHYARD_STORE_POSTGRES_PORT", "0",
                "store.postgres.port cannot be `0`; it takes a whole number from 1 to 65535."
            ),
            (
                "SWITCHYARD_STORE_POSTGRES_PORT", "99999999999999999999",
                "store.postgres.port cannot be `99999999999999999999`; it takes a whole number from 1 to 65535."
            ),
            (
                "SWITCHYARD_STORE_POSTGRES_PORT", "5433.0",
                "store.postgres.port cannot be `5433.0`; it takes a whole number from 1 to 65535."
            ),
            (
                "SWITCHYARD_STORE_SQLITE_BUSY_TIMEOUT", "nan",
                "store.sqlite.busyTimeout cannot be `nan`; it takes a number of seconds from 0.0 to 60.0."
            ),
            (
                "SWITCHYARD_STORE_SQLITE_BUSY_TIMEOUT", "5s",
                "store.sqlite.busyTimeout cannot be `5s`; it takes a number of seconds from 0.0 to 60.0."
            ),
            (
                "SWITCHYARD_STORE_SQLITE_VACUUM", "2",
                "store.sqlite.vacuum cannot be `2`; it takes true or false."
            ),
            (
                "SWITCHYARD_STORE_SQLITE_JOURNAL", "wall",
                "store.sqlite.journal cannot be `wall`; it takes one of wal, delete. Did you mean `wal`?"
            ),
            (
                "SWITCHYARD_STORE_SQLITE_PATH", "",
                "store.sqlite.path cannot be empty; it takes the path of a file or directory."
            ),
            (
                "SWITCHYARD_STORE_POSTGRES_HOST", "a\u{0}b",
                "store.postgres.host cannot be `a\\0b`; it takes text that is not empty."
            ),
            (
                "SWITCHYARD_PROFILE", "debgu",
                "profile cannot be `debgu`; it takes one of debug, release. Did you mean `debug`?"
            ),
            (
                "SWITCHYARD_PROFILE", "Debug",
                "profile cannot be `Debug`; it takes one of debug, release. Did you mean `debug`?"
            ),
            ("SWITCHYARD_FEED_TOKEN", "", "feed.token cannot be empty; it takes text that is not empty."),
        ])
    func value(variable: String, text: String, expected: String) async throws {
        let message = try await Toy.complaint {
            try await Toy.configuration(flags: ["store.url": "memory:"], environment: [variable: text])
        }
        #expect(message == "The setting \(expected) It was given by the environment variable \(variable).")
    }

    @Test("a password given under the wrong key is not shown")
    func misplacedPassword() async throws {
        let message = try await Toy.complaint {
            try await Toy.configuration(environment: [
                "SWITCHYARD_STORE_BACKEND": "postgres://mia:geheim@h/db"
            ])
        }
        #expect(message.hasPrefix("There is no backend `postgres://mia:***@h/db`. The backends are:"))
    }

    @Test("a default of the app for an unknown key is an error")
    func unknownDefault() async throws {
        let message = try await Toy.complaint {
            try await Toy.configuration(defaults: ["store.sqlite.file": "/a"])
        }
        #expect(message.hasPrefix("The app gives a default for the unknown key `store.sqlite.file`."))
    }

    @Test("an invalid default says that it is the default")
    func malformedDefault() async throws {
        let message = try await Toy.complaint {
            try await Toy.configuration(defaults: ["store.backend": "sqlite", "store.sqlite.readers": "many"])
        }
        #expect(
            message
                == "The setting store.sqlite.readers cannot be `many`; it takes a whole number from 1 to 16. It is the "
                + "default.")
    }

    @Test("a path that begins with ~ needs a home directory")
    func home() async throws {
        let configuration = try await Toy.configuration(
            flags: ["store.url": "sqlite:~/a.sqlite"], environment: ["HOME": "/home/mia"])
        #expect(configuration.settings.text("path") == "/home/mia/a.sqlite")
        #expect(
            try await Toy.complaint { try await Toy.configuration(flags: ["store.url": "sqlite:~/a.sqlite"]) }
                == "The setting store.sqlite.path begins with `~`, but no home directory is known (HOME). Write the whole "
                + "path. It was given by the flag --store (as part of store.url).")
        #expect(
            try await Toy.complaint {
                try await Toy.configuration(
                    flags: ["store.url": "sqlite:~mia/a"], environment: ["HOME": "/home/mia"])
            }.contains("only `~/` is read as a home directory"))
    }

    @Test("a required setting that is missing names its key")
    func missing() async throws {
        let configuration = try await Toy.configuration(flags: ["store.backend": "sqlite"])
        #expect(
            try await Toy.complaint { try configuration.settings.requiredText("path") }
                == "The setting store.sqlite.path is missing; give it a value.")
        #expect(
            try await Toy.complaint { try configuration.values.requiredText("feed.retries") }
                == "The setting feed.retries is missing; give it a value.")
    }

    @Test(
        "an invalid or reserved key of an app is refused",
        arguments: [
            "store.extra", "store", "profile.name", "bad key", "", "a..b", "1a", "feed_retries",
            "config.file",
        ])
    func declaration(name: String) async throws {
        let registry = try Toy.registry()
        let keys = Toy.appKeys + [SettingKey(name, .text, summary: "A mistake.")]
        let sources = ConfigurationSources(flags: [.init("--store", key: "store.url", value: "memory:")])
        _ = try await Toy.complaint {
            try await StoreConfiguration(registry: registry, keys: keys, sources: sources)
        }
    }
}
