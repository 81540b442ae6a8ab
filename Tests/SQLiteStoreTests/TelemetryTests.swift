import Dispatch
import Foundation
import GRDB
import LogRecords
import Logging
import SwitchyardCore
import Testing

@testable import SQLiteStore

@Suite("Telemetry of SQLite locks and checkpoints")
struct TelemetryTests {
    let directory: TemporaryDirectory
    private let records = LogRecords(.debug)

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ settings: [String: String] = [:]) async throws -> SQLiteStore {
        try await openStore(
            directory.file(), settings: settings, options: OpenOptions(logger: records.logger))
    }

    private static func people(_ count: Int) -> [Person] {
        (0..<count).map { _ in
            var person = Person(UUID().uuidString)
            person.photo = Data(count: 3000)
            return person
        }
    }

    /// Another connection that has the lock.
    private func lock() async throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: directory.file(), configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        return other
    }

    private func unlock(_ other: DatabaseQueue) async throws {
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try other.close()
    }

    @Test(
        "telemetry shows a write that times out on another process's lock, with each attempt and its reason")
    func lockedOut() async throws {
        let store = try await open(["busyTimeout": "0.03"])
        let other = try await lock()
        await #expect(throws: StoreError.self) { try await store.write { _ in } }
        try await unlock(other)
        let waits = records.metadata(of: "wait").filter { $0["switchyard.wait"] == "lock" }
        #expect(waits.map { $0["error.type"] } == ["busy", "busy", "busy"])
        #expect(records.metadata(of: "retry").map { $0["switchyard.transaction.attempt"] } == ["1", "2"])
        #expect(records.metadata(of: "transaction").map { $0["error.type"] } == ["busy"])
        try await identify(store)
    }

    @Test("telemetry shows a write that waits for another process's lock and gets it")
    func lockGiven() async throws {
        let store = try await open(["busyTimeout": "60"])
        let other = try await lock()
        let writer = Task { try await store.write { _ = try $0.insert(Person("Mia")) } }
        while !store.lockWait.hasBegun { await Task.yield() }
        try await unlock(other)
        try await writer.value
        let waits = records.metadata(of: "wait").filter { $0["switchyard.wait"] == "lock" }
        #expect(waits.count == 1)
        #expect(waits.allSatisfy { $0["error.type"] == nil })
        try await identify(store)
    }

    @Test("telemetry shows a checkpoint with its pages, and the truncation of a long WAL")
    func checkpoint() async throws {
        let store = try await open()
        try await store.write { try $0.insert(contentsOf: Self.people(5_000)) }
        let checkpoints = records.metadata(of: "checkpoint")
        #expect(checkpoints.count == 1)
        let logged = try #require(checkpoints[0]["switchyard.checkpoint.logged"].flatMap { Int($0) })
        #expect(logged > 5_000)
        #expect(checkpoints[0]["switchyard.checkpoint.copied"] == "\(logged)")
        #expect(records.metadata(of: "log emptied").count == 1)
        try await identify(store)
    }

    @Test("telemetry shows at info a WAL that a long read keeps from truncation")
    func longRead() async throws {
        let store = try await open(["busyTimeout": "0.2"])
        try await store.write { try $0.insert(contentsOf: Self.people(10)) }
        let other = try DatabaseQueue(path: directory.file())
        try await other.writeWithoutTransaction { database in
            try database.beginTransaction(.deferred)
            _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM Person")
            let hasWritten = DispatchSemaphore(value: 0)
            Task {
                await #expect(throws: Never.self) {
                    try await store.write { try $0.insert(contentsOf: Self.people(5_000)) }
                }
                hasWritten.signal()
            }
            hasWritten.wait()
            try database.rollback()
        }
        try other.close()
        #expect(records.all.filter { $0.event == "log not emptied" }.map(\.level) == [.info])
        try await identify(store)
    }

    @Test("telemetry shows a read that waits for one of the store's connections")
    func connection() async throws {
        let store = try await open(["readers": "1"])
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let end = DispatchSemaphore(value: 0)
        let holder = Task {
            try await store.read { _ in
                start.finish()
                end.wait()
            }
        }
        for await _ in started {}
        let waiter = Task { try await store.read { _ in } }
        while store.connections.waiting == 0 { await Task.yield() }
        waiter.cancel()
        await #expect(throws: StoreError.self) { try await waiter.value }
        end.signal()
        try await holder.value
        let waits = records.metadata(of: "wait")
        #expect(waits.map { $0["switchyard.wait"] } == ["connection"])
        #expect(waits.map { $0["error.type"] } == ["cancelled"])
        try await identify(store)
    }

    @Test("telemetry shows the statements on the app's own connection to the given logger")
    func borrowed() async throws {
        let records = LogRecords()
        let queue = try DatabaseQueue()
        let store = try await SQLiteStore(connection: queue, schema: .people(), logger: records.logger)
        try await store.write { _ = try $0.insert(Person("Mia")) }
        #expect(
            records.metadata(of: "statement").compactMap { $0["db.query.text"]?.prefix(20).description }
                == [#"SELECT "role", "succ"#, #"INSERT INTO "Person""#])
        let id = try await store.marker().storeID.uuidString.lowercased()
        #expect(records.all.allSatisfy { $0.metadata["switchyard.store.id"] == id })
        try await store.close()
    }

    /// Expects the store's id and a duration in each record, and closes the store.
    private func identify(_ store: SQLiteStore) async throws {
        let id = try await store.marker().storeID.uuidString.lowercased()
        #expect(!records.all.isEmpty)
        #expect(records.all.allSatisfy { $0.metadata["switchyard.store.id"] == id })
        #expect(records.withoutDuration.isEmpty)
        try await store.close()
    }
}
