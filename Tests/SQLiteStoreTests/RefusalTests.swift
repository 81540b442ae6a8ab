import Foundation
import GRDB
import GRDBSQLite
import SQLiteStore
import SwitchyardCore
import Testing

@Suite("Refused SQLite files")
struct RefusalTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Opens a file that must be refused, and checks that nothing in the directory has changed.
    private func refusal(_ schema: Schema? = nil, options: OpenOptions = OpenOptions()) async throws
        -> StoreError?
    {
        let before = try directory.contents()
        let error = await #expect(throws: StoreError.self) {
            _ = try await openStore(directory.file(), schema: schema, options: options)
        }
        #expect(try directory.contents() == before)
        return error
    }

    @Test("an SQLite store refuses an empty file unchanged")
    func empty() async throws {
        try Data().write(to: URL(fileURLWithPath: directory.file()))
        #expect(try await refusal()?.code == .notAStore)
    }

    @Test("an SQLite store refuses a file that is not a database unchanged")
    func notADatabase() async throws {
        try Data(repeating: 65, count: 5000).write(to: URL(fileURLWithPath: directory.file()))
        #expect(try await refusal()?.code == .notAStore)
    }

    @Test("an SQLite store refuses a directory")
    func notAFile() async throws {
        try FileManager.default.createDirectory(atPath: directory.file(), withIntermediateDirectories: false)
        #expect(try await refusal()?.code == .notAStore)
    }

    @Test("an SQLite store refuses a truncated file unchanged")
    func truncated() async throws {
        try await directory.makeStore()
        let whole = try Data(contentsOf: URL(fileURLWithPath: directory.file()))
        try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: directory.file()))
        #expect(try await refusal()?.code == .corrupted)
    }

    @Test("an SQLite store of a newer schema is refused unchanged")
    func tooNew() async throws {
        try await directory.makeStore(version: 2)
        #expect(try await refusal()?.code == .schemaTooNew)
    }

    @Test("an SQLite store of an older schema is refused unchanged")
    func tooOld() async throws {
        try await directory.makeStore()
        #expect(try await refusal(.people(version: 2))?.code == .schemaMismatch)
    }

    @Test("a missing SQLite store that must not be created is an error")
    func missing() async throws {
        let error = try await refusal(options: OpenOptions(createsIfMissing: false))
        #expect(error?.code == .notFound)
        let reading = try await refusal(options: OpenOptions(access: .readOnly))
        #expect(reading?.code == .notFound)
    }

    @Test("the WAL of a missing database is refused unchanged")
    func orphanedLog() async throws {
        try Data([1]).write(to: URL(fileURLWithPath: directory.file() + "-wal"))
        #expect(try await refusal()?.code == .notAStore)
    }

    @Test("a store on a file system without WAL support is refused unchanged")
    func noLog() async throws {
        await #expect(processExitsWith: .success) {
            for readers in ["0", "5"] {
                let directory = try TemporaryDirectory()
                try await directory.makeStore()
                let other = try DatabaseQueue(path: directory.file())
                try other.inDatabase { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
                try other.close()
                // It locks by files, and has no shared memory.
                try #require(sqlite3_vfs_register(sqlite3_vfs_find("unix-dotfile"), 1) == SQLITE_OK)
                let error = await #expect(throws: StoreError.self) {
                    _ = try await openStore(directory.file(), settings: ["readers": readers])
                }
                #expect(error?.code == .unsupported)
                #expect(error?.message.contains("Give a path on a disk of this machine") == true)
                #expect(try directory.names() == ["store.sqlite"])
                try #require(sqlite3_vfs_register(sqlite3_vfs_find("unix"), 1) == SQLITE_OK)
            }
        }
    }

    @Test("opening an SQLite store read-only changes nothing")
    func readOnly() async throws {
        try await directory.makeStore()
        let before = try directory.contents()
        let store = try await openStore(directory.file(), options: OpenOptions(access: .readOnly))
        #expect(try await store.read { try $0.fetch(Person.all).map(\.name) } == ["Mia"])
        #expect(
            await #expect(throws: StoreError.self) {
                try await store.write { _ = try $0.insert(Person("Leo")) }
            }?.code == .readOnly)
        try await store.close()
        #expect(try directory.contents() == before)
    }
}
