import Foundation
import Switchyard
import SwitchyardCore
import SwitchyardMirror
import TestBackends
import Testing

@Suite("Undo in a mirrored store")
struct MirrorUndoTests {
    private static func withMia(
        _ backend: TestBackend,
        _ body: (
            _ server: any Store, _ first: (store: any Store, session: MirrorSession),
            _ second: (store: any Store, session: MirrorSession)
        ) async throws -> Void
    ) async throws {
        try await TestBackend.withNursery(backend) { server, first, second in
            try await server.write { _ = try $0.insert(Nursery1.Baby(name: "Mia", weight: 1)) }
            let sessions = try await (
                MirrorSession.begin(first, server, name: "first"),
                MirrorSession.begin(second, server, name: "second")
            )
            try await body(server, (first, sessions.0), (second, sessions.1))
        }
    }

    private static func set(_ weight: Int, in store: any Store) async throws {
        try await store.write { _ = try $0.update(Nursery1.Baby.all, set: [.set(\.weight, to: weight)]) }
    }

    private static func weights(_ store: any Store) async throws -> [Int] {
        try await store.read { try $0.fetch(Nursery1.Baby.all, \.weight) }
    }

    @Test(
        "an undo of what was sent is sent as any other write, and so is its own undo",
        arguments: TestBackend.available)
    func sent(backend: TestBackend) async throws {
        try await Self.withMia(backend) { server, first, second in
            try await Self.set(2, in: first.store)
            try await settle(first.session, second.session)
            let undone = try #require(try await first.store.undoLast())
            try await settle(first.session, second.session)
            #expect(try await Self.weights(second.store) == [1])
            // The server's history says whose undo it is.
            let last = try #require(try await server.read { try $0.history() }.last)
            #expect(last.undone == undone.id)
            let undo = try #require(try await first.store.read { try $0.history() }.last { $0.origin == nil })
            #expect(undo.undone == undone.id)
            try await first.store.undo(undo)
            try await settle(first.session, second.session)
            #expect(try await Self.weights(second.store) == [2])
            try await expectEqual(["Baby"], server, first.store, second.store)
        }
    }

    @Test("an undo is refused once the other device's edit of the same value has arrived")
    func inTheWay() async throws {
        try await Self.withMia(.sqlite) { server, first, second in
            try await Self.set(2, in: first.store)
            try await settle(first.session, second.session)
            try await Self.set(3, in: second.store)
            try await settle(second.session, first.session)
            await #expect {
                try await first.store.undoLast()
            } throws: {
                ($0 as? StoreError)?.code == .undoConflict
            }
            #expect(try await Self.weights(first.store) == [3])
        }
    }

    @Test(
        "an undo that has not seen the other device's edit is merged with it",
        arguments: TestBackend.available)
    func unseen(backend: TestBackend) async throws {
        try await Self.withMia(backend) { server, first, second in
            try await Self.set(2, in: first.store)
            try await settle(first.session, second.session)
            try await second.store.write {
                _ = try $0.update(Nursery1.Baby.all, set: [.set(\.name, to: "Ann")])
            }
            try await Self.set(3, in: second.store)
            try await second.session.exchange()
            // It is the later edit of the weight, and none of the name.
            try await first.store.undoLast()
            try await settle(first.session, second.session)
            #expect(try await Self.weights(server) == [1])
            #expect(try await server.read { try $0.fetch(Nursery1.Baby.all, \.name) } == ["Ann"])
            try await expectEqual(["Baby"], server, first.store, second.store)
        }
    }

    @Test(
        "the last write to undo is never another device's, and not what the server had when the device joined"
    )
    func own() async throws {
        try await Self.withMia(.sqlite) { server, first, second in
            #expect(try await first.store.read { try $0.lastUndoable() } == nil)
            try await first.store.write { _ = try $0.insert(Nursery1.Feed(amount: 90)) }
            try await settle(first.session, second.session)
            try await Self.set(3, in: second.store)
            try await settle(second.session, first.session)
            #expect(try await second.store.undoLast(device: "first") == nil)
            let undone = try #require(try await first.store.undoLast())
            #expect(undone.entities == ["Feed"])
            #expect(try await first.store.undoLast() == nil)
            try await settle(first.session, second.session)
            #expect(try await Self.weights(server) == [3])
            #expect(try await server.rows(of: "Feed").isEmpty)
            try await expectEqual(["Baby", "Feed"], server, first.store, second.store)
        }
    }

    @Test("10,000 rows that are imported offline are one mutation, and are undone as one")
    func bulk() async throws {
        try await Self.withMia(.sqlite) { server, first, second in
            let feeds = (0..<10_000).map { Nursery1.Feed(amount: $0) }
            try await first.store.write { _ = try $0.insert(contentsOf: feeds) }
            try await settle(first.session, second.session)
            let sent = try await server.transactions(from: try await first.store.marker().storeID)
            #expect(sent.map { $0.changes.count } == [10_000])
            #expect(try await second.store.rows(of: "Feed").count == 10_000)
            try await first.store.undoLast()
            try await settle(first.session, second.session)
            #expect(try await second.store.rows(of: "Feed").isEmpty)
            try await expectEqual(["Baby", "Feed"], server, first.store, second.store)
        }
    }
}
