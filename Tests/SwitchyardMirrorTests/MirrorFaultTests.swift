import Foundation
import GRDB
import PostgresTestServer
import SQLiteStore
import Switchyard
import SwitchyardCore
import SwitchyardMirror
import Synchronization
import TestBackends
import Testing

@Suite("A mirror and what is wrong around it")
struct MirrorFaultTests {
    private static func amounts(_ store: any Store) async throws -> [Int] {
        try await store.read { try $0.fetch(Nursery1.Feed.sorted(by: \.amount), \.amount) }
    }

    private static func add(_ amount: Int, to store: any Store) async throws {
        try await store.write { _ = try $0.insert(Nursery1.Feed(amount: amount)) }
    }

    /// Expects the exchange to fail, and the status to say why.
    private static func expectProblem(
        _ code: StoreError.Code, exchanging store: MirroredStore,
        at location: SourceLocation = #_sourceLocation
    ) async {
        let error = await #expect(throws: StoreError.self, sourceLocation: location) {
            try await store.exchange()
        }
        #expect(error?.code == code, sourceLocation: location)
        // It is gone for a moment whenever the exchange is tried again.
        for await status in store.statuses() where status.phase == .waiting {
            #expect(status.problem?.code == code, sourceLocation: location)
            break
        }
    }

    /// Opens a device's store again, which is not closed with the mirror.
    private static func mirror(_ device: any Store, to place: StorePlace) async throws -> MirroredStore {
        try await MirroredStore.open(StayingStore(base: device), mirroring: .direct(place))
    }

    private struct StayingStore: WrappingStore {
        let base: any Store
        func close() async throws {}
    }

    /// A place at which one store after the other is found.
    private final class Address: Sendable {
        private let current: Mutex<any Store>

        init(_ store: any Store) { current = Mutex(store) }

        func lead(to store: any Store) { current.withLock { $0 = store } }

        var place: StorePlace {
            StorePlace("address") { _ in StayingStore(base: self.current.withLock { $0 }) }
        }
    }

    // MARK: Another server

    @Test(
        "another server under the same address is refused and left as it is, and nothing is lost",
        arguments: TestBackend.shared)
    func otherServer(backend: TestBackend) async throws {
        try await TestBackend.withNursery(backend) { server, device, other in
            let address = Address(server)
            var store = try await Self.mirror(device, to: address.place)
            try await Self.add(1, to: store)
            try await store.exchange()
            try await store.close()
            address.lead(to: other)
            store = try await Self.mirror(device, to: address.place)
            try await Self.add(2, to: store)
            await Self.expectProblem(.identityConflict, exchanging: store)
            #expect(store.status.pending == 1)
            #expect(try await other.marker().mirror == nil)
            #expect(try await Self.amounts(other).isEmpty)
            #expect(try await Self.amounts(device) == [1, 2])
            try await store.close()
            address.lead(to: server)
            store = try await Self.mirror(device, to: address.place)
            try await store.exchange()
            #expect(try await Self.amounts(server) == [1, 2])
            try await store.close()
        }
    }

    @Test(
        "a server whose store is missing is not made anew by a device that has had one",
        arguments: TestBackend.shared)
    func missingServer(backend: TestBackend) async throws {
        let schema = try Nursery1.schema
        try await TestBackend.sqlite.withStore(schema) { device in
            try await backend.withPlace(of: schema) { there in
                try await backend.withPlace(of: schema) { nowhere in
                    // The first device makes the server's store.
                    var store = try await Self.mirror(device, to: there)
                    try await Self.add(1, to: store)
                    try await store.exchange()
                    try await store.close()
                    store = try await Self.mirror(device, to: nowhere)
                    try await Self.add(2, to: store)
                    await Self.expectProblem(.notFound, exchanging: store)
                    #expect(try await nowhere.marker() == nil)
                    #expect(try await Self.amounts(device) == [1, 2])
                    try await store.close()
                    store = try await Self.mirror(device, to: there)
                    try await store.exchange()
                    #expect(store.status.pending == 0)
                    try await store.close()
                }
            }
        }
    }

    @Test(
        "a store of another app under the address is refused and left as it is", arguments: TestBackend.shared
    )
    func otherApp(backend: TestBackend) async throws {
        let other = try Schema(
            version: SchemaVersion(1, 0, 0),
            entities: [
                Entity("Song", attributes: [Attribute("id", type: .uuid), Attribute("title", type: .text)])
            ])
        try await TestBackend.sqlite.withStore(try Nursery1.schema) { device in
            try await backend.withPlace { open in
                try await open(other, OpenOptions()).close()
                let schema = try Nursery1.schema
                let store = try await Self.mirror(
                    device, to: StorePlace("there") { try await open(schema, $0) })
                try await Self.add(1, to: store)
                await Self.expectProblem(.schemaMismatch, exchanging: store)
                #expect(try await Self.amounts(device) == [1])
                try await store.close()
                try await open(other, OpenOptions(createsIfMissing: false)).closing { song in
                    let marker = try await song.marker()
                    #expect(marker.mirror == nil && marker.history == nil)
                }
            }
        }
    }

    // MARK: The device's file

    @Test("a file that another program has locked is waited for, and read meanwhile")
    func locked() async throws {
        let schema = try Nursery1.schema
        let directory = FileManager.default.temporaryDirectory.appending(path: "locked-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(path: "store.sqlite").path
        try await TestBackend.sqlite.withStore(schema) { server in
            let registry = try PluginRegistry([SQLitePlugin.self])
            try await registry.open(url: "sqlite://\(path)?busyTimeout=0.05", schema: schema).closing {
                device in
                let store = try await Self.mirror(device, to: Address(server).place)
                try await Self.add(1, to: store)
                try await store.exchange()
                try await Self.add(2, to: store)
                var configuration = Configuration()
                configuration.busyMode = .timeout(10)
                configuration.allowsUnsafeTransactions = true
                let program = try DatabaseQueue(path: path, configuration: configuration)
                try await program.writeWithoutTransaction { database in
                    try database.execute(sql: "BEGIN IMMEDIATE")
                }
                await Self.expectProblem(.busy, exchanging: store)
                #expect(try await Self.amounts(store) == [1, 2])
                try await program.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
                try await store.exchange()
                #expect(store.status.phase == .upToDate)
                #expect(try await Self.amounts(server) == [1, 2])
                try program.close()
                try await store.close()
            }
        }
    }

    // MARK: Answers

    /// Reaches a server, and does something to one exchange with it.
    private final class HandledRemote: MirrorRemote {
        private let remote: StoreRemote
        private let alteration = Mutex<(@Sendable (ExchangePage) -> ExchangePage)?>(nil)
        private let work = Mutex<(@Sendable () async throws -> Void)?>(nil)

        init(_ server: any Store) { remote = StoreRemote(server) }

        /// Changes the next page that has rows.
        func alter(_ alteration: @escaping @Sendable (ExchangePage) -> ExchangePage) {
            self.alteration.withLock { $0 = alteration }
        }

        /// Does something while the next mutations are on their way.
        func whileSending(_ work: @escaping @Sendable () async throws -> Void) {
            self.work.withLock { $0 = work }
        }

        var scope: StoreScope? { nil }

        func connect(expecting known: UUID?) async throws -> UUID {
            try await remote.connect(expecting: known)
        }

        func exchange(_ request: ExchangeRequest, _ device: MirrorDevice) async throws -> ExchangeAnswer {
            if !request.mutations.isEmpty { try await work.take()?() }
            let answer = try await remote.exchange(request, device)
            guard case .page(let page) = answer, !page.rows.isEmpty else { return answer }
            return .page(alteration.take()?(page) ?? page)
        }

        func rows(_ request: RowsRequest, _ device: MirrorDevice) async throws -> ExchangeAnswer {
            try await remote.rows(request, device)
        }

        func follow(_ body: @Sendable () -> Void) async throws { try await remote.follow(body) }
        func close() async { await remote.close() }
    }

    enum Alteration: String, CaseIterable, Sendable {
        case tooFewValues, tooManyValues, otherType, unknownEntity, otherID, nullValue, anotherCursor, doubled

        func callAsFunction(_ page: ExchangePage) -> ExchangePage {
            var page = page
            func change(_ body: (RowPatch) -> RowPatch) { page.rows = page.rows.map(body) }
            switch self {
            case .tooFewValues: change { RowPatch($0.key, $0.values.map { Array($0.dropLast()) }) }
            case .tooManyValues: change { RowPatch($0.key, $0.values.map { $0 + [.int(1)] }) }
            case .otherType:
                change {
                    RowPatch($0.key, $0.values.map { $0.map { value in value.map { _ in .text("x") } } })
                }
            case .unknownEntity: change { RowPatch(RowKey("Nobody", $0.key.id), $0.values) }
            case .otherID: change { RowPatch(RowKey($0.key.entity, UUID()), $0.values) }
            case .nullValue:
                change { RowPatch($0.key, $0.values.map { $0.map { value in value.map { _ in .null } } }) }
            case .anotherCursor: page.from = .start
            case .doubled: page.rows += page.rows
            }
            return page
        }
    }

    @Test(
        "an answer that was altered changes nothing, or is an error that says so",
        .timeLimit(.minutes(1)), arguments: Alteration.allCases)
    func altered(alteration: Alteration) async throws {
        try await TestBackend.withNursery(.sqlite) { server, first, second in
            let remote = HandledRemote(server)
            let session = try await MirrorSession.open(first, remote: remote, name: nil)
            let other = try await MirrorSession.begin(second, server)
            try await Self.add(1, to: first)
            try await session.exchange()
            for amount in 2...4 { try await Self.add(amount, to: second) }
            try await other.exchange()
            remote.alter { alteration($0) }
            do {
                try await session.exchange()
                #expect([.anotherCursor, .doubled].contains(alteration))
            } catch let error as StoreError {
                #expect(error.code == .corrupted, "\(error.debugDescription)")
                #expect(try await Self.amounts(first) == [1])
            }
            try await session.exchange()
            #expect(try await Self.amounts(first) == [1, 2, 3, 4])
            try await settle(session, other)
            try await expectEqual(["Feed", "Baby"], server, first, second)
        }
    }

    // MARK: What an edit has seen

    @Test("an edit on top of one that was not sent has not seen what the server has beneath that")
    func beneath() async throws {
        try await TestBackend.withNursery(.sqlite) { server, first, second in
            let baby = Nursery1.Baby(name: "Mia", weight: 1)
            @Sendable func weigh(_ weight: Int, in store: any Store) async throws {
                try await store.write { tx in
                    _ = try tx.update(Nursery1.Baby.all, set: [.set(\.weight, to: weight)])
                }
            }
            // Both have the row; the other device's is the newer one, and wins.
            try await first.write { _ = try $0.insert(baby) }
            let remote = HandledRemote(server)
            let session = try await MirrorSession.open(first, remote: remote, name: nil)
            try await second.write { _ = try $0.insert(baby) }
            let other = try await MirrorSession.begin(second, server)
            try await weigh(2, in: second)
            try await other.exchange()
            // The server's row is there by then, beneath the one that is on its way.
            remote.whileSending {
                #expect(try await first.read { try $0.fetch(Nursery1.Baby.all, \.weight) } == [1])
                try await weigh(3, in: first)
            }
            try await session.exchange()
            try await settle(session, other)
            try await expectEqual(["Baby"], server, first, second)
            let kept = try await server.read { try $0.fetch(Nursery1.Baby.all, \.weight) }
            #expect(kept == [3])
            let lost = try await first.mirrorConflicts().flatMap(\.values).filter { $0.attribute == "weight" }
            #expect(Set(lost.map(\.losing)) == [.int(1), .int(2)])
        }
    }
}

extension Mutex where Value: ExpressibleByNilLiteral & Sendable {
    fileprivate func take() -> Value {
        withLock { value in
            defer { value = nil }
            return value
        }
    }
}
