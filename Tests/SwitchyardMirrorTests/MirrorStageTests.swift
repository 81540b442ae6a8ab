import Foundation
import SwitchyardCore
import SwitchyardMirror
import Synchronization
import TestBackends
import Testing

@Suite("Exchanges of several pages")
struct MirrorStageTests {
    private static let schema = Result {
        try Schema(
            version: SchemaVersion(1),
            entities: [
                Entity(
                    "Feed",
                    attributes: [
                        Attribute("id", type: .uuid), Attribute("amount", type: .int),
                        Attribute("label", type: .text, isOptional: true),
                    ], uniqueConstraints: [UniqueConstraint(["label"])])
            ])
    }

    /// A server that refuses the first connections, whose connection breaks before some request, and that counts them.
    private final class BreakingRemote: MirrorRemote {
        private struct State {
            var requests = 0
            var rowsRequests = 0
            var breaksAt: Int?
            var refusals = 0
        }

        private let base: StoreRemote
        private let state = Mutex(State())

        init(_ server: any Store, breaksAt request: Int? = nil, refusing refusals: Int = 0) {
            base = StoreRemote(server)
            state.withLock { ($0.breaksAt, $0.refusals) = (request, refusals) }
        }

        var scope: StoreScope? { base.scope }
        var requests: Int { state.withLock(\.requests) }
        var rowsRequests: Int { state.withLock(\.rowsRequests) }

        private func count(ofRows isOfRows: Bool) throws {
            try state.withLock { state in
                state.requests += 1
                if isOfRows { state.rowsRequests += 1 }
                if state.requests == state.breaksAt {
                    throw StoreError(.connectionLost, "The test has cut the connection.")
                }
            }
        }

        func connect(expecting known: UUID?) async throws -> UUID {
            try state.withLock { state in
                guard state.refusals == 0 else {
                    state.refusals -= 1
                    throw StoreError(.connectionLost, "The test refuses the connection.")
                }
            }
            return try await base.connect(expecting: known)
        }

        func exchange(_ request: ExchangeRequest, _ device: MirrorDevice) async throws -> ExchangeAnswer {
            try count(ofRows: false)
            return try await base.exchange(request, device)
        }

        func rows(_ request: RowsRequest, _ device: MirrorDevice) async throws -> ExchangeAnswer {
            try count(ofRows: true)
            return try await base.rows(request, device)
        }

        func follow(_ body: @Sendable () -> Void) async throws {}
        func close() async {}
    }

