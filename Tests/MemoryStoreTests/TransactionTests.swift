import Foundation
import MemoryStore
import Switchyard
import SwitchyardCore
import Testing

@Suite("Transactions in memory")
struct TransactionTests {
    let store: MemoryStore
    init() throws { store = try Nursery.store() }

    @Test("an inserted row is found, with its times rounded to microseconds at once")
    func insert() async throws {
        let feed = Feed(start: Date(timeIntervalSince1970: 1.000_000_4))
        let returned = try await store.write { tx in try tx.insert(feed) }
        #expect(returned.start == Date(timeIntervalSince1970: 1))
        let found = try await store.read { tx in try tx.find(feed.id) }
        #expect(found?.start == returned.start)
    }

    @Test("a body that throws leaves nothing behind")
    func rollback() async throws {
        struct Refusal: Error {}
        await #expect(throws: Refusal.self) {
            try await store.write { tx in
                try tx.insert(Baby(name: "Mia"))
                throw Refusal()
            }
        }
        #expect(try await store.read { tx in try tx.count(Baby.all) } == 0)
    }

    @Test("an error that the body catches still ends the transaction")
    func poisoning() async throws {
        let mia = Baby(name: "Mia", badge: 1)
        let error = await #expect(throws: StoreError.self) {
            try await store.write { tx in
                try tx.insert(mia)
                _ = try? tx.insert(Baby(name: "Leo", badge: 1))
                _ = try? tx.insert(Baby(name: "Ida", badge: 2))
            }
        }
        #expect(error?.code == .transactionAborted)
        #expect((error?.underlying as? StoreError)?.code == .unique)
        #expect(try await store.read { tx in try tx.count(Baby.all) } == 0)
    }

    @Test("a nested part that fails is undone alone")
    func nested() async throws {
        try await store.write { tx in
            try tx.insert(Baby(name: "Mia", badge: 1))
            try? tx.nested {
                try tx.insert(Baby(name: "Leo", badge: 2))
                try tx.nested { try tx.insert(Baby(name: "Ida", badge: 3)) }
                try tx.insert(Baby(name: "Zoe", badge: 1))
            }
            try tx.nested { try tx.insert(Baby(name: "Ben", badge: 2)) }
        }
        let names = try await store.read { tx in try tx.fetch(Baby.sorted(by: \.name), \.name) }
        #expect(names == ["Ben", "Mia"])
    }

    @Test("a transaction used after its end is refused")
    func leak() async throws {
        final class Box: @unchecked Sendable {  // Written once, before the write returns, and read after it.
            var transaction: WriteTransaction?
        }
        let box = Box()
        try await store.write { tx in box.transaction = tx }
        #expect(throws: StoreError.self) { try box.transaction?.count(Baby.all) }
    }

    @Test("an operation inside another's loop is refused, as on every backend")
    func reentrancy() async throws {
        let error = await #expect(throws: StoreError.self) {
            try await store.write { tx in
                try tx.insert(Baby(name: "Mia"))
                try tx.forEach(Baby.all) { _ in _ = try tx.count(Baby.all) }
            }
        }
        #expect(error?.code == .unsupported)
    }

    @Test("a read sees one snapshot, whatever is written during it")
    func snapshot() async throws {
        let store = store
        let counts = try await store.read { tx in
            let before = try tx.count(Baby.all)
            let done = DispatchSemaphore(value: 0)
            Task.detached {
                _ = try? await store.write { tx in try tx.insert(Baby(name: "Mia")) }
                done.signal()
            }
            done.wait()
            return [before, try tx.count(Baby.all)]
        }
        #expect(counts == [0, 0])
        #expect(try await store.read { tx in try tx.count(Baby.all) } == 1)
    }

    @Test("eight writers lose no update")
    func writers() async throws {
        let store = store
        let baby = Baby(name: "Mia")
        try await store.write { tx in try tx.insert(baby) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<50 {
                        try await store.write { tx in
                            var current = try tx.find(baby.id) ?? baby
                            current.count += 1
                            try tx.update(current)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.read { tx in try tx.find(baby.id)?.count } == 400)
    }

    @Test("a cancelled write is rolled back, running or waiting, and the store goes on")
    func cancellation() async throws {
        let store = store
        let (started, signal) = AsyncStream.makeStream(of: Void.self)
        let running = Task {
            try await store.write { tx in
                try tx.insert(Baby(name: "Mia"))
                signal.yield()
                while true { _ = try tx.count(Baby.all) }
            }
        }
        for await _ in started { break }
        let waiting = Task { try await store.write { tx in try tx.insert(Baby(name: "Leo")) } }
        waiting.cancel()
        #expect(await #expect(throws: StoreError.self) { try await waiting.value }?.code == .cancelled)
        running.cancel()
        #expect(await #expect(throws: StoreError.self) { try await running.value }?.code == .cancelled)
        try await store.write { tx in try tx.insert(Baby(name: "Ida")) }
        #expect(try await store.read { tx in try tx.fetch(Baby.all, \.name) } == ["Ida"])
    }

    @Test("a write's outcome can be looked up by its operation id")
    func operations() async throws {
        let (kept, lost) = (OperationID(), OperationID())
        try await store.write(WriteOptions(operation: kept)) { tx in try tx.insert(Baby(name: "Mia")) }
        _ = await #expect(throws: StoreError.self) {
            try await store.write(WriteOptions(operation: lost)) { tx in
                try tx.insert(Weight(baby: Baby.ID()))
            }
        }
        #expect(try await store.wasCommitted(kept))
        #expect(try await !store.wasCommitted(lost))
    }

    @Test("a closed store in memory throws")
    func closing() async throws {
        try await store.close()
        #expect(
            await #expect(throws: StoreError.self) { try await store.read { tx in try tx.count(Baby.all) } }?
                .code == .closed)
        #expect(
            await #expect(throws: StoreError.self) { try await store.write { tx in try tx.insert(Baby()) } }?
                .code == .closed)
        #expect(await #expect(throws: StoreError.self) { try await store.marker() }?.code == .closed)
    }

    @Test("the plugin opens an empty store by `memory:` alone")
    func plugin() async throws {
        #expect(try MemoryPlugin.settings(fromURL: "memory:") == [:])
        #expect(throws: StoreError.self) { try MemoryPlugin.settings(fromURL: "memory:/data") }
        let settings = try StoreSettings([:], for: MemoryPlugin.self)
        let opened = try await MemoryPlugin.open(settings, schema: try Nursery.schema, options: OpenOptions())
        #expect(try await opened.read { tx in try tx.count(Baby.all) } == 0)
        #expect(try await opened.check() == [])
        let readOnly = try await MemoryPlugin.open(
            settings, schema: try Nursery.schema, options: OpenOptions(access: .readOnly))
        #expect(
            await #expect(throws: StoreError.self) {
                try await readOnly.write { tx in try tx.insert(Baby()) }
            }?.code == .readOnly)
    }
}
