import Foundation
import MemoryStore
import Switchyard
import Testing

@Model
struct Poster {
    let id: ID
    var title: String = ""
    @Attribute(.withoutHistory) var views: Int = 0
    @Attribute(.withoutEarlierValues) var picture: Data?
}

@Model(.withoutHistory)
struct Thumbnail {
    let id: ID
    var poster: Poster.ID?
}

private enum PosterSchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Poster.self, Thumbnail.self]
}

@Suite("The article on the history")
struct HistoryArticle {
    private let registry: PluginRegistry
    private let url = "memory:"

    init() throws { registry = try PluginRegistry([MemoryPlugin.self]) }

    private func withStore(_ body: (any Store) async throws -> Void) async throws {
        let options = OpenOptions(keepsHistory: true, author: "app", device: "Mia's phone")
        let store = try await registry.open(url: url, schema: CinemaSchema.self, options: options)
        try await store.write { _ = try $0.insert(Director(name: "Agnès Varda")) }
        try await body(store)
    }

    @Test("a history is kept from the beginning, with its author, and read")
    func reading() async throws {
        try await withStore { store in
            try await store.write { _ = try $0.insert(Film(title: "Playtime", year: 1967)) }
            let transactions = try await store.read { try $0.history() }
            for transaction in transactions {
                for change in try transaction.changes.all() where change.id(of: Film.self) != nil {
                    let title = change.before(\Film.title) ?? "as it was"
                    print(transaction.author ?? "somebody", change.kind, title)
                }
            }
            #expect(transactions.map(\.author) == ["app", "app"])
            #expect(transactions.map(\.device) == ["Mia's phone", "Mia's phone"])
        }
    }

    @Test("a history is begun for an existing store")
    func beginning() async throws {
        let store = try await cinema()
        try await store.keepHistory()
        try await store.write { _ = try $0.delete(Film.all) }
        #expect(try await store.read { try $0.history() }.count == 1)
    }

    @Test("a history is followed with a token")
    func following() async throws {
        try await withStore { store in
            var token = try await store.read { try $0.historyToken() }
            try await store.write { _ = try $0.delete(Director.all) }
            let news = try await store.read { [token] tx in try tx.history(after: token) }
            token = news.last?.token ?? token
            #expect(news.count == 1)
            #expect(token.sequence == 2)
        }
    }

    @Test("a history leaves out what the models say")
    func leavingOut() async throws {
        let store = try await registry.open(url: url, schema: PosterSchema.self)
        try await store.keepHistory()
        let poster = Poster(title: "Playtime", picture: Data([1]))
        try await store.write { tx in
            try tx.insert(poster)
            try tx.insert(Thumbnail(poster: poster.id))
        }
        try await store.write { _ = try $0.update(Poster.all, set: [.set(\.views, to: 1)]) }
        try await store.write { _ = try $0.update(Poster.all, set: [.set(\.picture, to: Data([2]))]) }
        let changes = try await store.read { try $0.history() }.flatMap { try $0.changes.all() }
        #expect(changes.map(\.entity) == ["Poster", "Poster"])
        #expect(changes.map(\.attributes) == [[], ["picture"]])
        #expect(changes.map { $0.before("picture") } == [nil, nil])
    }

    @Test("a history is pruned")
    func pruning() async throws {
        try await withStore { store in
            try await store.write { _ = try $0.delete(Director.all) }
            let retention = HistoryRetention(transactions: 10_000, seconds: 90 * 86_400)
            try await store.keepHistory(retention: retention)
            try await store.pruneHistory()
            #expect(try await store.read { try $0.history() }.count == 2)
        }
    }

    @Test("a consumer follows a history and keeps its token in the store")
    func consumer() async throws {
        try await withStore { store in
            for _ in 1...2 {
                try await store.write { tx in
                    let news = try tx.history(after: try tx.historyToken(ofConsumer: "index"))
                    try updateIndex(news, in: tx)
                    if let last = news.last { try tx.setHistoryToken(last.token, ofConsumer: "index") }
                }
            }
            let directors = try await store.read { try $0.fetch(Director.all).map(\.name) }
            #expect(directors == ["Agnès Varda", "After [1]", "After [2]"])
            #expect(try await store.pruneHistory(keepingLast: 0) == 2)
        }
    }

    @Test("an undo reverts the last transaction of a history")
    func undo() async throws {
        try await withStore { store in
            try await store.undoLast(device: "Mia's phone")
            #expect(try await store.read { try $0.count(Director.all) } == 0)
        }
    }
}

/// What the consumer does with the news.
private nonisolated func updateIndex(_ news: [HistoryTransaction], in tx: WriteTransaction) throws {
    try tx.insert(Director(name: "After \(news.map(\.sequence))"))
}
