import Foundation
import GRDB
import SQLiteStore
import SwitchyardCore
import Synchronization
import Testing

@Suite("Operation ids of an SQLite store")
struct OperationTests {
    /// The id of a write that also forgets old operations: its last byte is a multiple of 64.
    private func forgetting(_ number: UInt8) -> OperationID {
        OperationID(UUID(uuid: (0xFF, number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64)))
    }

    private func store() async throws -> (DatabaseQueue, SQLiteStore) {
        let queue = try DatabaseQueue()
        return (queue, try await SQLiteStore(connection: queue, schema: .people()))
    }

    private func count(_ queue: DatabaseQueue) async throws -> Int? {
        try await queue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM switchyard_operation") }
    }

    /// Plants operations that were committed some days ago by today's clock.
    private func plant(_ count: Int, daysAgo: Int, in queue: DatabaseQueue) async throws {
        try await queue.write {
            try $0.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
                    INSERT INTO switchyard_operation (id, committed_at)
                    SELECT randomblob(16), (unixepoch() - ? * 86400) * 1000000 FROM n
                    """, arguments: [count, daysAgo])
        }
    }

    @Test(
        "an operation that seems a week old because the clock went ahead is still known",
        arguments: [8, 3_650, -3_650])
    func ahead(daysAgo: Int) async throws {
        let (queue, store) = try await store()
        let early = OperationID()
        try await store.write(WriteOptions(operation: early)) { _ = try $0.insert(Person("Mia")) }
        try await queue.write {
            try $0.execute(
                sql: "UPDATE switchyard_operation SET committed_at = committed_at - ? * 86400000000",
                arguments: [daysAgo])
        }
        for number in 0..<10 as Range<UInt8> {
            try await store.write(WriteOptions(operation: forgetting(number))) {
                _ = try $0.count(Person.all)
            }
        }
        #expect(try await store.wasCommitted(early))
        #expect(try await count(queue) == 11)
    }

    @Test("beyond the last thousand, operations older than a week or from the future are deleted")
    func bound() async throws {
        let (queue, store) = try await store()
        try await plant(700, daysAgo: 8, in: queue)
        try await plant(700, daysAgo: -400, in: queue)
        #expect(try await count(queue) == 1_400)
        try await store.write(WriteOptions(operation: forgetting(1))) { _ = try $0.count(Person.all) }
        #expect(try await count(queue) == 1_000)
        // Within the week all stay, however many.
        try await plant(2_000, daysAgo: 6, in: queue)
        try await store.write(WriteOptions(operation: forgetting(2))) { _ = try $0.count(Person.all) }
        #expect(try await count(queue) == 2_002)
        #expect(try await store.wasCommitted(forgetting(1)))
    }

    @Test("looking for old operations uses an index")
    func plan() async throws {
        let (queue, store) = try await store()
        let noted = Noted()
        try await queue.write { $0.trace { noted.add("\($0)") } }
        try await store.write(WriteOptions(operation: forgetting(3))) { _ = try $0.count(Person.all) }
        let deletion = try #require(
            noted.first(where: { $0.hasPrefix("DELETE FROM \"switchyard_operation\"") }))
        let plan = try await queue.read {
            try Row.fetchAll($0, sql: "EXPLAIN QUERY PLAN " + deletion.replacing("?", with: "1"))
                .map { $0["detail"] as String }
        }
        #expect(plan.contains("MULTI-INDEX OR"))
        #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(plan)")
    }

    /// The texts of statements, noted on a connection's queue.
    private final class Noted: Sendable {
        private let texts = Mutex<[String]>([])
        func add(_ text: String) { texts.withLock { $0.append(text) } }
        func first(where test: (String) -> Bool) -> String? { texts.withLock { $0.first(where: test) } }
    }
}
