import Dispatch
import Foundation
import GRDB
import SwitchyardCore
import Testing

@testable import SQLiteStore

@Suite("Reads and writes that wait for others")
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

    @Test("a second SQLite writer is busy after the busy timeout, and the first loses nothing")
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

    @Test("an SQLite writer that is cancelled while waiting leaves at once")
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

    @Test(
        "an SQLite read that is cancelled while waiting for a reader leaves at once",
        arguments: [
            ("0", OpenOptions.Access.readWrite), ("1", .readWrite), ("0", .readOnly), ("1", .readOnly),
        ])
    func cancelledRead(readers: String, access: OpenOptions.Access) async throws {
        try await directory.makeStore()
        let store = try await openStore(
            directory.file(), settings: ["readers": readers], options: OpenOptions(access: access))
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        let mayEnd = DispatchSemaphore(value: 0)
        let reader = Task {
            try await store.read { tx in
                continuation.finish()
                mayEnd.wait()
                return try tx.count(Person.all)
            }
        }
        for await _ in started {}
        let waiter = Task { try await store.read { try $0.count(Person.all) } }
        while store.connections.waiting == 0 { await Task.yield() }
        waiter.cancel()
        let error = await #expect(throws: StoreError.self) { try await waiter.value }
        #expect(error?.code == .cancelled)
        mayEnd.signal()
        #expect(try await reader.value == 1)
        #expect(try await store.read { try $0.count(Person.all) } == 1)
        try await store.close()
    }

    @Test(
        "two readers run two reads concurrently",
        arguments: [OpenOptions.Access.readWrite, .readOnly])
    func readers(access: OpenOptions.Access) async throws {
        try await directory.makeStore()
        let store = try await openStore(
            directory.file(), settings: ["readers": "2"], options: OpenOptions(access: access))
        let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // Each waits for the other to have begun.
        async let one = store.read { tx in
            first.signal()
            second.wait()
            return try tx.count(Person.all)
        }
        async let two = store.read { tx in
            second.signal()
            first.wait()
            return try tx.count(Person.all)
        }
        #expect(try await [one, two] == [1, 1])
        try await store.close()
    }

    @Test("a write that is cancelled during another process's write leaves", arguments: ["0", "5"])
    func cancelledBesideOthers(readers: String) async throws {
        let store = try await openStore(
            directory.file(), settings: ["busyTimeout": "600", "readers": readers])
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: directory.file(), configuration: configuration)
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        try await store.connection?.writeWithoutTransaction { database in
            database.trace { if "\($0)".hasPrefix("BEGIN IMMEDIATE") { continuation.finish() } }
        }
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        let writer = Task { try await store.write { _ = try $0.insert(Person("Mia")) } }
        for await _ in begun {}
        writer.cancel()
        let error = await #expect(throws: StoreError.self) { try await writer.value }
        #expect(error?.code == .cancelled)
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try other.close()
        #expect(try await store.read { try $0.count(Person.all) } == 0)
        try await store.close()
    }
}
