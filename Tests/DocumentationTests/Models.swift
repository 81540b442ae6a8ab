import Foundation
import MemoryStore
import Switchyard
import Testing

@Model
struct Director: Equatable {
    #Unique<Director>([\.name])

    let id: ID
    var name: String
    @Relationship(deleteRule: .deny, inverse: \Film.director)
    var films: ToMany<Film>
}

@Model
struct Film: Equatable {
    #Index<Film>([\.director, \.year])

    let id: ID
    @Attribute(.searchable) var title: String
    var year: Int
    var director: Director.ID?
    var genre: Genre = Genre.drama
    var rating: Double?
    @Relationship(deleteRule: .cascade, inverse: \Screening.film)
    var screenings: ToMany<Screening>
    @Relationship(deleteRule: .cascade, inverse: \Role.film)
    var roles: ToMany<Role>
}

@Model
struct Screening: Equatable {
    let id: ID
    var film: Film.ID
    var start: Date
    var seats: Int = 80
}

@Model
struct Role: Equatable {
    #Unique<Role>([\.film, \.performer])
    #Index<Role>([\.performer])

    let id: ID
    var film: Film.ID
    var performer: Performer.ID
    var character: String?
}

@Model
struct Performer: Equatable {
    let id: ID
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Role.performer)
    var roles: ToMany<Role>
}

enum Genre: String, Codable, CaseIterable, Sendable {
    case drama, comedy, documentary
}

enum CinemaSchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [
        Director.self, Film.self, Screening.self, Role.self, Performer.self,
    ]
}

/// A store with a few films.
func cinema() async throws -> any Store {
    let registry = try PluginRegistry([MemoryPlugin.self])
    return try await cinema(in: registry.open(url: "memory:", schema: CinemaSchema.self))
}

/// A store with the same films.
func cinema(in store: any Store) async throws -> any Store {
    try await store.write { tx in
        let varda = try tx.insert(Director(name: "Agnès Varda"))
        let tati = try tx.insert(Director(name: "Jacques Tati"))
        let cleo = try tx.insert(Film(title: "Cléo from 5 to 7", year: 1962, director: varda.id, rating: 7.9))
        try tx.insert(
            Film(title: "The Gleaners and I", year: 2000, director: varda.id, genre: .documentary))
        try tx.insert(Film(title: "Playtime", year: 1967, director: tati.id, genre: .comedy, rating: 7.8))
        try tx.insert(Screening(film: cleo.id, start: Date(timeIntervalSince1970: 1_700_000_000)))
        let corinne = try tx.insert(Performer(name: "Corinne Marchand"))
        try tx.insert(Role(film: cleo.id, performer: corinne.id, character: "Cléo"))
    }
    return store
}

@Suite("The article on models")
struct ModelsArticle {
    @Test("a model is a value, and its relationships are ids and queries")
    func values() async throws {
        let store = try await cinema()
        let titles = try await store.read { tx in
            guard let varda = try tx.first(Director.where(#Predicate { $0.name == "Agnès Varda" })) else {
                return [] as [String]
            }
            return try tx.fetch(varda.films.sorted(by: \.year)).map(\.title)
        }
        #expect(titles == ["Cléo from 5 to 7", "The Gleaners and I"])
    }

    @Test("a link joins many to many")
    func links() async throws {
        let store = try await cinema()
        let (titles, names) = try await store.read { tx in
            let corinne = try #require(try tx.first(Performer.all))
            let films = try tx.fetch(
                Film.where(#Predicate { $0.roles.contains { $0.performer == corinne.id } }))
            let early = #Predicate<Performer> { $0.roles.contains { $0.film[\.year] < 1965 } }
            let performers = try tx.fetch(Performer.where(early).sorted(by: \.name))
            return (films.map(\.title), performers.map(\.name))
        }
        #expect(titles == ["Cléo from 5 to 7"])
        #expect(names == ["Corinne Marchand"])
        try await store.write { _ = try $0.delete(Film.all) }
        #expect(try await store.read { try $0.count(Role.all) } == 0)
    }

    @Test("a delete rule protects rows")
    func rules() async throws {
        let store = try await cinema()
        do {
            try await store.write { try $0.delete(Director.all) }
        } catch let error as StoreError where error.code == .foreignKey {
            print("\(error)")  // names Film.director, which is in the way
        }
        #expect(try await store.read { try $0.count(Director.all) } == 2)
    }
}
