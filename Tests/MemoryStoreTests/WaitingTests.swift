import Dispatch
import MemoryStore
import Switchyard
import SwitchyardCore
import Testing

@Suite("Writers in memory that wait for each other")
struct WaitingTests {
    /// A store by the plugin, with a busy timeout in seconds.
    private func openStore(busyTimeout: String) async throws -> any Store {
        let settings = try StoreSettings(["busyTimeout": busyTimeout], for: MemoryPlugin.self)
        return try await MemoryPlugin.open(settings, schema: try Nursery.schema, options: OpenOptions())
    }

    /// Calls `body` while a write holds the store.
    private func whileWriting(_ store: any Store, _ body: () async throws -> Void) async throws {
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
        do {
            defer { mayEnd.signal() }
            try await body()
        }
        try await writer.value
    }

    @Test("a second writer in memory is busy after the busy timeout, and the first loses nothing")
    func busy() async throws {
        let store = try await openStore(busyTimeout: "0.05")
        try await whileWriting(store) {
            let error = await #expect(throws: StoreError.self) {
                try await store.write { tx in try tx.insert(Baby(name: "Leo")) }
            }
            #expect(error?.code == .busy)
        }
        try await store.write { tx in try tx.insert(Baby(name: "Zoe")) }
        let names = try await store.read { tx in try tx.fetch(Baby.sorted(by: \.name), \.name) }
        #expect(names == ["Mia", "Zoe"])
    }

    @Test("a writer in memory that is cancelled while waiting leaves at once")
    func cancelled() async throws {
        let store = try await openStore(busyTimeout: "600")
        try await whileWriting(store) {
            let waiter = Task { try await store.write { tx in try tx.insert(Baby(name: "Leo")) } }
            waiter.cancel()
            #expect(await #expect(throws: StoreError.self) { try await waiter.value }?.code == .cancelled)
        }
        #expect(try await store.read { tx in try tx.count(Baby.all) } == 1)
    }

    @Test("a busy timeout that is not a number of seconds is refused", arguments: ["-1", "601", "soon"])
    func mistake(text: String) {
        #expect(throws: StoreError.self) {
            try StoreSettings(["busyTimeout": text], for: MemoryPlugin.self)
        }
    }
}
