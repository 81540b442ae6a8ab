import SwitchyardCore
import Testing
import ToyPlugins

@Suite("The plugin registry")
struct RegistryTests {
    /// A plugin whose scheme is another one's alias.
    enum Other: StorePlugin {
        static let scheme = "postgresql"
        static let settings: [SettingKey] = []
        static func settings(fromURL url: String) throws -> [String: String] { [:] }
        static func open(_ settings: StoreSettings, schema: Schema, options: OpenOptions) async throws
            -> any Store
        {
            ToyStore(schema: schema, location: "", backend: scheme)
        }
    }

    /// A plugin with a scheme that no URL could have.
    enum Capital: StorePlugin {
        static let scheme = "SQL"
        static let settings: [SettingKey] = []
        static func settings(fromURL url: String) throws -> [String: String] { [:] }
        static func open(_ settings: StoreSettings, schema: Schema, options: OpenOptions) async throws
            -> any Store
        {
            ToyStore(schema: schema, location: "", backend: scheme)
        }
    }

    /// A plugin with a default that its own setting does not take.
    enum Contradictory: StorePlugin {
        static let scheme = "odd"
        static let settings = [SettingKey("size", .integer(1...2), default: "3", summary: "A mistake.")]
        static func settings(fromURL url: String) throws -> [String: String] { [:] }
        static func open(_ settings: StoreSettings, schema: Schema, options: OpenOptions) async throws
            -> any Store
        {
            ToyStore(schema: schema, location: "", backend: scheme)
        }
    }

    @Test("the registry finds plugins by scheme and by alias")
    func find() throws {
        let registry = try Toy.registry()
        #expect(registry.schemes == ["sqlite", "postgres", "memory"])
        #expect(try registry.plugin("postgres").scheme == "postgres")
        #expect(try registry.plugin("postgresql").scheme == "postgres")
        #expect(try registry.plugin(forURL: "MEMORY:").scheme == "memory")
    }

    @Test("two plugins with one scheme are refused")
    func duplicates() async throws {
        #expect(
            try await Toy.complaint { try PluginRegistry([ToySQLite.self, ToySQLite.self]) }
                == "The scheme `sqlite` belongs to two plugins, ToySQLite and ToySQLite. Register one of them."
        )
        #expect(
            try await Toy.complaint { try PluginRegistry([ToyPostgres.self, Other.self]) }
                == "The scheme `postgresql` belongs to two plugins, ToyPostgres and Other. Register one of them."
        )
    }

    @Test("a plugin with an invalid scheme or default is refused")
    func declarations() async throws {
        #expect(
            try await Toy.complaint { try PluginRegistry([Capital.self]) }
                == "The plugin Capital has the scheme `SQL`. A scheme is made of lower-case letters and digits, begins with a "
                + "letter, and is neither `backend` nor `url`.")
        #expect(
            try await Toy.complaint { try PluginRegistry([Contradictory.self]) }
                == "The setting store.odd.size cannot be `3`; it takes a whole number from 1 to 2.")
    }

    @Test("an unknown scheme lists what exists")
    func unknown() async throws {
        let registry = try Toy.registry()
        #expect(
            try await Toy.complaint { try registry.plugin("sqllite") }
                == "There is no backend `sqllite`. Did you mean `sqlite`? The backends are: sqlite, postgres, memory."
        )
        let empty = try PluginRegistry([])
        #expect(
            try await Toy.complaint { try empty.plugin("sqlite") }
                == "There is no backend `sqlite`. No backend is registered.")
    }

    @Test("the registry opens a store by URL, with a schema or a version of one")
    func open() async throws {
        let registry = try Toy.registry()
        let named = try await registry.open(url: "postgresql://db.example/baby", schema: ToySchema.self)
        #expect(named.info == StoreInfo(backend: "postgres", location: "db.example"))
        #expect(named.schema.version == SchemaVersion(1))
        let same = try await registry.open(url: "postgresql://db.example/baby", schema: ToySchema.schema)
        #expect(same.info.location == "db.example")
        let home = try await registry.open(
            url: "sqlite:~/a.sqlite", schema: ToySchema.self, home: "/home/mia")
        #expect(home.info.location == "/home/mia/a.sqlite")
    }

    @Test("settings given in code are checked as those of a configuration are")
    func settings() async throws {
        let settings = try StoreSettings(
            ["readers": "08", "vacuum": "ON", "path": "~/a"], for: ToySQLite.self, home: "/h")
        #expect(settings.integer("readers") == 8)
        #expect(settings.flag("vacuum"))
        #expect(settings.text("path") == "/h/a")
        #expect(settings.seconds("busyTimeout") == 5)
        #expect(
            try await Toy.complaint { try StoreSettings(["reader": "8"], for: ToySQLite.self) }
                == "There is no setting store.sqlite.reader. Did you mean `store.sqlite.readers`? There are: "
                + "store.sqlite.path, store.sqlite.busyTimeout, store.sqlite.readers, store.sqlite.vacuum, "
                + "store.sqlite.journal.")
        #expect(
            try await Toy.complaint { try StoreSettings(["path": "a"], for: ToyMemory.self) }
                == "There is no setting store.memory.path; the backend memory has none.")
    }
}
