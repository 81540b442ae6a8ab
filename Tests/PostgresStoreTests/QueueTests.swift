import Foundation
import LogRecords
import Logging
import PostgresTestServer
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("Writers of a store that keeps a history", .needsServer, .timeLimit(.minutes(3)))
struct QueueTests {
    /// Lends two openings of one store, which tell of their work.
    private func withStores(
        _ body: (any Store, any Store, TestPlace) async throws -> Void
    ) async throws -> LogRecords {
        let records = LogRecords(.debug)
        try await TestPlace.with { place in
            try await place.open(version: 2).keepHistoryAndClose()
            let stores = try await withLogger(records.logger) { _ in
                (try await place.open(version: 2), try await place.open(version: 2))
            }
            try await body(stores.0, stores.1, place)
            try await stores.0.close()
            try await stores.1.close()
        }
        return records
    }

    /// A write that has begun, and keeps others waiting until it is told to end.
    private struct SlowWrite {
        let task: Task<Void, any Error>
        let mayEnd: Gate

        func end() async throws {
            mayEnd.open()
            try await task.value
        }
    }

    private static func begin(in store: any Store, _ place: TestPlace) async throws -> SlowWrite {
        let (isIn, mayEnd) = (AsyncStream.makeStream(of: Void.self), Gate())
        let task = Task {
            try await store.write { tx in
                try tx.insertRows(into: "Baby", [place.row("Mia", weight: .int(0))])
                _ = try tx.countRows(of: "Baby")
                isIn.continuation.finish()
                mayEnd.wait()
            }
        }
        for await _ in isIn.stream {}
        return SlowWrite(task: task, mayEnd: mayEnd)
    }

    private static func increment(_ tx: WriteTransaction) throws {
        guard case .int(let weight)? = try tx.fetchRows(of: "Baby").first?[2] else {
            throw StoreError(.corrupted, "The row is gone.")
        }
        try tx.updateRows(
            of: "Baby", set: [Assignment(attribute: "weight", value: .value(.int(weight + 1)))],
            where: .constant(true))
    }

    @Test("writers of a store with a history queue: none is lost, and none runs again")
    func hotRow() async throws {
        let records = try await withStores { first, second, place in
            try await first.write { try $0.insertRows(into: "Baby", [place.row("Mia", weight: .int(0))]) }
            try await withThrowingTaskGroup { group in
                for writer in 0..<16 {
                    let store = writer.isMultiple(of: 2) ? first : second
                    group.addTask {
                        for _ in 0..<25 { try await store.write { try Self.increment($0) } }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await first.read { try $0.fetchRows(of: "Baby")[0][2] } == .int(400))
            #expect(try await first.read { try $0.history().map(\.sequence) } == Array(1...401))
        }
        #expect(records.metadata(of: "retry").isEmpty)
    }

    @Test("queued writers take the numbers that the server calculates, equal to those of a client")
    func places() async throws {
        _ = try await withStores { store, _, place in
            func insert(_ count: Int) async throws -> HistoryToken {
                try await store.write { tx in
                    try tx.insertRows(
                        into: "Baby", (0..<count).map { place.row("\($0)", weight: .int(0)) })
                }
                return try await store.read { try $0.historyToken() }
            }
            // The changes of the third do not fit into its row, whose place is then the client's work.
            var tokens: [HistoryToken] = []
            for count in [1, 1, 20_000, 1, 1] { tokens.append(try await insert(count)) }
            #expect(tokens.map(\.sequence) == [1, 2, 3, 4, 5])
            // Where a token's own transaction is gone, the one after it must follow from its digest.
            for (number, token) in tokens.enumerated().dropLast() {
                try await store.pruneHistory(keepingLast: 4 - number)
                let rest = try await store.read { try $0.history(after: token).map(\.sequence) }
                #expect(rest == (Int64(number) + 2...5).map(\.self))
            }
        }
    }

    @Test("queued writers wait no longer than the busy timeout")
    func busy() async throws {
        _ = try await withStores { first, _, place in
            let impatient = try await place.open(version: 2, "&lockTimeout=0.05")
            let slow = try await Self.begin(in: first, place)
            let error = await #expect(throws: StoreError.self) {
                try await impatient.write { tx in
                    try tx.insertRows(into: "Baby", [place.row("Leo", weight: .int(0))])
                }
            }
            #expect(error?.code == .busy)
            try await slow.end()
            try await impatient.write { try $0.insertRows(into: "Baby", [place.row("Leo", weight: .int(0))]) }
            #expect(try await first.read { try $0.countRows(of: "Baby") } == 2)
            try await impatient.close()
        }
    }

    @Test("queued writers can be cancelled while they wait, whatever they write", arguments: [1, 40, 20_000])
    func cancelled(rows: Int) async throws {
        _ = try await withStores { first, second, place in
            let slow = try await Self.begin(in: first, place)
            let waiting = Task {
                try await second.write { tx in
                    try tx.insertRows(
                        into: "Baby", (0..<rows).map { place.row("\($0)", weight: .int(0)) })
                    _ = try tx.countRows(of: "Baby")
                }
            }
            try await TestServer.waitForSession(
                where: "wait_event_type = 'Lock' AND query LIKE '%\(place.schema)%'")
            waiting.cancel()
            let error = await #expect(throws: StoreError.self) { try await waiting.value }
            #expect(error?.code == .cancelled)
            try await slow.end()
            #expect(try await first.read { try $0.countRows(of: "Baby") } == 1)
        }
    }

    @Test("queued writers delay a role change until they end, in any scope")
    func role() async throws {
        try await TestPlace.with { place in
            let store = try await place.open(version: 2, scope: StoreScope())
            try await store.keepHistory()
            let impatient = try await place.open(version: 2, "&lockTimeout=0.05", scope: StoreScope())
            let slow = try await Self.begin(in: store, place)
            let early = await #expect(throws: StoreError.self) {
                try await impatient.changeRole(to: .superseded)
            }
            #expect(early?.code == .busy)
            try await slow.end()
            try await impatient.changeRole(to: .superseded)
            let late = await #expect(throws: StoreError.self) {
                try await store.write { try $0.insertRows(into: "Baby", [place.row("Leo", weight: .int(0))]) }
            }
            #expect(late?.code == .outOfService)
            #expect(try await store.read { try $0.countRows(of: "Baby") } == 1)
            try await impatient.close()
            try await store.close()
        }
    }

    @Test("writers that discover the queue in mid-write join it")
    func learning() async throws {
        try await TestPlace.with { place in
            let store = try await place.open(version: 2)
            try await store.write { try $0.insertRows(into: "Baby", [place.row("Mia", weight: .int(0))]) }
            let other = try await place.open(version: 2)
            try await other.keepHistory()
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<10 { try await store.write { try Self.increment($0) } }
                    }
                    group.addTask {
                        for _ in 0..<10 { try await other.write { try Self.increment($0) } }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.read { try $0.fetchRows(of: "Baby")[0][2] } == .int(160))
            #expect(try await store.read { try $0.history().map(\.sequence) } == Array(1...160))
            try await other.stopHistory()
            try await store.write { try Self.increment($0) }
            #expect(try await store.read { try $0.fetchRows(of: "Baby")[0][2] } == .int(161))
            try await other.close()
            try await store.close()
        }
    }
}

extension Store {
    fileprivate func keepHistoryAndClose() async throws {
        try await keepHistory()
        try await close()
    }
}
