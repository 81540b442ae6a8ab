import Foundation
import SwitchyardCore
import SwitchyardMirror
import TestBackends
import Testing

@Suite("A mirrored store")
struct MirroredStoreTests {
    private static let schema = Result {
        try Schema(
            version: SchemaVersion(1, 0, 0),
            entities: [
                Entity(
                    "Baby",
                    attributes: [
                        Attribute("id", type: .uuid), Attribute("name", type: .text),
                        Attribute("weight", type: .int),
                    ], uniqueConstraints: [UniqueConstraint(["name"])])
            ])
    }

    private static let mia = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    private static let ben = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2))

    private static func row(_ id: UUID, _ name: String, _ weight: Int64) -> [StoredValue] {
        [.uuid(id), .text(name), .int(weight)]
    }

    private static func insert(_ row: [StoredValue], into store: any Store) async throws {
        try await store.write { try $0.insertRows(into: "Baby", [row]) }
    }

    private static func setWeight(_ weight: Int64, in store: any Store) async throws {
        try await store.write { tx in
            try tx.updateRows(
                of: "Baby", set: [Assignment(attribute: "weight", value: .value(.int(weight)))],
                where: .compare(.attribute("id"), .equal, .value(.uuid(mia))))
        }
    }

    private static func rows(_ store: any Store) async throws -> [[StoredValue]] {
        try await store.read { try $0.fetchRows(of: "Baby", sortedBy: [SortKey("id")]) }
    }

    /// A place where an open store is found, unless the network is cut.
    private actor Cloud {
        private let store: any Store
        private var isReachable: Bool

        init(_ store: any Store, isReachable: Bool = true) {
            (self.store, self.isReachable) = (store, isReachable)
        }

        func connect() { isReachable = true }

        func open() throws -> any Store {
            guard isReachable else { throw StoreError(.connectionLost, "The server cannot be reached.") }
            return OpenedStore(base: store)
        }

        nonisolated var server: MirrorServer {
            .direct(StorePlace("cloud") { _ in try await self.open() })
        }
    }

    /// A store that stays open when it is closed, since the test goes on with it.
    private struct OpenedStore: WrappingStore {
        let base: any Store
        func close() async throws {}
    }

    private static func withStores(
        _ backend: TestBackend, _ body: (any Store, any Store, any Store) async throws -> Void
    ) async throws {
        let schema = try schema.get()
        try await backend.withStore(schema) { server in
            try await TestBackend.sqlite.withStore(schema) { first in
                try await TestBackend.sqlite.withStore(schema) { second in
                    try await body(server, first, second)
                }
            }
        }
    }

    /// Waits until the rows of a store are those that are expected.
    private static func expect(_ expected: [[StoredValue]], in store: any Store) async throws {
        for try await rows in store.observe({ try $0.fetchRows(of: "Baby", sortedBy: [SortKey("id")]) }) {
            if rows == expected { return }
        }
        Issue.record("The store was closed.")
    }

    @Test(
        "a write appears on another device without anybody asking", .timeLimit(.minutes(1)),
        arguments: TestBackend.available)
    func live(backend: TestBackend) async throws {
        try await Self.withStores(backend) { server, first, second in
            let cloud = Cloud(server)
            let here = try await MirroredStore.open(OpenedStore(base: first), mirroring: cloud.server)
            let there = try await MirroredStore.open(OpenedStore(base: second), mirroring: cloud.server)
            try await Self.insert(Self.row(Self.mia, "Mia", 4_000), into: here)
            try await Self.expect([Self.row(Self.mia, "Mia", 4_000)], in: there)
            try await Self.setWeight(4_100, in: there)
            try await Self.expect([Self.row(Self.mia, "Mia", 4_100)], in: here)
            #expect(try await Self.rows(server) == [Self.row(Self.mia, "Mia", 4_100)])
            try await here.close()
            try await there.close()
        }
    }

    @Test("a cloud that cannot be reached keeps nobody from writing, and the status says so")
    func offline() async throws {
        try await Self.withStores(.sqlite) { server, first, _ in
            let cloud = Cloud(server, isReachable: false)
            let store = try await MirroredStore.open(OpenedStore(base: first), mirroring: cloud.server)
            try await Self.insert(Self.row(Self.mia, "Mia", 4_000), into: store)
            await #expect(throws: StoreError.self) { try await store.exchange() }
            #expect(store.status.phase == .waiting)
            #expect(store.status.problem?.code == .connectionLost)
            #expect(store.status.lastExchange == nil)
            await cloud.connect()
            try await store.exchange()
            #expect(store.status.phase == .upToDate)
            #expect(store.status.problem == nil)
            #expect(store.status.pending == 0)
            #expect(store.status.lastExchange != nil)
            #expect(try await Self.rows(server) == [Self.row(Self.mia, "Mia", 4_000)])
            try await store.close()
        }
    }

    @Test(
        "a value that lost is in the log of both devices, and can be restored or dismissed",
        arguments: TestBackend.available)
    func conflict(backend: TestBackend) async throws {
        try await Self.withStores(backend) { server, first, second in
            try await Self.insert(Self.row(Self.mia, "Mia", 4_000), into: first)
            let remote = StoreRemote(server)
            let here = try await MirrorSession.open(first, remote: remote, name: "here")
            let there = try await MirrorSession.open(second, remote: remote, name: "there")
            try await here.exchange()
            try await there.exchange()
            try await Self.setWeight(4_100, in: first)
            try await Self.setWeight(4_200, in: second)
            try await here.exchange()
            try await there.exchange()
            try await here.exchange()
            let entries = try await first.mirrorConflicts()
            #expect(try await second.mirrorConflicts() == entries)
            let entry = try #require(entries.first)
            #expect(entries.count == 1)
            #expect(entry.reason == .edited && entry.entity == "Baby" && entry.row == Self.mia)
            #expect(entry.device == "there")
            #expect(entry.values.map(\.attribute) == ["weight"])
            #expect(entry.values.first?.losing == .int(4_100))
            #expect(entry.values.first?.winning == .int(4_200))
            try await first.restore(entry)
            await #expect(throws: StoreError.self) { try await first.restore(entry) }
            try await here.exchange()
            try await there.exchange()
            #expect(try await Self.rows(second) == [Self.row(Self.mia, "Mia", 4_100)])
            #expect(try await first.mirrorConflicts().isEmpty)
            try await second.dismiss(entry)
            #expect(try await second.mirrorConflicts().isEmpty)
        }
    }

    @Test("a rejected write is kept until it is made again or discarded")
    func rejected() async throws {
        try await Self.withStores(.sqlite) { server, first, second in
            let remote = StoreRemote(server)
            let here = try await MirrorSession.open(first, remote: remote, name: nil)
            let there = try await MirrorSession.open(second, remote: remote, name: nil)
            try await Self.insert(Self.row(Self.mia, "Mia", 4_000), into: first)
            try await Self.insert(Self.row(Self.ben, "Mia", 3_000), into: second)
            try await here.exchange()
            try await there.exchange()
            #expect(try await Self.rows(second) == [Self.row(Self.mia, "Mia", 4_000)])
            let rejected = try #require(try await second.rejectedWrites().first)
            #expect(rejected.reason == .unique && rejected.entity == "Baby")
            #expect(rejected.changes.map(\.row) == [Self.ben])
            // The name is still taken.
            await #expect(throws: StoreError.self) { try await second.retry(rejected) }
            #expect(try await second.rejectedWrites() == [rejected])
            try await first.write { tx in _ = try tx.deleteRows(of: "Baby", where: .constant(true)) }
            try await here.exchange()
            try await there.exchange()
            try await second.retry(rejected)
            try await there.exchange()
            #expect(try await Self.rows(server) == [Self.row(Self.ben, "Mia", 3_000)])
            #expect(try await second.rejectedWrites().isEmpty)
            await #expect(throws: StoreError.self) { try await second.discard(rejected) }
        }
    }

    @Test("a mirror ends with nothing unsent, or by saying so, and its rows stay")
    func leaving() async throws {
        try await Self.withStores(.sqlite) { server, first, second in
            let cloud = Cloud(server)
            let store = try await MirroredStore.open(OpenedStore(base: first), mirroring: cloud.server)
            try await Self.insert(Self.row(Self.mia, "Mia", 4_000), into: store)
            try await store.exchange()
            try await store.stop()
            #expect(try await Self.rows(first) == [Self.row(Self.mia, "Mia", 4_000)])
            // It is a store like any other now, and may be the mirror of another server.
            let session = try await MirrorSession.open(first, remote: StoreRemote(second), name: nil)
            try await session.exchange()
            #expect(try await Self.rows(second) == [Self.row(Self.mia, "Mia", 4_000)])
            try await Self.setWeight(4_100, in: first)
            await #expect(throws: StoreError.self) { try await first.endMirror(discardingUnsent: false) }
            try await first.endMirror(discardingUnsent: true)
            #expect(try await Self.rows(first) == [Self.row(Self.mia, "Mia", 4_100)])
            #expect(try await Self.rows(second) == [Self.row(Self.mia, "Mia", 4_000)])
            try await store.close()
        }
    }

    @Test("a server does not become a mirror, nor a mirror a server")
    func roles() async throws {
        try await Self.withStores(.sqlite) { server, first, second in
            _ = try await MirrorSession.open(first, remote: StoreRemote(server), name: nil)
            await #expect(throws: StoreError.self) {
                try await MirroredStore.open(server, mirroring: Cloud(second).server)
            }
            await #expect(throws: StoreError.self) {
                try await MirrorSession.open(second, remote: StoreRemote(first), name: nil)
            }
        }
    }
}
