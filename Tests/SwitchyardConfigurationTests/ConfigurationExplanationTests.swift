import Foundation
import SwitchyardConfiguration
import SwitchyardCore
import Testing
import ToyPlugins

@Suite("The explanation of a configuration")
struct ConfigurationExplanationTests {
    @Test("the explanation shows each key with its value and source, or the variable that would set it")
    func table() async throws {
        let configuration = try await Toy.configuration(
            flags: ["store.url": "postgres://mia:geheim@db.example/baby"],
            environment: ["SWITCHYARD_STORE_SQLITE_READERS": "8", "SWITCHYARD_FEED_TOKEN": "geheim"],
            defaults: ["store.backend": "sqlite"])
        #expect(
            configuration.explanation.description == """
                config.file                 (not set)                           would be set by SWITCHYARD_CONFIG_FILE
                config.secrets              (not set)                           would be set by SWITCHYARD_CONFIG_SECRETS
                profile                     release                             default
                app.groups.root             (not set)                           would be set by SWITCHYARD_APP_GROUPS_ROOT
                feed.retries                (not set)                           would be set by SWITCHYARD_FEED_RETRIES
                feed.token                  (hidden)                            environment variable SWITCHYARD_FEED_TOKEN
                store.backend               postgres                            flag --store (as part of store.url)
                store.url                   postgres://mia:***@db.example/baby  flag --store
                store.mirror.url            (not set)                           would be set by SWITCHYARD_STORE_MIRROR_URL
                store.mirror.token          (not set)                           would be set by SWITCHYARD_STORE_MIRROR_TOKEN
                store.mirror.scope          (not set)                           would be set by SWITCHYARD_STORE_MIRROR_SCOPE
                store.mirror.device         (not set)                           would be set by SWITCHYARD_STORE_MIRROR_DEVICE
                store.sqlite.path           (not set)                           would be set by SWITCHYARD_STORE_SQLITE_PATH
                store.sqlite.busyTimeout    5                                   default (not used)
                store.sqlite.readers        8                                   environment variable SWITCHYARD_STORE_SQLITE_READERS (not used)
                store.sqlite.vacuum         false                               default (not used)
                store.sqlite.journal        wal                                 default (not used)
                store.postgres.url          (not set)                           would be set by SWITCHYARD_STORE_POSTGRES_URL
                store.postgres.host         db.example                          flag --store (as part of store.url)
                store.postgres.port         5432                                default
                store.postgres.database     baby                                flag --store (as part of store.url)
                store.postgres.user         mia                                 flag --store (as part of store.url)
                store.postgres.password     (hidden)                            flag --store (as part of store.url)
                store.postgres.sslmode      (not set)                           would be set by SWITCHYARD_STORE_POSTGRES_SSLMODE
                store.postgres.certificate  (not set)                           would be set by SWITCHYARD_STORE_POSTGRES_CERTIFICATE
                """)
    }

    @Test("the explanation as JSON lists all keys, with the variable that sets each")
    func json() async throws {
        let configuration = try await Toy.configuration(flags: ["store.url": "memory:"])
        #expect(
            configuration.explanation.entries.map(\.variable) == [
                "SWITCHYARD_CONFIG_FILE", "SWITCHYARD_CONFIG_SECRETS", "SWITCHYARD_PROFILE",
                "SWITCHYARD_APP_GROUPS_ROOT",
                "SWITCHYARD_FEED_RETRIES", "SWITCHYARD_FEED_TOKEN", "SWITCHYARD_STORE_BACKEND",
                "SWITCHYARD_STORE_URL", "SWITCHYARD_STORE_MIRROR_URL", "SWITCHYARD_STORE_MIRROR_TOKEN",
                "SWITCHYARD_STORE_MIRROR_SCOPE", "SWITCHYARD_STORE_MIRROR_DEVICE",
                "SWITCHYARD_STORE_SQLITE_PATH", "SWITCHYARD_STORE_SQLITE_BUSY_TIMEOUT",
                "SWITCHYARD_STORE_SQLITE_READERS",
                "SWITCHYARD_STORE_SQLITE_VACUUM", "SWITCHYARD_STORE_SQLITE_JOURNAL",
                "SWITCHYARD_STORE_POSTGRES_URL",
                "SWITCHYARD_STORE_POSTGRES_HOST", "SWITCHYARD_STORE_POSTGRES_PORT",
                "SWITCHYARD_STORE_POSTGRES_DATABASE",
                "SWITCHYARD_STORE_POSTGRES_USER", "SWITCHYARD_STORE_POSTGRES_PASSWORD",
                "SWITCHYARD_STORE_POSTGRES_SSLMODE",
                "SWITCHYARD_STORE_POSTGRES_CERTIFICATE",
            ])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let entry = try #require(configuration.explanation.entries.first { $0.key == "store.backend" })
        #expect(
            String(decoding: try encoder.encode(entry), as: UTF8.self)
                == #"{"isDefault":false,"isSecret":false,"isUsed":true,"key":"store.backend","#
                + #""origin":{"name":"--store","source":"flag","url":"store.url"},"#
                + #""summary":"The backend that holds the data.","value":"memory","variable":"SWITCHYARD_STORE_BACKEND"}"#
        )
        let unset = try #require(configuration.explanation.entries.first { $0.key == "store.sqlite.path" })
        #expect(unset.value == nil)
        #expect(unset.origin == nil)
    }

    @Test("the explanation shows an alias of a backend as its scheme")
    func alias() async throws {
        let configuration = try await Toy.configuration(environment: [
            "SWITCHYARD_STORE_BACKEND": "postgresql"
        ])
        #expect(configuration.backend == "postgres")
        let entry = configuration.explanation.entries.first { $0.key == "store.backend" }
        #expect(entry?.value == "postgres")
        #expect(entry?.origin?.description == "environment variable SWITCHYARD_STORE_BACKEND")
    }
}
