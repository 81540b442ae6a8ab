import Foundation
import Switchyard
import SwitchyardCore
import SwitchyardMirror
import Synchronization
import TestBackends
import Testing

/// What happens to a store or a task beneath a session that goes on.
@Suite("Sessions of a mirror")
struct MirrorSessionTests {
    /// A server that can be reached, once the test lets it.
    private final class SlowRemote: MirrorRemote {
        private let base: StoreRemote
        let isAsked: AsyncStream<Void>
        private let asked: AsyncStream<Void>.Continuation
        private let waits = Mutex(true)

        init(_ server: any Store) {
            base = StoreRemote(server)
            (isAsked, asked) = AsyncStream.makeStream()
        }

        var scope: StoreScope? { base.scope }
        func letThrough() { waits.withLock { $0 = false } }

        func connect(expecting known: UUID?) async throws -> UUID {
            asked.yield()
            if waits.withLock({ $0 }) { try await Task.sleep(for: .seconds(3_600)) }
            return try await base.connect(expecting: known)
        }

        func exchange(_ request: ExchangeRequest, _ device: MirrorDevice) async throws -> ExchangeAnswer {
            try await base.exchange(request, device)
        }

        func rows(_ request: RowsRequest, _ device: MirrorDevice) async throws -> ExchangeAnswer {
            try await base.rows(request, device)
        }

        func follow(_ body: @Sendable () -> Void) async throws {}
        func close() async {}
    }

    private static let ids = (1...3).map { number in
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number)))
    }

    private static func insert(_ numbers: ClosedRange<Int>, into store: any Store) async throws {
        try await store.write { tx in
            try tx.insertRows(
                into: "Feed",
                numbers.map { [.uuid(ids[$0 - 1]), .null, .int(Int64($0)), .null] as [StoredValue] })
        }
    }

    @Test("a cancelled exchange is begun again by the next event", arguments: TestBackend.shared)
    func cancellation(_ backend: TestBackend) async throws {
        try await TestBackend.withNursery(backend) { server, device, _ in
            try await Self.insert(1...2, into: server)
            let remote = SlowRemote(server)
            let session = MirrorSession(device, remote: remote, name: nil)
            let task = Task { try await session.exchange() }
            for await _ in remote.isAsked { break }
            task.cancel()
            let error = await #expect(throws: StoreError.self) { try await task.value }
            #expect(error?.code == .cancelled)
            remote.letThrough()
            await session.handle(.committed)
            try await expectEqual(["Feed"], server, device)
            #expect(try await device.rows(of: "Feed").count == 2)
        }
    }

    @Test("a part in a mirror without a record of what was sent is told, and no row is removed")
    func unrecorded() async throws {
        try await TestBackend.withNursery(.sqlite) { server, device, _ in
            try await Self.insert(1...2, into: device)
            try await device.keepHistory()
            try await device.setMirrorRole(.device(of: try await server.marker().storeID))
            let session = MirrorSession(device, remote: StoreRemote(server), name: nil)
            let error = await #expect(throws: StoreError.self) { try await session.exchange() }
            #expect(error?.code == .corrupted)
            #expect(try await device.rows(of: "Feed").count == 2)
        }
    }

    @Test(
        "a row that the device has lost comes back when the server changes a part of it",
        arguments: TestBackend.shared)
    func lostRow(_ backend: TestBackend) async throws {
        try await TestBackend.withNursery(backend) { server, device, _ in
            try await Self.insert(1...2, into: server)
            let session = try await MirrorSession.begin(device, server)
            try await device.write { tx in
                let entity = try tx.schema.require("Feed")
                let isRow = try Condition.compare(.attribute("id"), .equal, .value(.uuid(Self.ids[0])))
                    .validated(in: entity, schema: tx.schema)
                _ = try tx.unrecordedDriver.delete(from: entity, where: isRow)
            }
            try await Self.insert(3...3, into: device)
            try await server.write { tx in
                try tx.updateRows(
                    of: "Feed", set: [Assignment(attribute: "amount", value: .value(.int(9)))],
                    where: .compare(.attribute("id"), .equal, .value(.uuid(Self.ids[0]))))
            }
            try await session.exchange()
            #expect(try await device.rows(of: "Feed").map { $0[2] } == [.int(9), .int(2), .int(3)])
            try await expectEqual(["Feed"], server, device)
        }
    }

    @Test("a session does not go on with another mirror that its store has become")
    func replaced() async throws {
        try await TestBackend.withNursery(.sqlite) { server, device, other in
            try await other.keepHistory()
            try await Self.insert(1...1, into: server)
            let session = try await MirrorSession.begin(device, server)
            try await device.endMirror(discardingUnsent: false)
            try await Self.insert(2...2, into: other)
            let next = try await MirrorSession.begin(device, other)
            let error = await #expect(throws: StoreError.self) { try await session.exchange() }
            #expect(error?.code == .identityConflict)
            #expect(try await server.rows(of: "Feed").count == 1)
            // The other mirror is as it was.
            try await Self.insert(3...3, into: device)
            try await next.exchange()
            #expect(try await other.rows(of: "Feed").count == 3)
            try await expectEqual(["Feed"], other, device)
        }
    }

    @Test("a session does not begin a mirror again that another process has ended")
    func ended() async throws {
        try await TestBackend.withNursery(.sqlite) { server, device, _ in
            try await Self.insert(1...1, into: server)
            _ = try await MirrorSession.begin(device, server)
            let remote = SlowRemote(server)
            let session = MirrorSession(device, remote: remote, name: nil)
            let task = Task { try await session.exchange() }
            for await _ in remote.isAsked { break }
            try await device.endMirror(discardingUnsent: false)
            try await Self.insert(2...2, into: device)
            remote.letThrough()
            task.cancel()
            await #expect(throws: StoreError.self) { try await task.value }
            let error = await #expect(throws: StoreError.self) { try await session.exchange() }
            #expect(error?.code == .revoked)
            #expect(try await device.marker().mirror == nil)
            #expect(try await device.rows(of: "Feed").count == 2)
            #expect(try await server.rows(of: "Feed").count == 1)
        }
    }

    @Test("attempts whose pages cannot be applied are further and further apart")
    func patience() throws {
        let place = HistoryPosition(sequence: 1, digest: HistoryPosition.start.digest)
        let page = ExchangePage(
            verdicts: [], from: .start, upTo: place, steps: [], rows: [], conflicts: [], head: place)
        var (engine, now, waits) = (MirrorEngine(), 0 as Int64, [Int64]())
        var effects = engine.handle(.opened(cursor: .start), now: now)
        for _ in 0..<4 {
            #expect(effects.contains(.prepare(settled: [])))
            effects = engine.handle(
                .prepared(MirrorEngine.Prepared(mutations: [], trail: [.start], cursor: .start)), now: now)
            let number = effects.compactMap { if case .send(_, let number) = $0 { number } else { nil } }
            effects = engine.handle(.answer(.page(page), to: try #require(number.first)), now: now)
            #expect(effects == [.apply(nil, page, from: .start)])
            _ = engine.handle(.effectFailed, now: now)
            guard case .waiting(let time) = engine.phase else { break }
            waits.append(time - now)
            now = time
            effects = engine.handle(.tick, now: now)
        }
        #expect(waits == [500_000, 1_000_000, 2_000_000, 4_000_000])
    }
}
