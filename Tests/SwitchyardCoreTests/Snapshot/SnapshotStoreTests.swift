import Dispatch
import Foundation
import Switchyard
import SwitchyardCore
import Synchronization
import Testing

@Suite("A store over storage that holds snapshots")
struct SnapshotStoreTests {
    /// Storage that another process locks for a number of tries.
    private final class Shelf: SnapshotStorage {
        struct State {
            var snapshot: Snapshot
            var refusals: Int
            /// The tables that each commit named.
            var commits: [[String]] = []
        }
        let state: Mutex<State>

        init(_ schema: Schema, refusals: Int) throws {
            let snapshot = try Snapshot(schema: schema, header: .init(schema: schema, options: OpenOptions()))
            state = Mutex(State(snapshot: snapshot, refusals: refusals))
        }

        var commits: [[String]] { state.withLock { $0.commits } }

        func load() throws -> Snapshot { state.withLock { $0.snapshot } }

        func commit(_ snapshot: Snapshot, changedTables: [String]) throws {
            state.withLock { state in
                state.snapshot = snapshot
                state.commits.append(changedTables)
            }
        }

        func whileLocked<Result>(_ work: () throws -> Result) throws -> Result {
            let isRefused = state.withLock { state in
                defer { state.refusals = max(state.refusals - 1, 0) }
                return state.refusals > 0
            }
            if isRefused { throw StoreError(.busy, "Another process writes.") }
            return try work()
        }
    }

    private func open(
        refusals: Int = 0, busyTimeout: Duration = .seconds(60)
    ) async throws -> (KeyedStore, Shelf) {
        let schema = try Nursery.schema
        let shelf = try Shelf(schema, refusals: refusals)
        let store = try await KeyedStore.open(
            schema: schema, options: OpenOptions(), backend: "shelf", location: "here",
            busyTimeout: busyTimeout
        ) { shelf }
        return (store, shelf)
    }

    @Test("a snapshot store's write waits for another process's lock beyond the retry limit")
    func waits() async throws {
        let (store, shelf) = try await open(refusals: 30)
        try await store.write { try $0.insert(Baby(name: "Mia")) }
        #expect(shelf.commits == [["Baby"]])
        #expect(try await store.read { try $0.fetch(Baby.all, \.name) } == ["Mia"])
    }

    @Test("a snapshot store's write is busy after the timeout, and its body has not run")
    func busy() async throws {
        let (store, shelf) = try await open(refusals: .max, busyTimeout: .milliseconds(20))
        let runs = Mutex(0)
        let error = await #expect(throws: StoreError.self) {
            try await store.write { _ in runs.withLock { $0 += 1 } }
        }
        #expect(error?.code == .busy)
        #expect(runs.withLock { $0 } == 0)
        #expect(shelf.commits == [])
    }

    @Test("a snapshot store's write that waits for the lock leaves when its task is cancelled")
    func cancelled() async throws {
        let (store, _) = try await open(refusals: .max, busyTimeout: .seconds(600))
        let writer = Task { try await store.write { try $0.insert(Baby(name: "Mia")) } }
        writer.cancel()
        #expect(await #expect(throws: StoreError.self) { try await writer.value }?.code == .cancelled)
    }

    @Test("a body that throws `busy` of its own is run once")
    func ownError() async throws {
        let (store, shelf) = try await open()
        let runs = Mutex(0)
        let error = await #expect(throws: StoreError.self) {
            try await store.write { _ in
                runs.withLock { $0 += 1 }
                throw StoreError(.busy, "The kettle is on.")
            }
        }
        #expect(error?.message == "The kettle is on.")
        #expect(runs.withLock { $0 } == 1)
        #expect(shelf.commits == [])
    }

    @Test("snapshot storage learns which tables a write has changed, and nothing if it changed none")
    func changes() async throws {
        let (store, shelf) = try await open()
        let mia = try await store.write { tx in
            let mia = try tx.insert(Baby(name: "Mia"))
            try tx.insert(Weight(baby: mia.id, grams: 3_500))
            return mia
        }
        try await store.write { tx in
            _ = try tx.count(Baby.all)
            try tx.update(Weight.where(#Predicate { $0.grams < 0 }), set: [.set(\.grams, to: 0)])
            try? tx.nested {
                try tx.delete(mia)
                throw StoreError(.backend, "Undone.")
            }
        }
        try await store.write(WriteOptions(operation: OperationID())) { _ in }
        try await store.write { try $0.delete(mia) }
        #expect(shelf.commits == [["Baby", "Weight"], [], ["Baby", "Weight"]])
    }

    @Test("a snapshot store's write that runs during the close keeps nothing")
    func closed() async throws {
        let (store, shelf) = try await open()
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        let mayEnd = DispatchSemaphore(value: 0)
        let writer = Task {
            try await store.write { tx in
                try tx.insert(Baby(name: "Mia"))
                continuation.finish()
                mayEnd.wait()
            }
        }
        for await _ in started {}
        try await store.close()
        mayEnd.signal()
        #expect(await #expect(throws: StoreError.self) { try await writer.value }?.code == .closed)
        #expect(shelf.commits == [])
    }

    @Test("snapshot storage of another schema, and of a store out of service, is refused")
    func refused() async throws {
        let schema = try Nursery.schema
        let next = try Schema(version: SchemaVersion(2), entities: schema.entities)
        #expect(
            #expect(throws: StoreError.self) {
                try Snapshot(schema: schema, header: .init(schema: next, options: OpenOptions()))
            }?.code == .schemaTooNew)
        let (store, shelf) = try await open()
        try await store.changeRole(to: .retired)
        let error = await #expect(throws: StoreError.self) {
            try await KeyedStore.open(
                schema: schema, options: OpenOptions(), backend: "shelf", location: "here",
                busyTimeout: .seconds(1)
            ) { shelf }
        }
        #expect(error?.code == .outOfService)
        #expect(shelf.commits == [[]])
    }
}
