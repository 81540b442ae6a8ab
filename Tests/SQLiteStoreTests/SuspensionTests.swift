import Dispatch
import Foundation
import GRDB
import SwitchyardCore
import Synchronization
import Testing

@testable import SQLiteStore

/// Each test has a process of its own: a suspension concerns all stores of one.
@Suite("A suspended app", .timeLimit(.minutes(2)))
struct SuspensionTests {
    /// Whether another connection can have the write lock, at once.
    private static func canLock(_ path: String) throws -> Bool {
        let probe = try probe(path)
        defer { try? probe.close() }
        return try canLock(with: probe)
    }

    private static func probe(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    private static func canLock(with queue: DatabaseQueue) throws -> Bool {
        do {
            try queue.inDatabase { try $0.inTransaction(.immediate) { .rollback } }
            return true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return false
        }
    }

    private static func suspend() {
        NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
    }

    @Test("a suspended store refuses writes at once and reads on, until it is resumed")
    func refused() async {
        await #expect(processExitsWith: .success) {
            for readers in ["0", "5"] {
                let directory = try TemporaryDirectory()
                try await directory.makeStore()
                let store = try await openStore(directory.file(), settings: ["readers": readers])
                Self.suspend()
                let runs = Atomic(0)
                let error = await #expect(throws: StoreError.self) {
                    try await store.write { _ in runs.add(1, ordering: .relaxed) }
                }
                #expect(error?.code == .suspended)
                #expect(error?.isRetryable == true)
                #expect(runs.load(ordering: .relaxed) == 0)
                #expect(try await store.read { try $0.fetch(Person.all).map(\.name) } == ["Mia"])
                #expect(throws: DatabaseError.self) {
                    try store.connection?.write { try $0.execute(sql: "DELETE FROM Person") }
                }
                NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
                try await store.write { _ = try $0.insert(Person("Leo")) }
                #expect(try await store.read { try $0.count(Person.all) } == 2)
                try await store.close()
            }
        }
    }

    @Test("a suspended transaction is rolled back at its next use, and its lock is free")
    func inProgress() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            try await directory.makeStore()
            let store = try await openStore(directory.file())
            let path = directory.file()
            let error = await #expect(throws: StoreError.self) {
                try await store.write { tx in
                    _ = try tx.insert(Person("Leo"))
                    #expect(try !Self.canLock(path))
                    Self.suspend()
                    do {
                        // A read, which GRDB would let go on.
                        _ = try tx.count(Person.all)
                    } catch {
                        #expect(try Self.canLock(path))
                        throw error
                    }
                }
            }
            #expect(error?.code == .suspended)
            SQLiteStore.resume()
            #expect(try await store.read { try $0.fetch(Person.all).map(\.name) } == ["Mia"])
            try await store.close()
        }
    }

    @Test("a suspension interrupts a long statement of a write, and names itself")
    func interrupted() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let store = try await openStore(directory.file())
            let people = (0..<3_000).map { Person("\($0)") }
            try await store.write { try $0.insert(contentsOf: people) }
            let (started, continuation) = AsyncStream.makeStream(of: Void.self)
            let writer = Task {
                try await store.write { tx in
                    _ = try tx.insert(Person("Leo"))
                    continuation.finish()
                    while true { _ = try tx.fetch(Person.all) }
                }
            }
            for await _ in started {}
            SQLiteStore.suspend()
            #expect(await #expect(throws: StoreError.self) { try await writer.value }?.code == .suspended)
            #expect(try Self.canLock(directory.file()))
            SQLiteStore.resume()
            #expect(try await store.read { try $0.count(Person.all) } == 3_000)
            try await store.close()
        }
    }

    @Test("a suspension ends a write's wait for another process")
    func waiting() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let store = try await openStore(directory.file(), settings: ["busyTimeout": "600"])
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let other = try DatabaseQueue(path: directory.file(), configuration: configuration)
            let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
            try await store.connection?.writeWithoutTransaction { database in
                database.trace { if "\($0)".hasPrefix("BEGIN IMMEDIATE") { continuation.finish() } }
            }
            try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
            let writer = Task { try await store.write { _ = try $0.insert(Person("Mia")) } }
            for await _ in begun {}
            SQLiteStore.suspend()
            #expect(await #expect(throws: StoreError.self) { try await writer.value }?.code == .suspended)
            SQLiteStore.resume()
            try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            try await store.write { _ = try $0.insert(Person("Mia")) }
            try other.close()
            try await store.close()
        }
    }

    @Test("a suspended checkpoint that waits for a reader releases its lock, and is repeated later")
    func checkpoint() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let path = directory.file()
            let store = try await openStore(path, settings: ["busyTimeout": "600"])
            try await store.write { _ = try $0.insert(Person("Mia")) }
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let reader = try DatabaseQueue(path: path, configuration: configuration)
            try await reader.writeWithoutTransaction {
                try $0.execute(sql: "BEGIN")
                _ = try Int.fetchOne($0, sql: "SELECT count(*) FROM Person")
            }
            // A connection that closes keeps others of the process from opening the file for a moment, so one stays open.
            let probe = try Self.probe(path)
            let hasEnded = Monitor(false)
            let writer = Task {
                try await store.write { tx in
                    var person = Person("Leo")
                    person.photo = Data(count: 3000)
                    for index in 0..<4_500 {
                        (person.id, person.name) = (Person.ID(), "\(index)")
                        _ = try tx.insert(person)
                    }
                }
                hasEnded.withLock { $0 = true }
            }
            // What has the lock once the commit is seen is the checkpoint, which waits for the reader.
            while try await store.read({ try $0.count(Person.all) }) == 1 { await Task.yield() }
            while try Self.canLock(with: probe), !hasEnded.withLock({ $0 }) { await Task.yield() }
            #expect(!hasEnded.withLock { $0 })
            SQLiteStore.suspend()
            try await writer.value
            #expect(try Self.canLock(with: probe))
            try await reader.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            SQLiteStore.resume()
            try await store.close()
            try reader.close()
            try probe.close()
            let again = try await openStore(path)
            #expect(try await again.read { try $0.count(Person.all) } == 4_501)
            try await again.close()
        }
    }

    @Test("a store that ignores suspensions goes on")
    func ignored() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let store = try await openStore(directory.file(), settings: ["suspension": "ignored"])
            SQLiteStore.suspend()
            try await store.write { _ = try $0.insert(Person("Mia")) }
            #expect(try await store.read { try $0.count(Person.all) } == 1)
            try await store.close()
        }
    }

    @Test("a store on the app's connection follows that connection's configuration")
    func borrowed() async {
        await #expect(processExitsWith: .success) {
            for isObserved in [true, false] {
                let directory = try TemporaryDirectory()
                var configuration = Configuration()
                configuration.observesSuspensionNotifications = isObserved
                let pool = try DatabasePool(path: directory.file(), configuration: configuration)
                let store = try await SQLiteStore(connection: pool, schema: .people())
                SQLiteStore.suspend()
                let code: StoreError.Code?
                do {
                    try await store.write { _ = try $0.insert(Person("Mia")) }
                    code = nil
                } catch let error as StoreError {
                    code = error.code
                }
                #expect(code == (isObserved ? .suspended : nil))
                SQLiteStore.resume()
                try await store.close()
                try pool.close()
            }
        }
    }
}
