import Foundation
import Switchyard
import TestBackends
import Testing

@Suite("Cursors and their queries")
struct PageCursorTests {
    typealias Film = Cinema.Film

    private static let titles = ["Ace", "Bat", "Cat", "Dog", "Elk"]

    private func fill(_ store: any Store) async throws {
        try await store.write { tx in
            for (index, title) in Self.titles.enumerated() {
                let id = Film.ID(UUID(uuidString: "00000000-0000-7000-8000-00000000000\(index)") ?? UUID())
                try tx.insert(Film(id: id, title: title, year: 2000 + index))
            }
        }
    }

    @Test("a cursor of another query is refused", arguments: TestBackend.available)
    func otherQuery(backend: TestBackend) async throws {
        try await backend.withStore(try Cinema.schema) { store in
            try await fill(store)
            let query = Film.where(#Predicate { $0.year > 1999 }).sorted(by: \.title)
            let next = try await store.read { try $0.page(query, size: 2).next }
            let others: [Query<Film>] = [
                Film.where(#Predicate { $0.year > 2000 }).sorted(by: \.title),
                Film.sorted(by: \.title),
                Film.where(#Predicate { $0.year > 1999 }).sorted(by: \.title, .descending),
                Film.where(#Predicate { $0.year > 1999 }).sorted(by: \.year),
            ]
            for other in others {
                let error = await #expect(throws: StoreError.self) {
                    try await store.read { _ = try $0.page(other, size: 2, after: next) }
                }
                #expect(
                    error?.description
                        == "invalidArgument: The page cursor belongs to another query: its rows, a constant in their "
                        + "condition or its order differ. Use the query of the previous page, or start again without a "
                        + "cursor. [Film]")
            }
            let entity = await #expect(throws: StoreError.self) {
                try await store.read { _ = try $0.page(Cinema.Studio.all, size: 2, after: next) }
            }
            #expect(entity?.code == .invalidArgument)
        }
    }

    @Test("a cursor works with another page size, in another process and on another backend")
    func otherBackend() async throws {
        // What a store gave for these rows and this query, as text.
        let kept =
            "eyJxdWVyeSI6ImMyOGU3ZTdkNWZjMWE5YjA5NzZmMzE2MzkxNjQzZTA4IiwidmFsdWVzIjpbeyJ0ZXh0IjoiQmF0In0seyJ1dWlkIjoi"
            + "MDAwMDAwMDAtMDAwMC03MDAwLTgwMDAtMDAwMDAwMDAwMDAxIn1dfQ"
        let query = Film.where(#Predicate { $0.year > 1999 }).sorted(by: \.title)
        for backend in TestBackend.available {
            try await backend.withStore(try Cinema.schema) { store in
                try await fill(store)
                let page = try await store.read { try $0.page(query, size: 2) }
                #expect(page.next?.description == kept)
                let rest = try await store.read { try $0.page(query, size: 3, after: PageCursor(kept)) }
                #expect(rest.items.map(\.title) == ["Cat", "Dog", "Elk"])
                #expect(rest.next == nil)
            }
        }
    }

    @Test("the order of a set's elements does not change a query's cursor")
    func sets() async throws {
        try await TestBackend.memory.withStore(try Cinema.schema) { store in
            try await fill(store)
            let (one, other) = (["Ace", "Cat", "Elk"], ["Elk", "Ace", "Cat"])
            let next = try await store.read {
                try $0.page(Film.where(#Predicate { one.contains($0.title) }), size: 1).next
            }
            let rest = try await store.read {
                try $0.page(Film.where(#Predicate { other.contains($0.title) }), size: 2, after: next)
            }
            #expect(rest.items.map(\.title) == ["Cat", "Elk"])
            let words = try await store.read { tx in
                let query = Film.matching(anyOf: one.map { word in #Predicate { $0.title == word } })
                let same = Film.matching(anyOf: other.map { word in #Predicate { $0.title == word } })
                return try tx.page(same, size: 2, after: try tx.page(query, size: 1).next).items.map(\.title)
            }
            #expect(words == ["Cat", "Elk"])
        }
    }
}
