import Foundation
import GRDB
import SwitchyardCore
import Testing

@testable import SQLiteStore

@Suite("A store that was made before a transaction of the history had an origin")
struct EarlierReleaseTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static var index: String {
        let entity = HistoryAddition.entity
        return entity.uniqueConstraints[0].name(in: entity)
    }

    /// Makes a store with a history of one transaction, as the release before would have.
    private func makeStore() async throws {
        let store = try await openStore(directory.file())
        try await store.keepHistory()
        try await store.write { _ = try $0.insert(Person("Mia")) }
        try await store.close()
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            // SQLite drops no column while an index has an unknown collation.
            database.add(
                collation: DatabaseCollation("switchyard_decimal") {
                    $0 < $1 ? .orderedAscending : .orderedSame
                })
        }
        let queue = try DatabaseQueue(path: directory.file(), configuration: configuration)
        try await queue.write { database in
            try database.execute(
                sql: """
                    DROP INDEX "\(Self.index)"; ALTER TABLE switchyard_history DROP COLUMN origin;
                    DROP TABLE switchyard_mirror
                    """)
        }
        try queue.close()
    }

    /// Expects that a store of the earlier release goes on as one of this release.
    private func requireComplete(_ store: any Store) async throws {
        #expect(try await store.check() == [])
        let record = TransactionRecord(id: UUID(), time: 0, origin: UUID())
        try await store.write { tx in
            try tx.transaction(record) { _ = try tx.insert(Person("Noah")) }
        }
        let all = try await store.read { try $0.history() }
        #expect(all.map(\.origin) == [nil, record.origin])
        #expect(all.map(\.sequence) == [1, 2])
        let first = all[0].id
        #expect(try await store.read { try $0.historyTransaction(first)?.sequence } == 1)
        let error = await #expect(throws: StoreError.self) {
            try await store.write { tx in
                try tx.transaction(record) { _ = try tx.insert(Person("Lea")) }
            }
        }
        #expect(error?.code == .duplicateOperation)
        try await store.undoLast()
        #expect(try await store.read { try $0.fetch(Person.all).map(\.name) } == ["Noah"])
    }

    @Test("is completed when it is opened for writing")
    func completed() async throws {
        try await makeStore()
        let store = try await openStore(directory.file())
        try await requireComplete(store)
        try await store.close()
        let again = try await openStore(directory.file(), options: OpenOptions(access: .readOnly))
        #expect(try await again.read { try $0.history().count } == 3)
        try await again.close()
    }

    @Test("is left unchanged when it is opened for reading, which says what to do")
    func readOnly() async throws {
        try await makeStore()
        let before = try directory.contents()
        let error = await #expect(throws: StoreError.self) {
            _ = try await openStore(directory.file(), options: OpenOptions(access: .readOnly))
        }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.hasSuffix("Open it for writing once; nothing was changed.") == true)
        #expect(try directory.contents() == before)
    }

    @Test("is completed on a connection of the app's own")
    func connection() async throws {
        try await makeStore()
        let queue = try DatabaseQueue(path: directory.file())
        let store = try await SQLiteStore(connection: queue, schema: .people())
        try await requireComplete(store)
        try await store.close()
        try queue.close()
    }
}
