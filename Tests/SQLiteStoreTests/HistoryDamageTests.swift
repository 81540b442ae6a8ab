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
        "is told as damage, and nothing of it is undone",
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
        try await store.close()
    }
}
