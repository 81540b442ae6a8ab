import Foundation
import SwitchyardAppGroup
import SwitchyardConfiguration
import SwitchyardCore
import Testing
import ToyPlugins

@Suite("Precedence of configuration sources")
struct ConfigurationPrecedenceTests {
    /// All sources below `first`, each with a value of its own for the user's name.
    private func user(from first: Int) async throws -> (String?, SettingOrigin?) {
        try await Toy.inDirectory { directory in
            let file = directory + "/toy.json"
            let secrets = directory + "/secrets"
            try Toy.write(
                first > 3 ? "{}" : #"{"store": {"postgres": {"user": "from-file"}}}"#, file)
            try FileManager.default.createDirectory(atPath: secrets, withIntermediateDirectories: true)
            if first <= 2 { try Toy.write("from-secrets\n", secrets + "/store-postgres-user") }
            let configuration = try await Toy.configuration(
                flags: first > 0 ? [:] : ["store.postgres.user": "from-flag"],
                environment: first > 1 ? [:] : ["SWITCHYARD_STORE_POSTGRES_USER": "from-environment"],
                file: file, secrets: secrets,
                defaults: ["store.backend": "postgres", "store.postgres.user": "from-default"])
            let entry = configuration.explanation.entries.first { $0.key == "store.postgres.user" }
            return (configuration.settings.text("user"), entry?.origin)
        }
    }

    @Test("a flag overrides all other sources")
    func flag() async throws {
        let (value, origin) = try await user(from: 0)
        #expect(value == "from-flag")
        #expect(origin?.source == .flag)
        #expect(origin?.description == "flag --store.postgres.user")
    }

    @Test("the environment overrides the secrets directory, the file and the defaults")
    func environment() async throws {
        let (value, origin) = try await user(from: 1)
        #expect(value == "from-environment")
        #expect(origin?.description == "environment variable SWITCHYARD_STORE_POSTGRES_USER")
    }

    @Test("the secrets directory overrides the file and the defaults")
    func secrets() async throws {
        let (value, origin) = try await user(from: 2)
        #expect(value == "from-secrets")
        #expect(origin?.source == .secret)
        #expect(origin?.name?.hasSuffix("/secrets/store-postgres-user") == true)
    }

    @Test("the file overrides the defaults")
    func file() async throws {
        let (value, origin) = try await user(from: 3)
        #expect(value == "from-file")
        #expect(origin?.source == .file)
        #expect(origin?.name?.hasSuffix("/toy.json") == true)
        #expect(origin?.line == 1)
    }

    @Test("a default applies if nothing is given")
    func defaults() async throws {
        let (value, origin) = try await user(from: 4)
        #expect(value == "from-default")
        #expect(origin == SettingOrigin(.default))
    }

    @Test("the app's default overrides the plugin's")
    func appDefault() async throws {
        let plain = try await Toy.configuration(defaults: ["store.backend": "postgres"])
        #expect(plain.settings.integer("port") == 5432)
        let chosen = try await Toy.configuration(
            defaults: ["store.backend": "postgres", "store.postgres.port": "6000"])
        #expect(chosen.settings.integer("port") == 6000)
    }

    @Test("the app's defaults can depend on the app's own settings")
    func dependentDefaults() async throws {
        let sources = ConfigurationSources(environment: ["SWITCHYARD_PROFILE": "debug", "HOME": "/home/mia"])
        let configuration = try await StoreConfiguration(
            registry: Toy.registry(), keys: Toy.appKeys, sources: sources
        ) { values in
            let profile = try values.profile(among: Toy.profiles)
            let container = try values.container(of: profile, environment: sources.environment)
            return ["store.backend": "sqlite", "store.sqlite.path": container.path(of: "toy.sqlite")]
        }
        #expect(configuration.backend == "sqlite")
        #if !canImport(Darwin)
            #expect(
                configuration.settings.text("path")
                    == "/home/mia/.local/share/app-groups/group.toy.dev/toy.sqlite")
        #endif
    }

    @Test("text from the environment is parsed as the type of the setting")
    func kinds() async throws {
        let configuration = try await Toy.configuration(
            environment: [
                "SWITCHYARD_STORE_BACKEND": "sqlite",
                "SWITCHYARD_STORE_SQLITE_PATH": "/data/a.sqlite",
                "SWITCHYARD_STORE_SQLITE_READERS": "+08",
                "SWITCHYARD_STORE_SQLITE_BUSY_TIMEOUT": "0.25",
                "SWITCHYARD_STORE_SQLITE_VACUUM": "Yes",
                "SWITCHYARD_FEED_RETRIES": "3",
            ])
        #expect(configuration.settings.integer("readers") == 8)
        #expect(configuration.settings.seconds("busyTimeout") == 0.25)
        #expect(configuration.settings.flag("vacuum"))
        #expect(configuration.settings.text("journal") == "wal")
        #expect(configuration.values.integer("feed.retries") == 3)
        #expect(configuration.values.text("profile") == "release")
        #expect(configuration.values.text("feed.token") == nil)
    }

    @Test(
        "a flag can be written in several ways",
        arguments: [
            ("true", true), ("TRUE", true), ("yes", true), ("on", true), ("1", true),
            ("false", false), ("No", false), ("off", false), ("0", false),
        ])
    func truth(text: String, expected: Bool) async throws {
        let configuration = try await Toy.configuration(
            flags: ["store.url": "sqlite:a", "store.sqlite.vacuum": text])
        #expect(configuration.settings.flag("vacuum") == expected)
    }
}
