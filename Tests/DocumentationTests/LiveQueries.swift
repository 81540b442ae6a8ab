import Foundation
import MemoryStore
import Switchyard
import Testing

@Suite("The article on following a store")
struct LiveQueriesArticle {
    @Test("an observed query gives its rows again when they have changed")
    func query() async throws {
        let store = try await cinema()
        let (printed, printer) = AsyncStream.makeStream(of: [String].self)
        let print: @Sendable ([String]) -> Void = { printer.yield($0) }
        let following = Task {
            for try await films in store.observe(Film.where(#Predicate { $0.rating == nil })) {
                print(films.map(\.title))
            }
        }
        var results = printed.makeAsyncIterator()
        #expect(await results.next() == ["The Gleaners and I"])
        try await store.write { _ = try $0.insert(Film(title: "Vagabond", year: 1985)) }
        #expect(await results.next()?.sorted() == ["The Gleaners and I", "Vagabond"])
        try await store.close()
        try await following.value
    }

    @Test("an observed read that touches several entities runs again for each of them")
    func body() async throws {
        let store = try await cinema()
        let counts = store.observe { tx in
            [try tx.count(Director.all), try tx.count(Film.all)]
        }
        var results = counts.makeAsyncIterator()
        let before = try #require(try await results.next())
        try await store.write { _ = try $0.insert(Director(name: "Chantal Akerman")) }
        #expect(try await results.next() == [before[0] + 1, before[1]])
        try await store.write { _ = try $0.insert(Film(title: "Playtime", year: 1967)) }
        #expect(try await results.next() == [before[0] + 1, before[1] + 1])
    }

    @MainActor
    @Test("a view's object holds the newest result")
    func live() async throws {
        let store = try await cinema()
        let films = LiveQuery(Film.all.sorted(by: \.title), of: store)
        while films.phase == .reading { await Task.yield() }
        let count = films.value.count
        try await store.write { _ = try $0.insert(Film(title: "Playtime", year: 1967)) }
        while films.value.count == count { await Task.yield() }
        #expect(
            films.value.map(\.title) == ["Cléo from 5 to 7", "Playtime", "Playtime", "The Gleaners and I"])
        let typed = "Cle"
        films.follow(Film.where(#Predicate { $0.title[\.folded].starts(with: typed) }))
        while films.phase == .reading { await Task.yield() }
        #expect(films.value.map(\.title) == ["Cléo from 5 to 7"])
        #expect(films.error == nil)
    }

    @Test("changes() names the entities that a commit has changed")
    func changes() async throws {
        let store = try await cinema()
        let (refreshes, refreshed) = AsyncStream<Void>.makeStream()
        @Sendable func refreshWidgets() async { refreshed.yield() }
        let (isFollowing, following) = AsyncStream<Void>.makeStream()
        let task = Task {
            following.yield()
            for try await change in store.changes() {
                if change.entities?.contains("Film") != false { await refreshWidgets() }
            }
        }
        for await _ in isFollowing { break }
        let writing = Task {
            // The follower may begin after any of these.
            while !Task.isCancelled {
                try await store.write { _ = try $0.insert(Film(title: UUID().uuidString, year: 1967)) }
            }
        }
        for await _ in refreshes { break }
        writing.cancel()
        _ = await writing.result
        try await store.close()
        try await task.value
    }
}
