import Foundation
import MemoryStore
import SQLiteStore
import Switchyard
import Testing

@Model
struct Watched: Equatable {
    #Unique<Watched>([\.position])

    let id: ID
    var film: Film.ID
    var position: Int = 0
}

private enum WatchlistSchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = CinemaSchema.models + [Watched.self]
}

@Suite("The article on transactions")
struct TransactionsArticle {
    @Test("all of a write is kept, or none")
    func atomic() async throws {
        let store = try await cinema()
        let film = try await store.write { tx in
            let wenders = try tx.insert(Director(name: "Wim Wenders"))
            return try tx.insert(Film(title: "Paris, Texas", year: 1984, director: wenders.id))
        }
        #expect(try await store.read { try $0.find(film.id) } == film)
    }

    @Test("rows are updated, upserted and deleted by value and by query")
    func changes() async throws {
        let store = try await cinema()
        try await store.write { tx in
            for var film in try tx.fetch(Film.where(#Predicate { $0.rating == nil })) {
                film.rating = 8
                try tx.update(film)
            }
            try tx.update(Screening.all, set: [.set(\.seats, to: #Expression { $0.seats + 20 })])
            try tx.upsert(Director(name: "Jacques Tati"), on: \.name)
            let comedy = Genre.comedy
            try tx.delete(Film.where(#Predicate { $0.genre == comedy }))
        }
        let (ratings, seats) = try await store.read { tx in
            (
                try tx.fetch(Film.sorted(by: \.year)).map(\.rating),
                try tx.aggregate(Screening.all, .sum(\.seats))
            )
        }
        #expect(ratings == [7.9, 8])
        #expect(seats == 100)
    }

    @Test("one update postpones, and moves unique numbers")
    func moves() async throws {
        let registry = try PluginRegistry([MemoryPlugin.self])
        let store = try await cinema(in: registry.open(url: "memory:", schema: WatchlistSchema.self))
        let cleo = try #require(
            try await store.read { try $0.first(Film.where(\.title, .equal, "Cléo from 5 to 7")) })
        let (first, last) = try await store.write { tx in
            let entries = try (0..<2).map { try tx.insert(Watched(film: cleo.id, position: $0)) }
            return (entries[0].id, entries[1].id)
        }
        try await store.write { tx in
            let nextWeek = #Expression<Screening, Date> { $0.start + 604_800 }
            try tx.update(
                Screening.where(#Predicate { $0.film == cleo.id }), set: [.set(\.start, to: nextWeek)])
            try tx.append(Watched(film: cleo.id), to: Watched.all, by: \.position)
            try tx.reorder([last, first], by: \.position)
        }
        let (starts, entries) = try await store.read { tx in
            (try tx.fetch(Screening.all, \.start), try tx.fetch(Watched.sorted(by: \.position)))
        }
        let copied = try await store.write { tx in
            try tx.insert(
                Watched.self, from: Film.where(\.genre, .equal, .comedy).sorted(by: \.title),
                setting: [.set(\.film, to: \.id), .set(\.position, to: \.year)])
        }
        let comedies = try await store.read { try $0.count(Film.where(\.genre, .equal, .comedy)) }
        #expect(copied == comedies)
        #expect(starts == [Date(timeIntervalSince1970: 1_700_604_800)])
        #expect(entries.map(\.position) == [0, 1, 2])
        #expect(entries.prefix(2).map(\.id) == [last, first])
    }

    @Test("a part that fails is undone by itself")
    func nested() async throws {
        let store = try await cinema()
        let count = try await store.write { tx in
            do {
                try tx.nested {
                    try tx.insert(Director(name: "Agnès Varda"))
                }
            } catch let error as StoreError where error.code == .unique {
                // She is there already; the write goes on.
            }
            try tx.insert(Director(name: "Chantal Akerman"))
            return try tx.count(Director.all)
        }
        #expect(count == 3)
    }

    @Test("the outcome of a commit can be looked up")
    func operations() async throws {
        let store = try await cinema()
        let operation = OperationID()
        do {
            try await store.write(WriteOptions(operation: operation)) { tx in
                try tx.insert(Director(name: "Claire Denis"))
            }
        } catch let error as StoreError where error.code == .outcomeUnknown {
            guard try await store.wasCommitted(operation) else { throw error }
        }
        #expect(try await store.wasCommitted(operation))
    }

    @Test("a store that has moved refuses writes")
    func roles() async throws {
        let store = try await cinema()
        try await store.changeRole(to: .superseded, successor: "postgres://cinema@server/films")
        do {
            try await store.write { try $0.delete(Film.all) }
            Issue.record("a superseded store was written")
        } catch let error as StoreError where error.code == .outOfService {
            #expect(error.successor == "postgres://cinema@server/films")
        }
    }

    @Test("households share a store, each in a scope of its own")
    func scopes() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let registry = try PluginRegistry([SQLitePlugin.self])
        let url = "sqlite:\(directory.appending(path: "cinema.sqlite").path)"
        let (home, away) = (StoreScope(), StoreScope())
        let store = try await registry.open(
            url: url, schema: CinemaSchema.self, options: OpenOptions(scope: home))
        try await store.write { try $0.insert(Director(name: "Wim Wenders")) }
        try await store.write(WriteOptions(scope: away)) { try $0.insert(Director(name: "Claire Denis")) }
        let directors = try await store.read(ReadOptions(scopes: [home, away])) { tx in
            try tx.fetchScoped(Director.sorted(by: \.name))
        }
        #expect(directors.map(\.element.name) == ["Claire Denis", "Wim Wenders"])
        #expect(directors.map(\.scope) == [away, home])
        #expect(try await store.read { try $0.count(Director.all) } == 1)
        try await store.close()
    }
}
