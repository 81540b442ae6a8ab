import Foundation
import SwitchyardCore
import SwitchyardMirror
import Synchronization

extension MirrorBenchmarks {
    /// Rows applied on a device: changes of one attribute, with the pages at hand.
    func measureApply(_ place: Workplace) async throws {
        let device = try await place.device("device")
        try await Workplace.fill(device, rows: changes)
        let remote = PreparedPages(changes: changes)
        let session = MirrorSession(device, remote: remote, name: nil)
        try await session.exchange()
        remote.areReady.withLock { $0 = true }
        let cpu = Usage.cpuSeconds
        let time = try await timed { try await session.exchange() }
        let amount = try await device.read {
            try $0.countRows(of: "Feed", where: .compare(.attribute("amount"), .equal, .value(.int(7))))
        }
        guard amount == changes else { throw StoreError(.corrupted, "Only \(amount) changes were applied.") }
        say(
            "rows applied",
            "\((Double(changes) / time).shown(0)) a second, \((Double(changes) / (Usage.cpuSeconds - cpu)).shown(0)) a CPU second"
        )
        try await device.close()
    }

    /// Mutations of one row in batches of 100, of four devices in four scopes.
    func measureUpload(_ place: Workplace) async throws {
        let scopes = (1...4).map { _ in StoreScope(UUIDv7.next()) }
        var stores: [any Store] = []
        for scope in scopes {
            let store = try await place.server(scope)
            try await store.write { tx in try tx.insertRows(into: "Feed", (0..<1_000).lazy.map(Workplace.row))
            }
            try await store.setMirrorRole(.server)
            stores.append(store)
        }
        let batches = 100
        let time = try await timed {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (scope, store) in zip(scopes, stores) {
                    group.addTask {
                        let remote = StoreRemote(store, scope: scope)
                        let device = MirrorDevice(
                            id: UUID(), name: "device", schema: SchemaIdentity(store.schema))
                        var cursor = try await store.read { try $0.historyToken().position } ?? .start
                        var stored: [UUID] = []
                        var amounts = (0..<1_000).map { Workplace.row($0)[2] }
                        for batch in 0..<batches {
                            let mutations = (0..<100).map { number in
                                let row = (batch * 100 + number) % 1_000
                                let (before, after) = (amounts[row], StoredValue.int(Int64(batch)))
                                amounts[row] = after
                                return Mutation(
                                    id: UUIDv7.next(), time: StoreRemote.systemTime(),
                                    cursor: cursor.sequence,
                                    changes: [
                                        .update(
                                            RowKey("Feed", Self.id(row)),
                                            [AttributeEdit(2, before: before, after: after)])
                                    ])
                            }
                            let answer = try await remote.exchange(
                                ExchangeRequest(cursor: cursor, mutations: mutations, stored: stored), device)
                            guard case .page(let page) = answer,
                                page.verdicts.allSatisfy({ $0.kind == .accepted })
                            else { throw StoreError(.corrupted, "A batch was not accepted.") }
                            cursor = page.upTo
                            stored = page.verdicts.map(\.id)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        say("mutations uploaded", "\((Double(batches * 400) / time).shown(0)) a second")
        for store in stores { try await store.close() }
    }

    private static func id(_ row: Int) -> UUID {
        if case .uuid(let id) = Workplace.row(row)[0] { id } else { UUID() }
    }

    /// From a commit on one device to its sight on another.
    func measureLatency(_ place: Workplace) async throws {
        let first = try await MirroredStore.open(
            place.device("first"), mirroring: MirrorServer(place.remote()), device: "first")
        try await first.exchange()
        let second = try await MirroredStore.open(
            place.device("second"), mirroring: MirrorServer(place.remote()), device: "second")
        try await second.exchange()
        try await measureLatency("device, server, device", from: first, to: second)
        try await first.close()
        try await second.close()
    }

    /// - Parameters:
    ///   - way: What is measured, in words.
    ///   - first: The device that writes.
    ///   - second: The device that waits.
    ///   - number: The number of the first row, which neither has.
    /// - Throws: What a store throws.
    func measureLatency(
        _ way: String, from first: MirroredStore, to second: MirroredStore, rowsFrom number: Int = 0
    ) async throws {
        var changes = second.changes().makeAsyncIterator()
        try await changes.begin()
        var times: [Double] = []
        for number in number..<number + commits {
            let row = Workplace.row(number)
            times.append(
                try await timed {
                    _ = try await first.write { try $0.insertRows(into: "Feed", [row]) }
                    repeat {
                        _ = try await changes.next()
                    } while try await second.read {
                        try $0.countRows(
                            of: "Feed", where: .compare(.attribute("id"), .equal, .value(row[0])))
                    } == 0
                })
        }
        times.sort()
        say(
            way,
            "median \((times[times.count / 2] * 1_000).shown(1)) ms, 99th percentile \((times[times.count * 99 / 100] * 1_000).shown(1)) ms over \(commits) commits"
        )
    }

    /// A first sync, or one after months away, beside copying the rows out and inserting them.
    func measureSync(_ place: Workplace, isAway: Bool) async throws {
        let server = try await place.server()
        try await Workplace.fill(server, rows: rows)
        let plain = try await place.device("plain", keepsHistory: true)
        let reference = try await timed {
            // What a skilled user would write: pages by key, each inserted at once.
            var last: StoredValue?
            while true {
                let condition =
                    last.map { Condition.compare(.attribute("id"), .greater, .value($0)) } ?? .constant(true)
                let page = try await server.read {
                    try $0.fetchRows(of: "Feed", where: condition, sortedBy: [SortKey("id")], limit: 50_000)
                }
                guard let end = page.last else { break }
                last = end[0]
                try await plain.write { try $0.insertRows(into: "Feed", page) }
            }
        }
        try await plain.close()
        let device = try await place.device("device")
        let session = try MirrorSession(device, remote: place.remote(), name: nil)
        Usage.resetPeak()
        let before = Usage.memory.now
        let first = try await timed { try await session.exchange() }
        let memory = Usage.memory.peak - before
        guard !isAway else {
            let number = rows * 2
            for start in stride(from: 0, to: number, by: 2_000) {
                try await server.write { tx in
                    for change in start..<min(start + 2_000, number) {
                        try tx.transaction(
                            TransactionRecord(id: UUIDv7.next(), time: StoreRemote.systemTime())
                        ) {
                            try tx.updateRows(
                                of: "Feed",
                                set: [
                                    Assignment(attribute: "amount", value: .value(.int(Int64(change % 977))))
                                ],
                                where: .compare(
                                    .attribute("id"), .equal, .value(Workplace.row(change % self.rows)[0])))
                        }
                    }
                }
            }
            let away = try await timed { try await session.exchange() }
            say(
                "\(number) changes away", "\(away.shown()) s, a first sync of \(rows) rows \(first.shown()) s"
            )
            return
        }
        say(
            "first sync of \(rows) rows",
            "\(first.shown()) s, \((first / reference).shown()) × the reference of \(reference.shown()) s, \(memory.shown(0)) MiB"
        )
        guard try await device.read({ try $0.countRows(of: "Feed") }) == rows else {
            throw StoreError(.corrupted, "Rows are missing.")
        }
        try await device.close()
        try await server.close()
    }

    /// A write of one row, without history, with one, and mirrored.
    func measureWrite(_ place: Workplace) async throws {
        func median(_ store: any Store) async throws -> Double {
            var times: [Double] = []
            for number in 0..<2_000 {
                let row = Workplace.row(number)
                times.append(
                    try await timed {
                        _ = try await store.write { try $0.insertRows(into: "Feed", [row]) }
                    })
            }
            times.sort()
            return times[times.count / 2] * 1_000_000
        }
        let plain = try await place.device("plain")
        let history = try await place.device("history", keepsHistory: true)
        let mirrored = try await place.device("mirrored")
        let session = try MirrorSession(mirrored, remote: place.remote(), name: nil)
        try await session.exchange()
        let (alone, recorded) = (try await median(plain), try await median(history))
        let sent = try await median(mirrored)
        say(
            "one-row write",
            "\(alone.shown(0)) µs plain, \((recorded / alone).shown()) × with history, \((sent / alone).shown()) × mirrored"
        )
    }

    /// Four devices write and exchange; what grows.
    func measureMixed(_ place: Workplace) async throws {
        var devices: [MirroredStore] = []
        for number in 0..<4 {
            let store = try await MirroredStore.open(
                place.device("device\(number)"), mirroring: MirrorServer(place.remote()),
                device: "device \(number)")
            try await store.exchange()
            devices.append(store)
        }
        let end = ContinuousClock.now + .seconds(seconds)
        var shown: [String] = []
        for part in 0..<4 {
            let until = ContinuousClock.now + .seconds(Double(self.seconds) / 4)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, device) in devices.enumerated() {
                    group.addTask {
                        var step = part
                        while ContinuousClock.now < until, ContinuousClock.now < end {
                            step += 1
                            let row = Workplace.row(number * 100 + step % 100)
                            let amount = StoredValue.int(Int64(step))
                            try await device.write { tx in
                                try tx.upsertRows(into: "Feed", [[row[0], row[1], amount, row[3], row[4]]])
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            for device in devices { try await device.exchange() }
            let pending = devices.map(\.status.pending).reduce(0, +)
            shown.append(
                "\(Usage.memory.now.shown(0)) MiB, \(Usage.descriptors) descriptors, \(pending) pending")
        }
        say("mixed load, by quarters of \(seconds) s", shown.joined(separator: "; "))
        for device in devices { try await device.close() }
    }
}

/// A server whose pages are at hand.
private final class PreparedPages: MirrorRemote {
    let scope: StoreScope? = nil
    let areReady = Mutex(false)
    private let pages: [ExchangePage]
    private let id = UUID()

    init(changes: Int) {
        let ids = stride(from: 0, to: changes, by: 5_000).map { _ in UUIDv7.next() }
        let places = ids.reduce(into: [HistoryPosition.start]) { $0.append($0[$0.count - 1].next($1)) }
        let head = places[places.count - 1]
        pages = stride(from: 0, to: changes, by: 5_000).enumerated().map { number, start in
            ExchangePage(
                verdicts: [], from: places[number], upTo: places[number + 1], steps: [ids[number]],
                rows: (start..<min(start + 5_000, changes)).map { row in
                    let id = Workplace.row(row)[0]
                    guard case .uuid(let uuid) = id else { preconditionFailure("a row has an id") }
                    return RowPatch(RowKey("Feed", uuid), [id, nil, .int(7), nil, nil])
                }, conflicts: [], head: head)
        }
    }

    func connect(expecting known: UUID?) -> UUID { id }

    func exchange(_ request: ExchangeRequest, _ device: MirrorDevice) -> ExchangeAnswer {
        if areReady.withLock({ $0 }), let page = pages.first(where: { $0.from == request.cursor }) {
            return .page(page)
        }
        return .page(
            ExchangePage(
                verdicts: request.mutations.map { Verdict(id: $0.id, kind: .accepted) }, from: request.cursor,
                upTo: request.cursor, steps: [], rows: [], conflicts: [], head: request.cursor))
    }

    func rows(_ request: RowsRequest, _ device: MirrorDevice) -> ExchangeAnswer {
        .rows(RowsPage(rows: [], next: nil, head: .start))
    }

    func follow(_ body: @Sendable () -> Void) {}
    func close() {}
}
