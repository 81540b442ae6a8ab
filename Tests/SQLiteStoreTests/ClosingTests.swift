import Foundation
import GRDB
import SwitchyardCore
import Testing

@testable import SQLiteStore

@Suite("Closing a store, and connections that come and go")
struct ClosingTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var hasLog: Bool { FileManager.default.fileExists(atPath: directory.file() + "-wal") }

    @Test("a cancelled task can close the store")
    func closingInACancelledTask() async throws {
        let store = try await openStore(directory.file())
        try await store.write { _ = try $0.insert(Person("Mia")) }
        #expect(hasLog)
        try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.close()
        }.value
        #expect(!hasLog)
    }

    @Test(
        "a closed store's file is whole by itself, even beside readers and other openings",
        arguments: ["0", "5"], [false, true])
    func wholeFile(readers: String, besideOthers: Bool) async throws {
        let store = try await openStore(directory.file(), settings: ["readers": readers])
        let other = besideOthers ? try await openStore(directory.file()) : nil
        #expect(try await other?.read { try $0.count(Person.all) } ?? 0 == 0)
        try await store.write { _ = try $0.insert(Person("Mia")) }
        #expect(try await store.read { try $0.count(Person.all) } == 1)
        try await store.close()
        let copy = directory.file() + ".copy"
        try FileManager.default.copyItem(atPath: directory.file(), toPath: copy)
        let copied = try await openStore(copy)
        #expect(try await copied.read { try $0.count(Person.all) } == 1)
        try await copied.close()
        try await other?.close()
    }

    @Test("a closed store throws, with and without readers", arguments: ["0", "5"])
    func closed(readers: String) async throws {
        let store = try await openStore(directory.file(), settings: ["readers": readers])
        try await store.close()
        func code(_ work: () async throws -> Void) async -> StoreError.Code? {
            await #expect(throws: StoreError.self) { try await work() }?.code
        }
        #expect(await code { _ = try await store.read { try $0.count(Person.all) } } == .closed)
        #expect(await code { _ = try await store.check() } == .closed)
        #expect(await code { try await store.write { _ = try $0.insert(Person("Mia")) } } == .closed)
    }

    @Test("a failed close can be repeated")
    func closingAgain() async throws {
        /// Sendable because the test uses it before and after the store does, never beside it.
        final class Holder: @unchecked Sendable { var statement: Statement? }
        let holder = Holder()
        let store = try await openStore(directory.file())
        try await store.connection?.writeWithoutTransaction {
            holder.statement = try $0.makeStatement(sql: "SELECT 1")
        }
        #expect(await #expect(throws: StoreError.self) { try await store.close() }?.code == .busy)
        holder.statement = nil
        try await store.close()
        #expect(!hasLog)
        try await store.close()
        #expect(await #expect(throws: StoreError.self) { _ = try await store.marker() }?.code == .closed)
    }

    @Test("a transaction that reaches its connection after the close is refused")
    func late() async throws {
        let queue = try DatabaseQueue()
        let store = try await SQLiteStore(connection: queue, schema: .people())
        try await store.close()
        let error = #expect(throws: StoreError.self) { try queue.inDatabase { _ = try store.driver(on: $0) } }
        #expect(error?.code == .closed)
        #expect(
            await #expect(throws: StoreError.self) { _ = try await store.read { try $0.count(Person.all) } }?
                .code == .closed)
    }

    @Test("a new connection at an old one's address is not mistaken for it")
    func connections() throws {
        let registry = ConnectionRegistry()
        for _ in 0..<50 {
            let queue = try DatabaseQueue()
            try queue.inDatabase { database in
                _ = try registry.state(of: database)
                let isGreater = "SELECT '10' > '9' COLLATE switchyard_decimal"
                #expect(try Bool.fetchOne(database, sql: isGreater) == true)
            }
            try queue.close()
        }
    }
}
