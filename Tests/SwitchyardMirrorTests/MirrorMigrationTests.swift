import Foundation
import Switchyard
import SwitchyardCore
import SwitchyardMirror
import TestBackends
import Testing

@Suite("A mirrored store that is migrated")
struct MirrorMigrationTests {
    private static let entities = ["Baby", "Feed"]

    /// The place of a store, to be opened in any version.
    private struct Place {
        let open: TestBackend.Opener

        func first() async throws -> any Store { try await open(try Nursery1.schema, OpenOptions()) }

        /// Migrates as any program does, which may not know the mirror.
        func migrated(to version: Int = 2) async throws -> any Store {
            let plan = try MigrationPlan(
                versions: NurseryPlan.schemas.prefix(version).map { try $0.schema },
                stages: Array(NurseryPlan.stages.prefix(version - 1)))
            return try await plan.open(OpenOptions(), status: { _ in }, open)
        }
    }

    private static func withPlaces(
        _ backend: TestBackend,
        _ body: (_ server: Place, _ first: Place, _ second: Place) async throws -> Void
    ) async throws {
        try await backend.withPlace { server in
            try await TestBackend.sqlite.withPlace { first in
                try await TestBackend.sqlite.withPlace { second in
                    try await body(Place(open: server), Place(open: first), Place(open: second))
                }
            }
        }
    }

    /// Opens the three stores in the first version with a baby that all of them have.
    private static func prepare(
        _ places: [Place], _ body: ([any Store]) async throws -> Void
    ) async throws -> Nursery1.Baby {
        let mia = Nursery1.Baby(name: "Mia", weight: 4_000)
        var stores: [any Store] = []
        for place in places { stores.append(try await place.first()) }
        try await stores[0].keepHistory()
        try await stores[0].write { _ = try $0.insert(mia) }
        for device in stores.dropFirst() { _ = try await MirrorSession.begin(device, stores[0]) }
        try await body(stores)
        for store in stores { try await store.close() }
        return mia
    }

    private static func closing(_ stores: [any Store], _ body: () async throws -> Void) async throws {
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        for store in stores { try await store.close() }
        try result.get()
    }

    @Test(
        "what was not sent before a migration is sent after it, once each, and nothing that a stage has made",
        arguments: TestBackend.available)
    func pending(backend: TestBackend) async throws {
        try await Self.withPlaces(backend) { serverPlace, firstPlace, secondPlace in
            let feed = Nursery1.Feed(baby: nil, amount: 90)
            let gone = Nursery1.Feed(baby: nil, amount: 30)
            let mia = try await Self.prepare([serverPlace, firstPlace, secondPlace]) { stores in
                let first = stores[1]
                let mia = try #require(try await first.read { try $0.fetch(Nursery1.Baby.all) }.first)
                // One that is sealed, and is not sent; and others that are not sealed.
                try await first.write { _ = try $0.insert(gone) }
                try await first.seal()
                try await first.write {
                    _ = try $0.update(Nursery1.Baby.all, set: [.set(\.name, to: "Mia Rose")])
                }
                try await first.write { tx in
                    _ = try tx.insert(Nursery1.Feed(id: feed.id, baby: mia.id, amount: 90))
                    _ = try tx.delete(Nursery1.Feed.where(#Predicate { $0.amount == 30 }))
                }
            }
            let (server, first, second) = try await (
                serverPlace.migrated(), firstPlace.migrated(), secondPlace.migrated()
            )
            try await Self.closing([server, first, second]) {
                try await first.write {
                    _ = try $0.update(Nursery2.Baby.all, set: [.set(\.name, to: "Rose")])
                }
                let sessions = try await (
                    MirrorSession.begin(first, server), MirrorSession.begin(second, server)
                )
                try await settle(sessions.0, sessions.1)
                try await expectEqual(Self.entities + ["Note"], server, first, second)
                #expect(
                    try await server.rows(of: "Baby") == [
                        [.uuid(mia.id.uuid), .text("Rose"), .int(40_000), .null]
                    ])
                #expect(
                    try await server.rows(of: "Feed")
                        == [[.uuid(feed.id.uuid), .uuid(mia.id.uuid), .int(90), .null]])
                #expect(try await server.rows(of: "Note").count == 1)
                let sent = try await server.transactions(from: try await first.marker().storeID)
                #expect(sent.map { $0.changes.count } == [1, 1, 2, 1])
                let names = try sent.flatMap { try $0.changes.all() }.filter { $0.entity == "Baby" }
                #expect(names.map { $0.before("name") } == [.text("Mia"), .text("Mia Rose")])
                #expect(try await server.transactions(from: try await second.marker().storeID).isEmpty)
                #expect(try await first.pending() == 0)
            }
        }
    }