    private static let namespace = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))

    private static func id(_ number: Int) -> StoredValue {
        .uuid(DerivedID(namespace: namespace).uuid(["\(number)"]))
    }

    private static func row(_ number: Int, amount: Int = 0, label: String? = nil) -> [StoredValue] {
        [id(number), .int(Int64(amount)), label.map { .text($0) } ?? .null]
    }

    private static func insert(_ numbers: Range<Int>, into store: any Store) async throws {
        try await store.write { tx in try tx.insertRows(into: "Feed", numbers.lazy.map { row($0) }) }
    }

    private static func set(
        _ attribute: String, _ value: StoredValue, of number: Int, in store: any Store
    ) async throws {
        try await store.write { tx in
            try tx.updateRows(
                of: "Feed", set: [Assignment(attribute: attribute, value: .value(value))],
                where: .compare(.attribute("id"), .equal, .value(id(number))))
        }
    }

    private static func withServer(
        _ backend: TestBackend, _ body: (_ server: any Store, _ device: any Store) async throws -> Void
    ) async throws {
        let schema = try schema.get()
        try await backend.withStore(schema, options: OpenOptions(keepsHistory: true)) { server in
            try await TestBackend.sqlite.withStore(schema) { device in try await body(server, device) }
        }
    }

    /// The kinds of the mirror's records that stay after an exchange.
    private static func staged(in store: any Store) async throws -> Int {
        try await store.mirrorRecords().filter { [.int(12), .int(13)].contains($0[1]) }.count
    }

    @Test("a first sync goes on where it was when its program ended", arguments: TestBackend.shared)
    func resumption(_ backend: TestBackend) async throws {
        try await Self.withServer(backend) { server, device in
            try await Self.insert(0..<12_000, into: server)
            try await Self.insert(20_000..<20_010, into: device)
            let broken = BreakingRemote(server, breaksAt: 3)
            let first = try await MirrorSession.open(device, remote: broken, name: nil)
            await #expect(throws: StoreError.self) { try await first.exchange() }
            // Nothing is shown of what is there in part.
            #expect(try await device.read { try $0.countRows(of: "Feed") } == 10)
            #expect(try await Self.staged(in: device) == 3)
            try await Self.set("amount", .int(7), of: 1, in: server)
            try await Self.insert(12_000..<12_001, into: server)

            let remote = BreakingRemote(server)
            let second = try await MirrorSession.open(device, remote: remote, name: nil)
            try await second.exchange()
            #expect(remote.rowsRequests == 1)
            #expect(try await Self.staged(in: device) == 0)
            #expect(try await server.read { try $0.countRows(of: "Feed") } == 12_011)
            try await expectEqual(["Feed"], server, device)
        }
    }

    @Test("a stage that was left is gone on with although the server cannot be reached at first")
    func unreachable() async throws {
        try await Self.withServer(.sqlite) { server, device in
            try await Self.insert(0..<12_000, into: server)
            let first = try await MirrorSession.open(
                device, remote: BreakingRemote(server, breaksAt: 3), name: nil)
            await #expect(throws: StoreError.self) { try await first.exchange() }
            let remote = BreakingRemote(server, refusing: 2)
            var patience = MirrorEngine.Patience()
            patience.retry = 0
            let second = MirrorSession(device, remote: remote, name: nil, patience: patience)
            // As in the background: what failed is tried again in time.
            for _ in 0..<3 { await second.handle(.tick) }
            #expect(remote.rowsRequests == 1)
            #expect(try await Self.staged(in: device) == 0)
            try await expectEqual(["Feed"], server, device)
        }
    }

    @Test("a stage that its process has forgotten gives way to the next one")
    func forgotten() async throws {
        try await Self.withServer(.sqlite) { server, device in
            try await Self.insert(0..<12_000, into: server)
            let session = try await MirrorSession.open(
                device, remote: BreakingRemote(server, breaksAt: 3), name: nil)
            await #expect(throws: StoreError.self) { try await session.exchange() }
            // The engine begins again, and the removal of the stage fails, as on a full disk.
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                await session.handle(.opened(cursor: nil))
            }
            await task.value
            try await session.exchange()
            #expect(try await Self.staged(in: device) == 0)
            try await expectEqual(["Feed"], server, device)
        }
    }

    @Test("a process whose stage was taken over begins its own, and both come to an end")
    func takenOver() async throws {
        try await Self.withServer(.sqlite) { server, device in
            try await Self.insert(0..<12_000, into: server)
            let first = try await MirrorSession.open(
                device, remote: BreakingRemote(server, breaksAt: 2), name: nil)
            await #expect(throws: StoreError.self) { try await first.exchange() }
            let second = try await MirrorSession.open(
                device, remote: BreakingRemote(server, breaksAt: 2), name: nil)
            await #expect(throws: StoreError.self) { try await second.exchange() }
            try await first.exchange()
            try await second.exchange()
            #expect(try await Self.staged(in: device) == 0)
            try await expectEqual(["Feed"], server, device)
        }
    }

    @Test("a device with fewer rows than changes it has missed takes all rows", arguments: TestBackend.shared)
    func farBehind(_ backend: TestBackend) async throws {
        try await Self.withServer(backend) { server, device in
            try await Self.insert(0..<20, into: server)
            let session = try await MirrorSession.begin(device, server)
            try await server.write { tx in
                for change in 0..<5_100 {
                    try tx.transaction(TransactionRecord(id: UUIDv7.next(), time: 0)) {
                        try tx.updateRows(
                            of: "Feed",
                            set: [Assignment(attribute: "amount", value: .value(.int(Int64(change))))],
                            where: .compare(.attribute("id"), .equal, .value(Self.id(change % 20))))
                    }
                }
                try tx.deleteRows(of: "Feed", where: .compare(.attribute("id"), .equal, .value(Self.id(3))))
            }
            try await Self.set("label", .text("mine"), of: 4, in: device)
            _ = session
            let remote = BreakingRemote(server)
            let again = try await MirrorSession.open(device, remote: remote, name: nil)
            try await again.exchange()
            #expect(remote.rowsRequests == 1)
            #expect(try await device.read { try $0.countRows(of: "Feed") } == 19)
            try await expectEqual(["Feed"], server, device)
            #expect(try await server.rows(of: "Feed").contains { $0[2] == .text("mine") })
        }
    }

    @Test("unique keys that changed hands between two pages are applied", arguments: TestBackend.shared)
    func exchangedKeys(_ backend: TestBackend) async throws {
        try await Self.withServer(backend) { server, device in
            try await server.write { tx in
                try tx.insertRows(
                    into: "Feed", [Self.row(1, label: "a"), Self.row(2, label: "b"), Self.row(3)])
            }
            let session = try await MirrorSession.begin(device, server)
            // The first page has row 1 with its last label, which row 2 gives up on the second page.
            try await Self.set("label", .text("c"), of: 1, in: server)
            try await Self.insert(100..<5_200, into: server)
            try await Self.set("label", .text("d"), of: 2, in: server)
            try await Self.set("label", .text("b"), of: 1, in: server)
            try await session.exchange()
            #expect(
                try await device.rows(of: "Feed").filter { $0[0] == Self.id(1) }.map { $0[2] } == [.text("b")]
            )
            try await expectEqual(["Feed"], server, device)
        }
    }

    @Test("the server forgets the verdicts of transactions that are pruned, and no others")
    func verdicts() async throws {
        try await Self.withServer(.sqlite) { server, device in
            let month: Int64 = 30 * 86_400 * 1_000_000
            let passed = Mutex(0 as Int64)
            let remote = StoreRemote(server, now: { StoreRemote.systemTime() + passed.withLock { $0 } })
            let session = try await MirrorSession.open(device, remote: remote, name: nil)
            func verdicts() async throws -> Int {
                try await server.mirrorRecords().filter { $0[1] == .int(5) }.count
            }
            for number in 0..<3 {
                try await Self.insert(number..<number + 1, into: device)
                try await session.exchange()
            }
            #expect(try await verdicts() == 3)
            passed.withLock { $0 = month * 2 }
            try await Self.insert(3..<4, into: device)
            try await session.exchange()
            #expect(try await verdicts() == 4)
            #expect(try await server.pruneHistory(keepingLast: 2) == 2)
            try await Self.insert(4..<5, into: device)
            try await session.exchange()
            // The two of the pruned ones are gone; that of the third is as old, but may decide a merge.
            #expect(try await verdicts() == 3)
            try await expectEqual(["Feed"], server, device)
        }
    }

    @Test(
        "verdicts on mutations that claimed a time to come are forgotten like others",
        arguments: TestBackend.shared)
    func futureVerdicts(_ backend: TestBackend) async throws {
        try await Self.withServer(backend) { server, _ in
            let (start, second) = (StoreRemote.systemTime(), 1_000_000 as Int64)
            let passed = Mutex(0 as Int64)
            let remote = StoreRemote(server, now: { start + passed.withLock { $0 } })
            _ = try await remote.connect(expecting: nil)
            let device = MirrorDevice(id: UUID(), name: nil, schema: SchemaIdentity(server.schema))
            func insertion(_ number: Int, at time: Int64) -> Mutation {
                let id = DerivedID(namespace: Self.namespace).uuid(["\(number)"])
                return Mutation(
                    id: UUIDv7.next(), time: time, cursor: 0,
                    changes: [.insert(RowKey("Feed", id), Self.row(number))])
            }
            func send(
                _ mutations: [Mutation], from cursor: HistoryPosition
            ) async throws -> (verdicts: [Verdict], head: HistoryPosition) {
                let request = ExchangeRequest(cursor: cursor, mutations: mutations)
                guard case .page(let page) = try await remote.exchange(request, device) else {
                    return ([], .start)
                }
                return (page.verdicts, page.head)
            }
            func kept() async throws -> Int {
                try await server.mirrorRecords().filter { $0[1] == .int(5) }.count
            }
            // The phone's clock is a second ahead of the server's, and another one's by years.
            let early = (0..<105).map { insertion($0, at: start + second) }
            let years = insertion(105, at: start + second * 86_400 * 3_650)
            var head = try await send(early + [years], from: .start).head
            passed.withLock { $0 = 60 * 86_400 * second }
            let late = (106..<108).map { insertion($0, at: start + 2 * second) }
            head = try await send(late, from: head).head
            #expect(try await kept() == 108)
            #expect(try await server.pruneHistory(keepingLast: 2) == 106)
            for number in 108..<110 {
                head = try await send([insertion(number, at: start + 3 * second)], from: head).head
            }
            // Those of the four late ones, and of the one whose time has not come.
            #expect(try await kept() == 5)
            // One that is sent again is not carried out again.
            try await server.write { tx in _ = try tx.deleteRows(of: "Feed", where: .constant(true)) }
            let again = try await send([early[0], years], from: head).verdicts
            #expect(again.map(\.reason?.code) == [.uncertain, nil])
            #expect(try await server.read { try $0.countRows(of: "Feed") } == 0)
        }
    }
}
