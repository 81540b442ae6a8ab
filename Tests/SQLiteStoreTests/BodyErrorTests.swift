import Foundation
import GRDB
import SQLiteStore
import SwitchyardCore
import Synchronization
import Testing

@Suite("Errors that a body throws")
struct BodyErrorTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(
        "a body's own cancellation error reaches the caller, from a read and a write", arguments: ["0", "5"])
    func cancellation(readers: String) async throws {
        let store = try await openStore(directory.file(), settings: ["readers": readers])
        await #expect(throws: CancellationError.self) {
            try await store.read { _ in throw CancellationError() }
        }
        await #expect(throws: CancellationError.self) {
            try await store.write { tx in
                _ = try tx.insert(Person("Mia"))
                throw CancellationError()
            }
        }
        #expect(try await store.read { try $0.count(Person.all) } == 0)
        try await store.close()
    }

    @Test(
        "an error of another database reaches the caller, and the body does not run again",
        arguments: ["0", "5"])
    func otherDatabase(readers: String) async throws {
        let store = try await openStore(directory.file(), settings: ["readers": readers])
        let runs = Atomic(0)
        let reading = await #expect(throws: DatabaseError.self) {
            try await store.read { _ in
                runs.add(1, ordering: .relaxed)
                throw DatabaseError(resultCode: .SQLITE_BUSY)
            }
        }
        #expect(reading?.resultCode == .SQLITE_BUSY)
        let writing = await #expect(throws: DatabaseError.self) {
            try await store.write { _ in
                runs.add(1, ordering: .relaxed)
                throw DatabaseError(resultCode: .SQLITE_BUSY)
            }
        }
        #expect(writing?.resultCode == .SQLITE_BUSY)
        #expect(runs.load(ordering: .relaxed) == 2)
        try await store.close()
    }

    @Test("an error of another database reaches the caller of a read-only store")
    func readOnly() async throws {
        try await directory.makeStore()
        let store = try await openStore(directory.file(), options: OpenOptions(access: .readOnly))
        let error = await #expect(throws: DatabaseError.self) {
            try await store.read { tx in
                try tx.forEach(Person.all) { _ in throw DatabaseError(resultCode: .SQLITE_READONLY) }
            }
        }
        #expect(error?.resultCode == .SQLITE_READONLY)
        try await store.close()
    }

    @Test("a cancellation caught around a savepoint keeps the rest of the write")
    func caught() async throws {
        let store = try await openStore(directory.file())
        try await store.write { tx in
            _ = try tx.insert(Person("Mia"))
            do {
                try tx.nested {
                    _ = try tx.insert(Person("Leo"))
                    try tx.forEach(Person.all) { _ in throw CancellationError() }
                }
            } catch is CancellationError {}
        }
        #expect(try await store.read { try $0.fetch(Person.all).map(\.name) } == ["Mia"])
        try await store.close()
    }
}
