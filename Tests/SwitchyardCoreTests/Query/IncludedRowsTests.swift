import Foundation
import MemoryStore
import Switchyard
import SwitchyardCore
import Testing

@Suite("Rows that a fetch includes")
struct IncludedRowsTests {
    /// Counts the selections that pass.
    private final class CountingDriver: InterceptingDriver {
        var count = 0

        override func select(
            _ selection: Selection, onlyDoubtful: Bool, _ body: (inout RowReader) throws -> Bool
        ) throws {
            count += 1
            try super.select(selection, onlyDoubtful: onlyDoubtful, body)
        }
    }

    private func shelf(_ directors: Int) async throws -> MemoryStore {
        let store = try MemoryStore(
            schema: Schema(version: SchemaVersion(1), models: [Shelf.self, Book.self]))
        try await store.write { tx in
            for number in 0..<directors {
                let shelf = try tx.insert(Shelf(name: "shelf \(number)"))
                for page in 0..<3 { try tx.insert(Book(shelf: shelf.id, pages: page)) }
            }
        }
        return store
    }

    @Test("each relationship costs one selection, however many rows there are", arguments: [1, 40])
    func statements(shelves: Int) async throws {
        let store = try await shelf(shelves)
        let count = try await store.read { tx in
            let driver = CountingDriver(tx.driver)
            let found = try tx.read(through: driver).fetch(
                Shelf.all, including: .all(\.books, including: .one(\.shelf)), .count(\.books),
                .first(\.books))
            #expect(found.count == shelves)
            #expect(found.allSatisfy { $0.1.count == 3 && $0.2 == 3 && $0.3 != nil })
            return driver.count
        }
        #expect(count == 5)
    }

    @Test("a live query follows the rows that it includes")
    func observed() async throws {
        let store = try await shelf(1)
        var counts = store.observe(Shelf.all, including: .count(\.books), as: { $1 }).makeAsyncIterator()
        #expect(try await counts.next() == [3])
        try await store.write { tx in try tx.insert(Book(shelf: nil, pages: 1)) }
        try await store.write { tx in
            let shelf = try #require(try tx.first(Shelf.all))
            try tx.insert(Book(shelf: shelf.id, pages: 9))
        }
        #expect(try await counts.next() == [4])
        try await store.close()
    }

    @Test("an order over a reference is followed by a live query")
    func observedOrder() async throws {
        let store = try await shelf(2)
        let query = Book.sorted(by: \.shelf, \.name).sorted(by: \.pages)
        var pages = store.observe({ try $0.fetch(query, including: .one(\.shelf)).map { $0.1?.name } })
            .makeAsyncIterator()
        let first = ["shelf 0", "shelf 0", "shelf 0", "shelf 1", "shelf 1", "shelf 1"]
        #expect(try await pages.next() == first)
        try await store.write { tx in
            var shelf = try #require(try tx.first(Shelf.where(#Predicate { $0.name == "shelf 0" })))
            shelf.name = "shelf 2"
            try tx.update(shelf)
        }
        let second = ["shelf 1", "shelf 1", "shelf 1", "shelf 2", "shelf 2", "shelf 2"]
        #expect(try await pages.next() == second)
        try await store.close()
    }
}

@Model
private struct Shelf {
    let id: ID
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Book.shelf)
    var books: ToMany<Book>
}

@Model
private struct Book {
    let id: ID
    var shelf: Shelf.ID?
    var pages: Int
}
