import Dispatch
import GRDB
import SwitchyardCore
import Testing

@testable import SQLiteStore

@Suite("The process that a busy error names")
struct LockHolderTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("a busy error names another write of this process, if one runs")
    func thisProcess() async throws {
        let store = try await openStore(directory.file(), settings: ["busyTimeout": "0.05"])
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
        let error = await #expect(throws: StoreError.self) { try await store.write { _ in } }
        mayEnd.signal()
        try await writer.value
        #expect(error?.code == .busy)
        #expect(
            error?.message == "Another write of this process held the store for too long; try again.")
        try await store.close()
    }

    @Test("a busy error names another process that a write of this one also waits for")
    func anotherProcess() async throws {
        let store = try await openStore(directory.file(), settings: ["busyTimeout": "0.05"])
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: directory.file(), configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        // The first is turned away by the lock, most of the others while they wait for the first.
        let messages = await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    await #expect(throws: StoreError.self) { try await store.write { _ in } }?.message
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(
            messages
                == Array(
                    repeating: "Another connection or process kept the store locked for too long; try again.",
                    count: 8))
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try other.close()
        try await store.close()
    }
}
