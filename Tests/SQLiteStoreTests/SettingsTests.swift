import GRDB
import SQLiteStore
import SwitchyardCore
import Testing

@Suite("URLs and settings of SQLite stores")
struct SettingsTests {
    @Test(
        "the path is taken as it is written",
        arguments: [
            ("sqlite:a.sqlite", "a.sqlite"), ("sqlite:/data/a b.sqlite", "/data/a b.sqlite"),
            ("sqlite3:~/a.sqlite", "~/a.sqlite"), ("sqlite:///data/a.sqlite", "/data/a.sqlite"),
            ("SQLITE:a%20b", "a%20b"),
        ])
    func url(url: String, path: String) throws {
        #expect(try SQLitePlugin.settings(fromURL: url) == ["path": path])
    }

    @Test(
        "a host or no path is refused",
        arguments: ["sqlite:", "sqlite://host/a.sqlite", "sqlite://", "postgres:a", "a"])
    func refused(url: String) {
        #expect(throws: StoreError.self) { try SQLitePlugin.settings(fromURL: url) }
    }

    @Test("a store in memory is another plugin's")
    func memory() async {
        #expect(
            await #expect(throws: StoreError.self) { _ = try await openStore(":memory:") }?.code
                == .configuration)
    }

    @Test("full synchronisation can be asked for")
    func synchronous() async throws {
        let directory = try TemporaryDirectory()
        let store = try await openStore(directory.file(), settings: ["synchronous": "full"])
        let mode = try await store.connection?.writeWithoutTransaction {
            try Int.fetchOne($0, sql: "PRAGMA synchronous")
        }
        #expect(mode == 2)
        try await store.close()
    }
}
