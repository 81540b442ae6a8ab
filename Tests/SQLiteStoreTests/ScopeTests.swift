import Foundation
import GRDB
import SQLiteStore
import Switchyard
import SwitchyardCore
import Testing

@Suite("An SQLite store with scopes")
struct ScopeTests {
    @Model
    struct Shelf {
        let id: ID
        var name: String = ""
    }

    @Model
    struct Book {
        let id: ID
        var shelf: Shelf.ID?
    }

    private let scope = StoreScope()

    /// A store on a connection in memory, and that.
    private func store() async throws -> (SQLiteStore, DatabaseQueue) {
        let queue = try DatabaseQueue()
        let schema = try Schema(version: SchemaVersion(1), models: [Shelf.self, Book.self])
        return (try await SQLiteStore(connection: queue, schema: schema, scope: scope), queue)
    }

    @Test("a store with scopes on the app's connection opens only with a scope")
    func borrowed() async throws {
        let (store, queue) = try await store()
        for scope in [scope, StoreScope()] {
            let again = try await SQLiteStore(connection: queue, schema: store.schema, scope: scope)
            #expect(try await again.read { $0.scopes } == [scope])
        }
        let error = await #expect(throws: StoreError.self) {
            try await SQLiteStore(connection: queue, schema: store.schema)
        }
        #expect(error?.code == .scopeMismatch)
        #expect(try await store.marker().scopeColumn == "switchyard_scope")
        let plain = try DatabaseQueue()
        #expect(
            try await SQLiteStore(connection: plain, schema: store.schema).marker().scopeColumn == nil)
        let other = await #expect(throws: StoreError.self) {
            try await SQLiteStore(connection: plain, schema: store.schema, scope: scope)
        }
        #expect(other?.code == .scopeMismatch)
    }

    @Test("check looks for dangling references and unreadable rows in its own scope")
    func check() async throws {
        let (store, queue) = try await store()
        let (near, far, shelf) = (StoreScope(), StoreScope(), Shelf(name: "a"))
        for scope in [scope, near, far] {
            try await store.write(WriteOptions(scope: scope)) { tx in
                try tx.insert(shelf)
                try tx.insert(Book(shelf: shelf.id))
            }
        }
        func damage(_ scope: StoreScope) async throws {
            try await queue.write { database in
                try database.execute(
                    sql: "DELETE FROM Shelf WHERE switchyard_scope = ?", arguments: [scope.uuid])
            }
        }
        try await damage(far)
        #expect(try await store.check() == [])
        // The shelf is still there, in another scope.
        try await damage(scope)
        #expect(
            try await store.check() == [
                "A row of Book refers by shelf to a row of Shelf that does not exist."
            ])
    }

    @Test("a store keeps the last thousand operations of each scope, whatever the clock says")
    func operations() async throws {
        let (store, queue) = try await store()
        let away = StoreScope()
        let (kept, forgotten) = (OperationID(), OperationID())
        // Its last byte is a multiple of 64, so that it forgets old ones.
        let forgetting = OperationID(UUID(uuid: (0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64)))
        try await store.write(WriteOptions(operation: kept, scope: away)) { _ in }
        try await store.write(WriteOptions(operation: forgotten)) { _ in }
        for _ in 0..<1_000 { try await store.write(WriteOptions(operation: OperationID())) { _ in } }
        try await queue.write { try $0.execute(sql: "UPDATE switchyard_operation SET committed_at = 0") }
        for scope in [scope, away] {
            try await store.write(WriteOptions(operation: forgetting, scope: scope)) { _ in }
        }
        #expect(try await !store.wasCommitted(forgotten))
        #expect(try await store.wasCommitted(kept, in: away))
        let numbers = try await queue.read { database in
            try Int.fetchAll(
                database,
                sql: "SELECT sequence FROM switchyard_operation WHERE switchyard_scope = ? ORDER BY sequence",
                arguments: [away.uuid])
        }
        #expect(numbers == [1, 2])
    }

    @Test("check notices a table whose scope is not part of its key")
    func structure() async throws {
        let (store, queue) = try await store()
        try await queue.write { database in
            try database.execute(
                sql: """
                    DROP TABLE Book;
                    CREATE TABLE Book (switchyard_scope BLOB NOT NULL, id BLOB NOT NULL PRIMARY KEY, shelf BLOB)
                    STRICT, WITHOUT ROWID
                    """)
        }
        let faults = try await store.check()
        #expect(
            faults.contains("SQLite: the column Book.switchyard_scope is not as it was made."), "\(faults)")
        #expect(faults.contains("SQLite: the column Book.id is not as it was made."), "\(faults)")
    }
}
