import Foundation
import MemoryStore
import Switchyard
import SwitchyardCore
import TestBackends
import Testing

@Suite("Groups by what references lead to, and by the calendar")
struct GroupedRowsTests {
    private static let schema = Result {
        try Schema(version: SchemaVersion(1), models: [Shelf.self, Book.self])
    }

    @Test("each scope has its own rows behind the references", arguments: TestBackend.shared)
    func scopes(_ backend: TestBackend) async throws {
        let (home, away) = (StoreScope(), StoreScope())
        try await backend.withStore(try Self.schema.get(), options: OpenOptions(scope: home)) { store in
            // The same id in both scopes, with another name.
            let id = Shelf.ID()
            for (scope, name, pages) in [(home, "red", [1, 2]), (away, "blue", [4]), (away, "red", [])] {
                try await store.write(WriteOptions(scope: scope)) { tx in
                    let isOther = scope == away && name == "red"
                    let shelf = try tx.insert(Shelf(id: isOther ? Shelf.ID() : id, name: name))
                    for number in pages { try tx.insert(Book(shelf: shelf.id, pages: number)) }
                }
            }
            let groups = try await store.read(ReadOptions(scopes: [home, away])) { tx in
                try tx.aggregate(
                    Book.all, by: .over(\.shelf, .attribute(\.name)), figures: .count, .sum(\.pages))
            }
            #expect(groups.map(\.key) == ["blue", "red"])
            #expect(groups.map(\.figures.0) == [1, 2])
            #expect(groups.map(\.figures.1) == [4, 3])
        }
    }

    @Test(
        "a clock with more changes than a driver takes gives the same days", arguments: TestBackend.available)
    func manyChanges(_ backend: TestBackend) async throws {
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        let times = [
            "1800-06-01T12:00:00Z", "2026-10-24T22:30:00Z", "2026-10-25T22:30:00Z", "2900-01-01T00:00:00Z",
        ]
        let dates = try times.map { try Date($0, strategy: .iso8601) }
        let schema = try Schema(version: SchemaVersion(1), models: [Moment.self])
        try await backend.withStore(schema) { store in
            try await store.write { tx in try tx.insert(contentsOf: dates.map { Moment(time: $0) }) }
            let days = try await store.read {
                try $0.aggregate(Moment.all, by: .day(of: \.time, in: zone), figures: .count)
            }
            #expect(days.map(\.key.description) == ["1800-06-01", "2026-10-25", "2900-01-01"])
            #expect(days.map(\.figures) == [1, 2, 1])
        }
    }

    @Test("a group by what a reference leads to costs one selection more")
    func statements() async throws {
        let store = try MemoryStore(schema: Self.schema.get())
        try await store.write { tx in
            for name in ["red", "blue", "red"] {
                let shelf = try tx.insert(Shelf(name: name))
                try tx.insert(Book(shelf: shelf.id, pages: 2))
            }
        }
        let groups = try await store.read { tx in
            let driver = SelectionCounter(tx.driver)
            let groups = try tx.read(through: driver).aggregate(
                Book.all, by: .over(\.shelf, .attribute(\.name)), figures: .sum(\.pages))
            #expect(driver.count == 2)
            return groups
        }
        #expect(groups.map(\.key) == ["blue", "red"])
        #expect(groups.map(\.figures) == [2, 4])
    }

    @Test("filters find what predicates find, on every backend", arguments: TestBackend.available)
    func filters(_ backend: TestBackend) async throws {
        try await backend.withStore(try Self.schema.get()) { store in
            let names = try await store.write { tx in
                let red = try tx.insert(Shelf(name: "red"))
                _ = try tx.insert(Shelf(name: "blue"))
                for pages in [1, 2, 3] { try tx.insert(Book(shelf: red.id, pages: pages)) }
                try tx.insert(Book(shelf: nil, pages: 4))
                func pages(_ filter: Filter<Book>) throws -> [Int] {
                    try tx.fetch(Book.matching(filter).sorted(by: \.pages), \.pages)
                }
                let onRed = Filter<Book>.over(\.shelf, .where(\.name, .equal, "red"))
                #expect(try pages(.where(\.pages, .greater, 2)) == [3, 4])
                #expect(try pages(.where(\.pages, in: [1, 4, 9])) == [1, 4])
                #expect(try pages(.where(\.shelf, .equal, nil)) == [4])
                #expect(try pages(onRed) == [1, 2, 3])
                #expect(try pages(.not(onRed)) == [4])
                #expect(try pages(.all([onRed, .predicate(#Predicate { $0.pages < 3 })])) == [1, 2])
                #expect(try pages(.all([])) == [1, 2, 3, 4])
                #expect(try pages(.any([])) == [])
                func shelves(_ filter: Filter<Shelf>) throws -> [String] {
                    try tx.fetch(Shelf.matching(filter).sorted(by: \.name), \.name)
                }
                #expect(try shelves(.has(\.books)) == ["red"])
                #expect(try shelves(.not(.has(\.books))) == ["blue"])
                #expect(try shelves(.has(\.books, .where(\.pages, .greater, 3))) == [])
                return try shelves(.where(\.name, .hasSuffix, "ue"))
            }
            #expect(names == ["blue"])
            let error = await #expect(throws: StoreError.self) {
                try await store.read { try $0.count(Book.matching(.where(\.computed, .equal, 1))) }
            }
            #expect(error?.code == .unsupported)
        }
    }
}

/// Counts the selections that pass.
private final class SelectionCounter: InterceptingDriver {
    var count = 0

    override func select(
        _ selection: Selection, onlyDoubtful: Bool, _ body: (inout RowReader) throws -> Bool
    ) throws {
        count += 1
        try super.select(selection, onlyDoubtful: onlyDoubtful, body)
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

    var computed: Int { pages }
}

@Model
private struct Moment {
    let id: ID
    var time: Date
}
