import Foundation
import GRDB
import SQLiteStore
import SwitchyardCore
import Testing

@Suite("URLs and settings of SQLite stores")
struct SettingsTests {
    @Test(
        "the path of an sqlite URL is taken literally",
        arguments: [
            ("sqlite:a.sqlite", "a.sqlite"), ("sqlite:/data/a b.sqlite", "/data/a b.sqlite"),
            ("sqlite3:~/a.sqlite", "~/a.sqlite"), ("sqlite:///data/a.sqlite", "/data/a.sqlite"),
            ("SQLITE:a%20b", "a%20b"), ("sqlite:/data/#1 100%.sqlite", "/data/#1 100%.sqlite"),
        ])
    func url(url: String, path: String) throws {
        #expect(try SQLitePlugin.settings(fromURL: url) == ["path": path])
    }

    @Test("an sqlite URL with three slashes decodes escapes, and takes settings after the question mark")
    func query() throws {
        #expect(
            try SQLitePlugin.settings(fromURL: "sqlite:///data/a%20b%3F%25.sqlite") == [
                "path": "/data/a b?%.sqlite"
            ])
        #expect(
            try SQLitePlugin.settings(
                fromURL: "sqlite:///data/a.sqlite?busyTimeout=1&synchronous=full&readers=%33") == [
                    "path": "/data/a.sqlite", "busyTimeout": "1", "synchronous": "full", "readers": "3",
                ])
        #expect(try SQLitePlugin.settings(fromURL: "sqlite:///data/a.sqlite?") == ["path": "/data/a.sqlite"])
    }

    @Test(
        "an sqlite URL with a host, without a path or with an invalid query is refused",
        arguments: [
            ("sqlite:", "names no file"), ("sqlite://host/a.sqlite", "has no host"),
            ("sqlite://", "has no host"),
            ("postgres:a", "`sqlite:` and the path"), ("a", "`sqlite:` and the path"),
            ("sqlite:S/p.sqlite?busyTimeout=1", "`sqlite:///ABSOLUTE/PATH?busyTimeout=1`"),
            (
                "sqlite:///a?busytimeout=1",
                "takes busyTimeout, readers, synchronous, suspension, each as NAME=VALUE"
            ),
            ("sqlite:///a?path=/b", "takes busyTimeout"), ("sqlite:///a?readers", "takes busyTimeout"),
            ("sqlite:///a?readers=1&readers=2", "gives readers twice"),
            ("sqlite:///a%ZZ", "The path in the SQLite URL is not percent-encoded"),
            ("sqlite:///a?readers=%", "The readers in the SQLite URL is not percent-encoded"),
        ])
    func refused(url: String, words: String) {
        let error = #expect(throws: StoreError.self) { try SQLitePlugin.settings(fromURL: url) }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains(words) == true, "\(String(describing: error))")
    }

    @Test("an sqlite URL of a store in memory names the memory plugin")
    func memory() async {
        #expect(
            await #expect(throws: StoreError.self) { _ = try await openStore(":memory:") }?.code
                == .configuration)
    }

    @Test("the SQLite plugin accepts full synchronisation")
    func synchronous() async throws {
        let directory = try TemporaryDirectory()
        let store = try await openStore(directory.file(), settings: ["synchronous": "full"])
        let mode = try await store.connection?.writeWithoutTransaction {
            try Int.fetchOne($0, sql: "PRAGMA synchronous")
        }
        #expect(mode == 2)
        try await store.close()
    }

    @Test("a store without readers has one connection, and leaves a whole file when it closes")
    func noReaders() async throws {
        let directory = try TemporaryDirectory()
        let store = try await openStore(directory.file(), settings: ["readers": "0"])
        try await store.write { _ = try $0.insert(Person("Mia")) }
        #expect(try await store.read { try $0.count(Person.all) } == 1)
        #expect(store.connection is DatabaseQueue)
        let modes = try await store.connection?.writeWithoutTransaction {
            [
                try String.fetchOne($0, sql: "PRAGMA journal_mode"),
                try String.fetchOne($0, sql: "PRAGMA synchronous"),
            ]
        }
        #expect(modes == ["wal", "1"])
        try await store.close()
        #expect(!FileManager.default.fileExists(atPath: directory.file() + "-wal"))
        let pool = try await openStore(directory.file())
        #expect(try await pool.read { try $0.count(Person.all) } == 1)
        #expect(pool.connection is DatabasePool)
        try await pool.close()
    }

    @Test("a store without readers checkpoints a long WAL")
    func noReadersCheckpoint() async throws {
        let directory = try TemporaryDirectory()
        let store = try await openStore(directory.file(), settings: ["readers": "0"])
        try await store.write { transaction in
            try transaction.insert(contentsOf: (0..<40_000).lazy.map { Person("\($0)") })
        }
        let size = try FileManager.default.attributesOfItem(atPath: directory.file())[.size] as? Int
        #expect(try #require(size) > 4_000_000)
        try await store.close()
    }

    @Test(
        "the location of an SQLite store is a URL that leads to the same file",
        arguments: [
            ("/data/a.sqlite", "sqlite:/data/a.sqlite"),
            ("/data/./b/../a b.sqlite", "sqlite:/data/a b.sqlite"),
            ("/data/#1 100%.sqlite", "sqlite:/data/#1 100%.sqlite"),
            ("/data/was?.sqlite", "sqlite:///data/was%3F.sqlite"),
            ("/ä/b?%.sqlite", "sqlite:///%C3%A4/b%3F%25.sqlite"),
        ])
    func location(path: String, url: String) throws {
        let settings = try StoreSettings(["path": path, "busyTimeout": "1"], for: SQLitePlugin.self)
        #expect(SQLitePlugin.location(of: settings) == url)
        let again = try StoreSettings(SQLitePlugin.settings(fromURL: url), for: SQLitePlugin.self)
        #expect(SQLitePlugin.location(of: again) == url)
        #expect(try SQLitePlugin.settings(fromURL: url)["path"] == path.replacing("./b/../", with: ""))
    }
}
