import Foundation
import Switchyard
import TestBackends
import Testing

/// Forms of questions that a newcomer writes, and what they give.
@Suite("Natural forms")
struct NaturalFormTests {
    typealias Studio = Cinema.Studio
    typealias Film = Cinema.Film

    private func ids<Element: Model>(of _: Element.Type, in tx: ReadTransaction) throws -> [Element.ID] {
        try tx.fetch(Element.sorted(by: \.id, .descending), \.id)
    }

    private func rows<Element: Model>(of _: Element.Type, _ ids: [Element.ID], in tx: ReadTransaction) throws
        -> [Element]
    {
        try tx.fetch(Element.where(#Predicate { ids.contains($0.id) }))
    }

    @Test("code that is generic over models can query ids", arguments: TestBackend.available)
    func genericID(backend: TestBackend) async throws {
        try await backend.withStore(try Cinema.schema) { store in
            let (first, second) = (Studio(name: "Acme"), Studio(name: "Zenith"))
            try await store.write { try $0.insert(contentsOf: [first, second]) }
            let (found, named) = try await store.read { tx in
                (
                    try ids(of: Studio.self, in: tx),
                    try rows(of: Studio.self, [second.id], in: tx).map(\.name)
                )
            }
            #expect(found == [second.id, first.id])
            #expect(named == ["Zenith"])
        }
    }

    @Test("several searches of optional text can be combined", arguments: TestBackend.available)
    func anyOf(backend: TestBackend) async throws {
        try await backend.withStore(try Cinema.schema) { store in
            try await store.write { tx in
                try tx.insert(Film(title: "A", year: 1, plot: "a KIWI grows"))
                try tx.insert(Film(title: "B", year: 2, place: "Kiwí Island"))
                try tx.insert(Film(title: "C", year: 3, memo: "no kiwi"))
                try tx.insert(Film(title: "D", year: 4, plot: "a fig grows", memo: ""))
                try tx.insert(Film(title: "E", year: 5))
            }
            let text = "kiwi"
            let found = Film.matching(
                anyOf: #Predicate { $0.plot?.localizedStandardContains(text) == true },
                #Predicate { $0.place?.localizedStandardContains(text) == true },
                #Predicate { $0.memo?.localizedStandardContains(text) == true })
            let titles = try await store.read { try $0.fetch(found.sorted(by: \.title), \.title) }
            #expect(titles == ["A", "B", "C"])
            let narrow = found.where(#Predicate { $0.year > 1 }).sorted(by: \.title)
            #expect(try await store.read { try $0.fetch(narrow, \.title) } == ["B", "C"])
            let words = ["kiwi", "fig"].map { word in
                #Predicate<Film> { $0.plot?.localizedStandardContains(word) == true }
            }
            #expect(try await store.read { try $0.count(Film.matching(anyOf: words)) } == 2)
            #expect(try await store.read { try $0.count(Film.matching(anyOf: [])) } == 0)
        }
    }

    @Test(
        "a to-many can be queried as it is, and its element deleted",
        arguments: TestBackend.available)
    func toMany(backend: TestBackend) async throws {
        try await backend.withStore(try Cinema.schema) { store in
            let studio = Studio(name: "Acme")
            let films = (1...3).map { Film(title: "Part \($0)", studio: studio.id, year: $0) }
            try await store.write { tx in
                try tx.insert(studio)
                try tx.insert(Film(title: "Elsewhere"))
                try tx.insert(contentsOf: films)
                #expect(try tx.fetch(studio.films).map(\.title) == ["Part 1", "Part 2", "Part 3"])
                #expect(
                    try tx.fetch(
                        studio.films.where(#Predicate { $0.year > 1 }).sorted(by: \.year, .descending)
                    )
                    .map(\.title) == ["Part 3", "Part 2"])
                #expect(try tx.count(studio.films) == 3)
                var changed = films[1]
                changed.year = 12
                let stored = try tx.upsert(changed, on: \.title)
                #expect(stored.id == films[1].id)
                #expect(try tx.find(films[1].id)?.year == 12)
                #expect(try tx.delete(films[0]) == 1)
                #expect(try tx.delete(films[0]) == 0)
                #expect(try tx.delete(studio.films) == 2)
                #expect(try tx.exists(studio.films) == false)
                #expect(try tx.count(Film.all) == 1)
            }
        }
    }
}
