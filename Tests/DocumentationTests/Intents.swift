import Foundation
import Switchyard
import SwitchyardIntents
import Testing

struct RateFilm: Intent {
    static let title = "Rate Film"
    static let description = "Notes how much you liked a film."

    @Parameter(title: "Film") var film: FilmEntity
    @Parameter(title: "Stars", requestValueDialog: "How many stars?") var stars: Int

    func perform(_ run: IntentRun) async throws -> IntentResult {
        let (id, rating) = (film.id, Double(stars))
        try await run.store.write { tx in
            try tx.update(Film.where(#Predicate { $0.id == id }), set: [.set(\.rating, to: rating)])
        }
        return .result(dialog: "Rated \(film.name) \(stars) stars.")
    }
}

struct FilmEntity: IntentEntity, Hashable {
    let id: Film.ID
    let name: String

    static let typeDisplayRepresentation: TypeDisplayRepresentation = "Film"
    static let defaultQuery = FilmQuery()
    var displayRepresentation: DisplayRepresentation { "\(name)" }
}

struct FilmQuery: EntityQuery {
    func entities(for identifiers: [Film.ID], in context: IntentContext) async throws -> [FilmEntity] {
        try await context.store.read { tx in
            try identifiers.compactMap { try tx.find($0) }.map { FilmEntity(id: $0.id, name: $0.title) }
        }
    }

    func suggestedEntities(in context: IntentContext) async throws -> [FilmEntity] {
        try await context.store.read { tx in
            try tx.fetch(Film.sorted(by: \.title)).map { FilmEntity(id: $0.id, name: $0.title) }
        }
    }
}

@Suite("The article on intents")
struct IntentsArticle {
    @Test("an intent runs by its name, with parameters as text")
    func byName() async throws {
        let store = try await cinema()
        let registry = try IntentRegistry([RateFilm.self], applicationNames: ["Cinema"])
        let context = IntentContext(store: store)
        let result = try await registry.run("RateFilm", ["film": "Playtime", "stars": "9"], in: context)
        #expect(result.dialog?.text == "Rated Playtime 9 stars.")
        let ratings = try await store.read {
            try $0.fetch(Film.where(#Predicate { $0.rating == 9 })).map(\.title)
        }
        #expect(ratings == ["Playtime"])
    }

    @Test("an intent runs by a phrase")
    func byPhrase() async throws {
        let store = try await cinema()
        var rate = RateFilm()
        rate.stars = 8
        let registry = try IntentRegistry(
            [RateFilm.self], applicationNames: ["Cinema"],
            shortcuts: [
                AppShortcut(intent: rate, phrases: ["I liked ${film} in ${app}"], shortTitle: "Like Film")
            ])
        let result = try await registry.say("I liked Playtime in Cinema", in: IntentContext(store: store))
        #expect(result.dialog?.text == "Rated Playtime 8 stars.")
    }
}
