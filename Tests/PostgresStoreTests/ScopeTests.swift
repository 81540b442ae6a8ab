import Dispatch
import Foundation
import PostgresTestServer
import Switchyard
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("A PostgreSQL store with scopes", .needsServer, .timeLimit(.minutes(3)))
struct ScopeTests {
    @Model
    struct Shelf {
        let id: ID
        var name: String = ""
    }

    @Model
    struct Book {
        #Unique<Book>([\.title])

        let id: ID
        var shelf: Shelf.ID?
        var title: String = ""
    }

    /// Lends a store with scopes at a place of its own.
    private func withStore(
        _ body: (TestPlace, any Store, StoreScope) async throws -> Void
    ) async throws {
        try await TestPlace.with { place in
            let scope = StoreScope()
            let url = try #require(PostgresServer.url)
            let store = try await PluginRegistry([PostgresPlugin.self]).open(
                url: "\(url)&schema=\(place.schema)",
                schema: try Schema(version: SchemaVersion(1), models: [Shelf.self, Book.self]),
                options: OpenOptions(scope: scope))
            let result: Result<Void, any Error>
            do { result = .success(try await body(place, store, scope)) } catch { result = .failure(error) }
            try await store.close()
            try result.get()
        }
    }

    @Test("a store with scopes has no sequence, trigger, foreign key or deferred constraint")
    func catalogue() async throws {
        try await withStore { place, store, _ in
            try await store.write { tx in
                let shelf = try tx.insert(Shelf(name: "a"))
                try tx.insert(Book(shelf: shelf.id, title: "b"))
            }
            let counts = try await TestServer.withSession { session in
                try session.rows(
                    """
                    SELECT
                        (SELECT count(*) FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'S'),
                        (SELECT count(*) FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
                            WHERE c.relnamespace = $1::regnamespace),
                        (SELECT count(*) FROM pg_constraint
                            WHERE connamespace = $1::regnamespace AND (contype = 'f' OR condeferrable)),
                        (SELECT count(*) FROM pg_proc WHERE pronamespace = $1::regnamespace),
                        (SELECT count(*) FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r')
                    """, [(.text(place.schema), .text)])
            }
            // The last one shows that the question is about the right place.
            #expect(counts == [[.integer(0), .integer(0), .integer(0), .integer(0), .integer(9)]])
        }
    }

    @Test("a store with scopes has the scope first in every index except the marker's")
    func indexes() async throws {
        try await withStore { place, _, _ in
            let firsts = try await TestServer.withSession { session in
                try session.rows(
                    """
                    SELECT count(*), count(*) FILTER (WHERE a.attname = 'switchyard_scope')
                    FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid
                    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
                    WHERE c.relnamespace = $1::regnamespace AND c.relname <> 'switchyard_store'
                    """, [(.text(place.schema), .text)])
            }
            // Six primary keys, three unique constraints, a reference, an index, two of operations, and the queue's.
            #expect(firsts == [[.integer(14), .integer(14)]])
        }
    }

    @Test("a store with scopes refuses a reference to a row that another write deletes concurrently")
    func insertedMeanwhile() async throws {
        try await withStore { _, store, _ in
            let shelf = try await store.write { try $0.insert(Shelf(name: "a")) }
            let (isInserted, isDeleted) = (Gate(), Gate())
            let inserting = Task {
                try await store.write { tx in
                    try tx.insert(Book(shelf: shelf.id, title: "b"))
                    isInserted.open()
                    isDeleted.wait()
                }
            }
            await isInserted.opened()
            try await store.write { try $0.delete(shelf.id) }
            isDeleted.open()
            let error = await #expect(throws: StoreError.self) { try await inserting.value }
            #expect(error?.code == .foreignKey)
            #expect(error?.attribute == "shelf")
            #expect(try await store.read { try $0.count(Book.all) } == 0)
            #expect(try await store.check() == [])
        }
    }

    @Test("a store with scopes refuses the delete of a row that another write refers to concurrently")
    func deletedMeanwhile() async throws {
        try await withStore { _, store, _ in
            let shelf = try await store.write { try $0.insert(Shelf(name: "a")) }
            let (isDeleted, isInserted) = (Gate(), Gate())
            let deleting = Task {
                try await store.write { tx in
                    try tx.delete(shelf.id)
                    isDeleted.open()
                    isInserted.wait()
                }
            }
            await isDeleted.opened()
            try await store.write { try $0.insert(Book(shelf: shelf.id, title: "b")) }
            isInserted.open()
            let error = await #expect(throws: StoreError.self) { try await deleting.value }
            #expect(error?.code == .foreignKey)
            #expect(try await store.read { try $0.count(Shelf.all) } == 1)
            #expect(try await store.check() == [])
        }
    }

    @Test("check finds dangling references and missing columns in its own scope")
    func check() async throws {
        try await withStore { place, store, scope in
            let (near, far, shelf) = (StoreScope(), StoreScope(), Shelf(name: "a"))
            for scope in [nil, near, far] {
                try await store.write(WriteOptions(scope: scope)) { tx in
                    try tx.insert(shelf)
                    try tx.insert(Book(shelf: shelf.id, title: "b"))
                }
            }
            func damage(_ scope: StoreScope) async throws {
                try await PostgresServer.administer(
                    "DELETE FROM \(place.schema).\"Shelf\" WHERE switchyard_scope = '\(scope)'")
            }
            try await damage(far)
            #expect(try await store.check() == [])
            // The shelf is still there, in another scope.
            try await damage(scope)
            #expect(
                try await store.check() == [
                    "A row of Book refers by shelf to a row of Shelf that does not exist."
                ])
            try await PostgresServer.administer(
                "ALTER TABLE \(place.schema).\"Book\" DROP CONSTRAINT \"primary_Book\"; "
                    + "ALTER TABLE \(place.schema).\"Book\" ALTER switchyard_scope DROP NOT NULL")
            let faults = try await store.check()
            #expect(
                faults.contains("PostgreSQL: the column Book.switchyard_scope is not as it was made."),
                "\(faults)")
        }
    }
}

extension Gate {
    /// Waits off the cooperative pool.
    fileprivate func opened() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                self.wait()
                continuation.resume()
            }
        }
    }
}
