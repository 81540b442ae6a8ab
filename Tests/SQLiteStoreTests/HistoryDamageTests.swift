import Foundation
import GRDB
import SwitchyardCore
import Testing

@testable import SQLiteStore

@Suite("A history that somebody else has damaged")
struct HistoryDamageTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(
        "an undo refuses a damaged history as corruption",
        arguments: [
            "DELETE FROM switchyard_history_block WHERE id = (SELECT max(id) FROM switchyard_history_block)",
            "DELETE FROM switchyard_history_block",
            "UPDATE switchyard_history SET blocks = blocks + 1 WHERE count = 20000",
            "UPDATE switchyard_history SET blocks = -1 WHERE count = 20000",
            "UPDATE switchyard_history SET count = 19999 WHERE count = 20000",
            "UPDATE switchyard_history SET count = 9223372036854775807 WHERE count = 20000",
            "UPDATE switchyard_history SET count = -1 WHERE count = 20000",
            // The last change of the block, of 17 bytes.
            "UPDATE switchyard_history SET changes = substr(changes, 1, length(changes) - 17) WHERE count = 20000",
        ])
    func damage(sql: String) async throws {
        let store = try await openStore(directory.file())
        try await store.keepHistory()
        try await store.write { try $0.insert(Person("First")) }
        try await store.write { try $0.insert(contentsOf: (0..<20_000).map { Person("\($0)") }) }
        let queue = try DatabaseQueue(path: directory.file())
        let changed = try await queue.write { database in
            try database.execute(sql: sql)
            return database.changesCount
        }
        #expect(changed > 0)
        try queue.close()
        let error = await #expect(throws: StoreError.self) { try await store.undoLast() }
        #expect(error?.code == .corrupted)
        #expect(try await store.read { try $0.count(Person.all) } == 20_001)
        #expect(try await store.checkHistory().count == 1)
        try await store.close()
    }

    @Test(
        "check reports the damaged transaction of a history",
        arguments: [
            (
                "UPDATE switchyard_history SET digest = zeroblob(16) WHERE author = '3'",
                [
                    "The history's transaction 3 does not follow from the one before.",
                    "The history's transaction 4 does not follow from the one before.",
                ]
            ),
            (
                "UPDATE switchyard_history SET changes = zeroblob(3) WHERE author = '5'",
                [
                    "The changes of the history's transaction 5 cannot be read."
                ]
            ),
            (
                "DELETE FROM switchyard_history WHERE author = '4'",
                [
                    "Of the history, transactions are missing before number 5."
                ]
            ),
            ("DELETE FROM switchyard_history WHERE author < '4'", []),
            ("UPDATE switchyard_history SET count = -1", ["The history cannot be read."]),
        ])
    func check(sql: String, faults: [String]) async throws {
        let store = try await openStore(directory.file())
        #expect(try await store.checkHistory() == [])
        try await store.keepHistory()
        for number in 1...6 {
            _ = try await store.write(WriteOptions(author: "\(number)")) {
                try $0.insert(Person("\(number)"))
            }
        }
        #expect(try await store.checkHistory() == [])
        let queue = try DatabaseQueue(path: directory.file())
        try await queue.write { try $0.execute(sql: sql) }
        try queue.close()
        #expect(try await store.checkHistory() == faults)
        try await store.close()
    }
}
