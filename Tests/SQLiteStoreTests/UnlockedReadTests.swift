import Foundation
import GRDB
import SwitchyardCore
import Synchronization
import Testing

@testable import SQLiteStore

@Suite("Reading a file without a WAL")
struct UnlockedReadTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Runs statements as a process does that ends at once, and gives the file its time of change back.
    private static func change(_ path: String, _ sql: String) throws {
        var status = stat()
        try #require(stat(path, &status) == 0)
        let writer = try DatabaseQueue(path: path)
        try writer.inDatabase { try $0.execute(sql: sql) }
        try writer.close()
        #if canImport(Darwin)
            let times = [status.st_atimespec, status.st_mtimespec]
        #else
            let times = [status.st_atim, status.st_mtim]
        #endif
        try #require(utimensat(AT_FDCWD, path, times, 0) == 0)
    }

    @Test("a read without a WAL sees one state, although writers change the file and keep its size and time")
    func passingWriters() async throws {
        let store = try await openStore(directory.file())
        let people = (0..<500).map { Person("Person number \($0) with a name of some length", visits: 1) }
        try await store.write { _ = try $0.insert(contentsOf: people) }
        try await store.close()
        let reader = try await openStore(directory.file(), options: OpenOptions(access: .readOnly))
        let path = directory.file()
        let (first, last) = (people[0].id, people[499].id)
        let runs = Atomic(0)
        let visits = try await reader.read { tx in
            runs.add(1, ordering: .relaxed)
            let before = try tx.find(first)?.visits
            try Self.change(path, "UPDATE Person SET visits = visits + 1")
            return [before, try tx.find(last)?.visits]
        }
        // What the first run has read is thrown away; the second does not see its own writer.
        #expect(visits == [2, 2])
        #expect(runs.load(ordering: .relaxed) == 2)
        #expect(try await reader.read { try $0.find(last)?.visits } == 3)
        try await reader.close()
    }

    @Test("a read without a WAL leaves no WAL behind and changes nothing")
    func alone() async throws {
        try await directory.makeStore()
        let before = try directory.contents()
        let reader = try await openStore(directory.file(), options: OpenOptions(access: .readOnly))
        let runs = Atomic(0)
        let names = try await reader.read { tx in
            runs.add(1, ordering: .relaxed)
            return try tx.fetch(Person.all).map(\.name)
        }
        #expect(names == ["Mia"])
        #expect(runs.load(ordering: .relaxed) == 1)
        try await reader.close()
        #expect(try directory.contents() == before)
    }

    @Test("a read without a WAL keeps a concurrent writer's WAL in place, but only during the read")
    func logStays() async throws {
        try await directory.makeStore()
        let path = directory.file()
        do {
            let lock = try FileLock(path: path, busyTimeout: 0)
            try Self.change(path, "UPDATE Person SET name = 'Leo'")
            #expect(try directory.names() == ["store.sqlite", "store.sqlite-shm", "store.sqlite-wal"])
            withExtendedLifetime(lock) {}
        }
        try Self.change(path, "UPDATE Person SET name = 'Ada'")
        #expect(try directory.names() == ["store.sqlite"])
    }

    @Test("a read without a WAL waits for a change, and is busy if that takes too long")
    func exclusive() async throws {
        try await directory.makeStore()
        let path = directory.file()
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: path, configuration: configuration)
        try await other.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE")
        }
        let error = #expect(throws: StoreError.self) { _ = try FileLock(path: path, busyTimeout: 0.01) }
        #expect(error?.code == .busy)
        try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT; BEGIN IMMEDIATE") }
        let lock = try FileLock(path: path, busyTimeout: 0)
        #expect(try lock.isReserved())
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try other.close()
        #expect(try !FileLock(path: path, busyTimeout: 0).isReserved())
    }

    @Test("a copy of a file holds what was in the file and its WAL")
    func copy() async throws {
        let left = try await KilledProcessFiles()
        try left.write(to: directory.file(), log: left.log, index: nil)
        let file = StoreFile(path: directory.file())
        var path = ""
        do {
            let copy = try TemporaryCopy(of: file, under: FileLock(path: file.path, busyTimeout: 0))
            path = copy.file.path
            #expect(FileManager.default.contents(atPath: path) == left.file)
            #expect(FileManager.default.contents(atPath: path + "-wal") == left.log)
        }
        #expect(!FileManager.default.fileExists(atPath: (path as NSString).deletingLastPathComponent))
    }
}
