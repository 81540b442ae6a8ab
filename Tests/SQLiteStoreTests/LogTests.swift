import Dispatch
import Foundation
import GRDB
import LogRecords
import Logging
import SwitchyardCore
import Synchronization
import Testing

@testable import SQLiteStore

@Suite("The length of the write-ahead log", .timeLimit(.minutes(3)))
struct LogTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The length of the WAL file, in bytes.
    private func logSize(_ path: String? = nil) throws -> Int {
        try StoreFile.status((path ?? directory.file()) + "-wal").map { Int($0.st_size) } ?? 0
    }

    /// Rows that each fill most of a page.
    private static func people(_ count: Int) -> [Person] {
        (0..<count).map { _ in
            var person = Person(UUID().uuidString)
            person.photo = Data(count: 3000)
            return person
        }
    }

    /// Two readers that alternate, so that one always has a snapshot: each ends its read when the other has
    /// begun one.
    private struct Relay: Sendable {
        private let begun = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        private let hasEnded = EndFlag()

        private final class EndFlag: Sendable { let value = Atomic(false) }

        func run(
            _ reader: Int,
            _ read: (@escaping @Sendable (() throws -> Void) throws -> Void) async throws -> Void
        ) async throws {
            let isFirst = EndFlag()
            while !hasEnded.value.load(ordering: .sequentiallyConsistent) {
                try await read { [begun] takeSnapshot in
                    if reader == 1, !isFirst.value.exchange(true, ordering: .sequentiallyConsistent) {
                        begun[0].wait()
                    }
                    try takeSnapshot()
                    begun[reader].signal()
                    begun[1 - reader].wait()
                }
            }
            begun[reader].signal()
        }

        func end() { hasEnded.value.store(true, ordering: .sequentiallyConsistent) }
    }

    @Test(
        "two alternating readers do not let the WAL grow without bound, in one process or in two",
        arguments: [true, false])
    func relay(readsThroughStore: Bool) async throws {
        // Readers are waited for as long as it takes.
        let store = try await openStore(directory.file(), settings: ["busyTimeout": "600"])
        try await store.write { try $0.insert(contentsOf: Self.people(100)) }
        let others = try [DatabaseQueue(path: directory.file()), DatabaseQueue(path: directory.file())]
        let relay = Relay()
        let longest = try await withThrowingTaskGroup(of: Void.self) { group in
            for reader in 0..<2 {
                group.addTask {
                    try await relay.run(reader) { body in
                        if readsThroughStore {
                            try await store.read { tx in try body { _ = try tx.count(Person.all) } }
                        } else {
                            try await others[reader].read { database in
                                try body {
                                    _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM Person")
                                }
                            }
                        }
                    }
                }
            }
            func write(_ count: Int) async throws -> Int {
                var longest = 0
                for _ in 0..<count {
                    try await store.write { try $0.insert(contentsOf: Self.people(300)) }
                    longest = max(longest, try logSize())
                }
                return longest
            }
            // Whether the readers' turns alone keep it from being reset depends on the moments at which they begin.
            var lasting = Configuration()
            lasting.allowsUnsafeTransactions = true
            let steady = try DatabaseQueue(path: directory.file(), configuration: lasting)
            try await steady.writeWithoutTransaction { database in
                try database.execute(sql: "BEGIN; SELECT count(*) FROM Person")
            }
            var longest = try await write(8)
            try steady.close()
            longest = max(longest, try await write(32))
            relay.end()
            try await group.waitForAll()
            return longest
        }
        // Without readers it stays near 1,000 pages of 4,120 bytes; with them, near 4,000, and not at the
        // 12,000 and more that were written.
        #expect(longest > 2_000 * 4_120)
        #expect(longest < 6_000 * 4_120)
        #expect(try await store.read { try $0.count(Person.all) } == 12_100)
        #expect(try await store.check() == [])
        for other in others { try other.close() }
        try await store.close()
    }

    @Test("an endless reader stops no writer, and the WAL is short again once it has ended")
    func endlessReader() async throws {
        let store = try await openStore(directory.file(), settings: ["busyTimeout": "0.2"])
        try await store.write { try $0.insert(contentsOf: Self.people(10)) }
        let other = try DatabaseQueue(path: directory.file())
        try await other.writeWithoutTransaction { database in
            try database.beginTransaction(.deferred)
            _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM Person")
            let hasWritten = DispatchSemaphore(value: 0)
            Task {
                for _ in 0..<30 {
                    await #expect(throws: Never.self) {
                        try await store.write { try $0.insert(contentsOf: Self.people(300)) }
                    }
                }
                hasWritten.signal()
            }
            hasWritten.wait()
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM Person") == 10)
            #expect(try logSize() > 9_000 * 4_120)
            try database.rollback()
        }
        for _ in 0..<5 { try await store.write { try $0.insert(contentsOf: Self.people(300)) } }
        #expect(try logSize() < 5_000 * 4_120)
        #expect(try await store.read { try $0.count(Person.all) } == 10_510)
        try other.close()
        try await store.close()
    }

    @Test("the WAL stays within bounds while a file is copied and the writer goes on")
    func copy() async throws {
        let store = try await openStore(directory.file(), options: OpenOptions(role: .copying))
        var longest = 0
        for _ in 0..<120 {
            try await store.write { try $0.insert(contentsOf: Self.people(300)) }
            longest = max(longest, try logSize())
        }
        // It is truncated at 16,000 pages, at the latest 1,000 pages and two transactions later, and 36,000 were written.
        #expect(longest < 17_800 * 4_120)
        #expect(try await store.read { try $0.count(Person.all) } == 36_000)
        try await store.close()
    }

    @Test("one large transaction leaves an empty WAL", arguments: ["0", "5"])
    func largeTransaction(readers: String) async throws {
        let store = try await openStore(directory.file(), settings: ["readers": readers])
        try await store.write { try $0.insert(contentsOf: Self.people(5_000)) }
        #expect(try logSize() == 0)
        #expect(try await store.read { try $0.count(Person.all) } == 5_000)
        try await store.close()
    }

    @Test("writes through the lent connection count towards the WAL's length")
    func lentConnection() async throws {
        let records = LogRecords(.debug)
        let store = try await openStore(directory.file(), options: OpenOptions(logger: records.logger))
        try await store.connection?.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE filler(x);
                    INSERT INTO filler WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
                    SELECT randomblob(4000) FROM n;
                    """)
        }
        // The write does not wait for the checkpoint that it starts.
        await records.next("log emptied")
        #expect(try logSize() == 0)
        try await store.close()
    }

    private struct Stop: Error {}

    @Test("a large transaction that is rolled back leaves a short WAL")
    func rolledBack() async throws {
        let store = try await openStore(directory.file())
        try await store.write { _ = try $0.insert(Person("Mia")) }
        await #expect(throws: Stop.self) {
            try await store.write { tx in
                try tx.insert(contentsOf: Self.people(8_000))
                #expect(try logSize() > 25_000_000)
                throw Stop()
            }
        }
        #expect(try logSize() == 0)
        #expect(try await store.read { try $0.fetch(Person.all).map(\.name) } == ["Mia"])
        try await store.close()
    }

    @Test("the next opening shortens a long WAL of a killed process")
    func killed() async throws {
        let store = try await openStore(directory.file())
        try await store.write { _ = try $0.insert(Person("Mia")) }
        let (path, continuation) = AsyncStream.makeStream(of: String.self)
        await #expect(throws: Stop.self) {
            try await store.write { [directory] tx in
                try tx.insert(contentsOf: Self.people(8_000))
                continuation.yield(try directory.copyStore(with: "-wal"))
                throw Stop()
            }
        }
        continuation.finish()
        var copies = path.makeAsyncIterator()
        let copy = try #require(await copies.next())
        #expect(try logSize(copy) > 25_000_000)
        let records = LogRecords(.debug)
        let next = try await openStore(copy, options: OpenOptions(logger: records.logger))
        await records.next("log emptied")
        #expect(try logSize(copy) == 0)
        #expect(try await next.read { try $0.fetch(Person.all).map(\.name) } == ["Mia"])
        try await next.close()
        try await store.close()
    }

    @Test("closing shortens a long WAL although another process has the file open")
    func closing() async throws {
        let other = try await openStore(directory.file())
        let store = try await openStore(directory.file(), settings: ["busyTimeout": "0.2"])
        try await store.write { _ = try $0.insert(Person("Mia")) }
        let reader = try DatabaseQueue(path: directory.file())
        try await reader.writeWithoutTransaction { database in
            try database.beginTransaction(.deferred)
            _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM Person")
            let hasWritten = DispatchSemaphore(value: 0)
            Task {
                try await store.write { try $0.insert(contentsOf: Self.people(6_000)) }
                hasWritten.signal()
            }
            hasWritten.wait()
            try database.rollback()
        }
        #expect(try logSize() > 6_000 * 4_120)
        try await store.close()
        #expect(try logSize() == 0)
        #expect(try await other.read { try $0.count(Person.all) } == 6_001)
        try reader.close()
        try await other.close()
    }

    @Test("several processes that write, checkpoint and read at once leave a sound file")
    func severalProcesses() async throws {
        try await directory.makeStore()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask { [path = directory.file()] in
                    await #expect(processExitsWith: .success) { [path = path as String] in
                        let store = try await openStore(path, settings: ["busyTimeout": "60"])
                        for _ in 0..<60 {
                            try await store.write { try $0.insert(contentsOf: Self.people(50)) }
                            _ = try await store.read { try $0.count(Person.all) }
                        }
                        try await store.close()
                    }
                }
            }
            try await group.waitForAll()
        }
        let store = try await openStore(directory.file())
        #expect(try await store.read { try $0.count(Person.all) } == 9_001)
        #expect(try await store.check() == [])
        try await store.close()
    }
}