    @Test("a device that was migrated twice without an exchange sends what it wrote in each version")
    func stages() async throws {
        try await Self.withPlaces(.sqlite) { serverPlace, firstPlace, secondPlace in
            let mia = try await Self.prepare([serverPlace, firstPlace, secondPlace]) { stores in
                try await stores[1].write {
                    _ = try $0.update(Nursery1.Baby.all, set: [.set(\.name, to: "Ann")])
                }
            }
            try await firstPlace.migrated().closing { first in
                try await first.write { tx in
                    _ = try tx.update(
                        Nursery2.Baby.all, set: [.set(\.name, to: "Eve"), .set(\.nickname, to: "E")])
                }
            }
            let (server, first, second) = try await (
                serverPlace.migrated(to: 3), firstPlace.migrated(to: 3), secondPlace.migrated(to: 3)
            )
            try await Self.closing([server, first, second]) {
                try await first.write {
                    _ = try $0.update(Nursery3.Baby.all, set: [.set(\.eyes, to: "brown")])
                }
                let sessions = try await (
                    MirrorSession.begin(first, server), MirrorSession.begin(second, server)
                )
                try await settle(sessions.0, sessions.1)
                try await expectEqual(Self.entities, server, first, second)
                #expect(
                    try await second.rows(of: "Baby") == [
                        [.uuid(mia.id.uuid), .text("Eve"), .int(40_000), .text("E"), .text("brown")]
                    ])
                let sent = try await server.transactions(from: try await first.marker().storeID)
                let changes = try sent.flatMap { try $0.changes.all() }
                #expect(changes.map(\.attributes) == [["name"], ["name", "nickname"], ["eyes"]])
                #expect(changes.map { $0.before("name") } == [.text("Mia"), .text("Ann"), nil])
            }
        }
    }

    @Test("changes whose words a program without the mirror has lost are refused, and stay where they are")
    func forgotten() async throws {
        try await Self.withPlaces(.sqlite) { serverPlace, firstPlace, secondPlace in
            _ = try await Self.prepare([serverPlace, firstPlace, secondPlace]) { stores in
                for device in stores.dropFirst() {
                    let (first, role) = (stores[1], try await device.marker().mirror)
                    if device.info.location == first.info.location {
                        try await device.write {
                            _ = try $0.update(Nursery1.Baby.all, set: [.set(\.name, to: "Ann")])
                        }
                    }
                    // A program that does not know the mirror leaves it out of the marker.
                    #expect(role != nil)
                    try await device.setMirrorRole(nil)
                }
            }
            let (server, first, second) = try await (
                serverPlace.migrated(), firstPlace.migrated(), secondPlace.migrated()
            )
            try await Self.closing([server, first, second]) {
                let session = try await MirrorSession.open(first, remote: StoreRemote(server), name: nil)
                await #expect {
                    try await session.exchange()
                } throws: {
                    ($0 as? StoreError)?.code == .schemaMismatch
                }
                #expect(try await first.read { try $0.fetch(Nursery2.Baby.all, \.name) } == ["Ann"])
                #expect(try await server.read { try $0.fetch(Nursery2.Baby.all, \.name) } == ["Mia"])
                // The other one had nothing to send, and goes on.
                _ = try await MirrorSession.begin(second, server)
                try await second.write {
                    _ = try $0.update(Nursery2.Baby.all, set: [.set(\.name, to: "Eve")])
                }
                _ = try await MirrorSession.begin(second, server)
                #expect(try await server.read { try $0.fetch(Nursery2.Baby.all, \.name) } == ["Eve"])
            }
        }
    }

    @Test("what was not sent is not pruned, even if consumers may be left behind")
    func pruning() async throws {
        try await TestBackend.withNursery(.sqlite) { server, first, _ in
            let session = try await MirrorSession.begin(first, server)
            for name in ["a", "b", "c"] {
                try await first.write { _ = try $0.insert(Nursery1.Baby(name: name, weight: 1)) }
            }
            #expect(try await first.pruneHistory(keepingLast: 1, leavingConsumersBehind: true) == 0)
            try await session.exchange()
            #expect(try await first.pruneHistory(keepingLast: 1) > 0)
            try await expectEqual(["Baby"], server, first)
            #expect(try await server.rows(of: "Baby").count == 3)
        }
    }
}
