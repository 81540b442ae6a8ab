import Foundation
import GRDB
import GRDBSQLite
import SQLiteStore
import SwitchyardCore
import Testing

@Suite("What is no store is refused and left as it was")
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

    @Test("an empty file")
    func empty() async throws {
        try Data().write(to: URL(fileURLWithPath: directory.file()))
        #expect(try await refusal()?.code == .notAStore)
    }

    @Test("a file that is no database")
    func notADatabase() async throws {
        try Data(repeating: 65, count: 5000).write(to: URL(fileURLWithPath: directory.file()))
        #expect(try await refusal()?.code == .notAStore)
    }

    @Test("a directory")
    func notAFile() async throws {
        try FileManager.default.createDirectory(atPath: directory.file(), withIntermediateDirectories: false)
        #expect(try await refusal()?.code == .notAStore)
    }

    @Test("a store that is cut short")
    func truncated() async throws {
        try await directory.makeStore()
        let whole = try Data(contentsOf: URL(fileURLWithPath: directory.file()))
        try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: directory.file()))
        #expect(try await refusal()?.code == .corrupted)
    }

    @Test("a store of a newer schema")
    func tooNew() async throws {
        try await directory.makeStore(version: 2)
        #expect(try await refusal()?.code == .schemaTooNew)
    }

    @Test("a store of an older schema")
    func tooOld() async throws {
        try await directory.makeStore()
        #expect(try await refusal(.people(version: 2))?.code == .schemaMismatch)
    }

    @Test("a missing store that must not be made")
    func missing() async throws {
        let error = try await refusal(options: OpenOptions(createsIfMissing: false))
        #expect(error?.code == .notFound)
        let reading = try await refusal(options: OpenOptions(access: .readOnly))
        #expect(reading?.code == .notFound)
    }

    @Test("the log of a database that is gone")
    func orphanedLog() async throws {
        try Data([1]).write(to: URL(fileURLWithPath: directory.file() + "-wal"))
        #expect(try await refusal()?.code == .notAStore)
    }

    @Test("a store without a log, where there can be none")
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

    @Test("reading alone changes nothing")
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
