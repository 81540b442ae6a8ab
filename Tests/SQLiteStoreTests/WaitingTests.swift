import Dispatch
import Foundation
import SQLiteStore
import SwitchyardCore
import Testing

@Suite("Writers of one process that wait for each other")
struct WaitingTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Calls `body` while a write holds the store.
    private func whileWriting(_ store: SQLiteStore, _ body: () async throws -> Void) async throws {
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        let mayEnd = DispatchSemaphore(value: 0)
        let writer = Task {
            try await store.write { tx in
                _ = try tx.insert(Person("Mia"))
                continuation.finish()
                mayEnd.wait()
            }
        }
        for await _ in started {}
        do {
            defer { mayEnd.signal() }
            try await body()
        }
        try await writer.value
    }

    @Test("the second is busy after the busy timeout, and the first loses nothing")
    func busy() async throws {
        let store = try await openStore(directory.file(), settings: ["busyTimeout": "0.05"])
        try await whileWriting(store) {
            let error = await #expect(throws: StoreError.self) {
                try await store.write { _ = try $0.insert(Person("Leo")) }
            }
            #expect(error?.code == .busy)
        }
        try await store.write { _ = try $0.insert(Person("Zoë")) }
        #expect(try await store.read { try $0.count(Person.all) } == 2)
        try await store.close()
    }

    @Test("one that is cancelled while it waits leaves at once")
    func cancelled() async throws {
        let store = try await openStore(directory.file(), settings: ["busyTimeout": "600"])
        try await whileWriting(store) {
            let waiter = Task { try await store.write { _ = try $0.insert(Person("Leo")) } }
            waiter.cancel()
            #expect(await #expect(throws: StoreError.self) { try await waiter.value }?.code == .cancelled)
        }
        #expect(try await store.read { try $0.fetch(Person.all).map(\.name) } == ["Mia"])
        try await store.close()
    }
}
