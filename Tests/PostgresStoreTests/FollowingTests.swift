import Foundation
import PostgresTestServer
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("Followers of a PostgreSQL store", .needsServer, .timeLimit(.minutes(1)))
struct FollowingTests {
    /// Lends two openings of a store that keeps a history, and the number of rows as the first one observes it.
    private func withStores(
        _ settings: String = "", scope: StoreScope? = nil,
        _ body: (TestPlace, any Store, inout Counts) async throws -> Void
    ) async throws {
        try await TestPlace.with { place in
            let other = try await place.open(version: 1, scope: scope)
            try await other.keepHistory()
            let store = try await place.open(version: 1, settings, scope: scope)
            var counts = Counts(store.observe { try $0.countRows(of: "Baby") })
            #expect(try await counts.next() == 0)
            try await body(place, other, &counts)
            try await store.close()
            try await other.close()
        }
    }

    struct Counts {
        private var iterator: StoreObservation<Int>.AsyncIterator

        init(_ observation: StoreObservation<Int>) { iterator = observation.makeAsyncIterator() }

        mutating func next() async throws -> Int? { try await iterator.next() }
    }

    private static func listeners(_ place: TestPlace) async throws -> [[TestCell]] {
        try await TestServer.withSession { session in
            try session.rows(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE application_name = $1 AND query LIKE '%LISTEN "switchyard_%'
                """, [(.text(place.schema), .text)])
        }
    }

    @Test("a follower listens on a connection of its own, and receives each commit of others")
    func listening() async throws {
        try await withStores { place, other, counts in
            #expect(try await Self.listeners(place) == [[.integer(1)]])
            for count in 1...3 {
                try await other.write { try $0.insertRows(into: "Baby", [place.row("Mia")]) }
                #expect(try await counts.next() == count)
            }
        }
    }

    @Test("a follower listens again after a lost connection, and catches up")
    func lost() async throws {
        try await withStores { place, other, counts in
            try place.terminateOthers()
            try await other.write { try $0.insertRows(into: "Baby", [place.row("Mia")]) }
            #expect(try await counts.next() == 1)
            try await other.write { try $0.insertRows(into: "Baby", [place.row("Leo")]) }
            #expect(try await counts.next() == 2)
        }
    }

    @Test(
        "a follower polls where it cannot listen: behind a pooler, and with scopes",
        arguments: [true, false])
    func polling(isScoped: Bool) async throws {
        try await withStores(isScoped ? "" : "&pooling=transaction", scope: isScoped ? StoreScope() : nil) {
            place, other, counts in
            #expect(try await Self.listeners(place) == [[.integer(0)]])
            try await other.write { try $0.insertRows(into: "Baby", [place.row("Mia")]) }
            #expect(try await counts.next() == 1)
        }
    }

    @Test("services of a store tell each other of scopes by marks, and hear nothing of themselves")
    func scopes() async throws {
        try await TestPlace.with { place in
            let store = try await place.open(version: 1, scope: .unused)
            let other = try await place.open(version: 1, scope: .unused)
            let channel = try #require(store.commits.scopeChannel)
            let (heard, hears) = AsyncStream.makeStream(of: Set<ScopeMark>.self)
            var listener: (any Sendable & AnyObject)? = try await channel.listen { hears.yield($0) }
            let (own, others) = (StoreScope(), Set((0..<1_000).map { _ in StoreScope() }))
            try await channel.tell(of: [own])
            try await other.commits.scopeChannel?.tell(of: others)
            var marks: Set<ScopeMark> = []
            for await some in heard {
                marks.formUnion(some)
                if marks.count >= others.count { break }
            }
            #expect(marks == Set(others.map { ScopeMark($0) }))
            // Its connection is one of the store's, which waits for it when it is closed.
            withExtendedLifetime(listener) {}
            listener = nil
            let pooled = try await place.open(version: 1, "&pooling=transaction", scope: .unused)
            #expect(pooled.commits.scopeChannel == nil)
            for store in [store, other, pooled] { try await store.close() }
        }
    }

    @Test("a mark is no part of its scope")
    func marks() throws {
        let scope = try #require(StoreScope("01890a5d-ac96-774b-bcce-b302099a8057"))
        // The first 8 bytes of SHA-256 of the id's 16 bytes.
        #expect(ScopeMark(scope).text == "96f8b57a1c6de831")
        #expect(ScopeMark("96f8b57a1c6de831") == ScopeMark(scope))
        #expect(ScopeMark("x") == nil)
    }

    @Test("writers notify only if somebody listens")
    func unheard() async throws {
        try await TestPlace.with { place in
            let store = try await place.open(version: 1)
            try await store.keepHistory()
            let channel = CommitChannel(storeID: try await store.marker().storeID)
            let heard = try await withThrowingTaskGroup(of: [[String]].self) { group in
                let (isListening, mayListen) = (AsyncStream.makeStream(of: Void.self), Gate())
                group.addTask {
                    try await TestServer.withSession { session in
                        var ends: [CInt] = [0, 0]
                        #expect(pipe(&ends) == 0)
                        defer { for end in ends { close(end) } }
                        func take() throws -> [String] {
                            // The answer to a query comes after all that was notified before.
                            try session.simple("SELECT")
                            return try session.awaitNotifications(orEndOf: ends[0], atMost: .zero) ?? []
                        }
                        try session.simple("LISTEN \"\(channel.name)\"")
                        isListening.continuation.yield()
                        mayListen.wait()
                        let before = try take()
                        try session.simple(channel.listening)
                        isListening.continuation.finish()
                        var after: [String] = []
                        while after.isEmpty { after = try take() }
                        return [before, after]
                    }
                }
                var signals = isListening.stream.makeAsyncIterator()
                _ = await signals.next()
                try await store.write { try $0.insertRows(into: "Baby", [place.row("Mia")]) }
                mayListen.open()
                _ = await signals.next()
                try await store.write { try $0.insertRows(into: "Baby", [place.row("Leo")]) }
                return try await group.next() ?? []
            }
            #expect(heard.map(\.count) == [0, 1])
            try await store.close()
        }
    }
}
