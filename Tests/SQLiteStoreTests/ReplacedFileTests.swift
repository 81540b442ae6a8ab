import Foundation
import GRDB
import SwitchyardCore
import Testing

@testable import SQLiteStore

@Suite("A store file that is deleted, moved or replaced")
struct ReplacedFileTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func remove(_ suffixes: String...) throws {
        for suffix in suffixes { try FileManager.default.removeItem(atPath: directory.file() + suffix) }
    }

    private func failure(_ work: () async throws -> Void) async -> StoreError? {
        await #expect(throws: StoreError.self) { try await work() }
    }

    @Test("a store does not write or read a deleted file, and closing creates none", arguments: ["0", "5"])
    func deleted(readers: String) async throws {
        let store = try await openStore(directory.file(), settings: ["readers": readers])
        try await store.write { _ = try $0.insert(Person("Mia")) }
        #expect(try await store.read { try $0.count(Person.all) } == 1)
        try remove("", "-wal", "-shm")
        let writing = await failure { try await store.write { _ = try $0.insert(Person("Leo")) } }
        #expect(writing?.code == .replaced)
        #expect(
            writing?.message
                == "The file \(directory.file()) was deleted, moved or replaced while the store \(directory.file()) was open, so "
                + "nothing more can be read or written. Close the store, put the file back if it belongs there, and open the "
                + "store again.")
        #expect(writing?.isRetryable == false)
        #expect(await failure { _ = try await store.read { try $0.count(Person.all) } }?.code == .replaced)
        #expect(await failure { _ = try await store.check() }?.code == .replaced)
        #expect(await failure { _ = try await store.marker() }?.code == .replaced)
        try await store.close()
        #expect(try directory.contents().isEmpty)
        let next = try await openStore(directory.file())
        #expect(try await next.read { try $0.count(Person.all) } == 0)
        try await next.close()
    }

    @Test("a store whose file was replaced by another store leaves that one and its WAL alone")
    func replaced() async throws {
        let store = try await openStore(directory.file())
        try await store.write { _ = try $0.insert(Person("Mia")) }
        try remove("", "-wal", "-shm")
        let other = try await openStore(directory.file())
        try await other.write { _ = try $0.insert(Person("Zoë")) }
        let before = try directory.contents()
        #expect(
            await failure { try await store.write { _ = try $0.insert(Person("Leo")) } }?.code == .replaced)
        // A reading connection that is opened only now opens the other store's file.
        #expect(await failure { _ = try await store.read { try $0.count(Person.all) } }?.code == .replaced)
        try await store.close()
        #expect(
            try directory.contents().filter { !$0.key.hasSuffix("-shm") }
                == before.filter { !$0.key.hasSuffix("-shm") })
        try await other.write { _ = try $0.insert(Person("Ida")) }
        #expect(try await other.read { try $0.fetch(Person.all).map(\.name).sorted() } == ["Ida", "Zoë"])
        #expect(try await other.check() == [])
        try await other.close()
        let next = try await openStore(directory.file())
        #expect(try await next.read { try $0.count(Person.all) } == 2)
        try await next.close()
    }

    @Test("a store uses its file again when it is put back")
    func putBack() async throws {
        let store = try await openStore(directory.file())
        try await store.write { _ = try $0.insert(Person("Mia")) }
        try FileManager.default.moveItem(atPath: directory.file(), toPath: directory.file("aside"))
        #expect(
            await failure { try await store.write { _ = try $0.insert(Person("Leo")) } }?.code == .replaced)
        try FileManager.default.moveItem(atPath: directory.file("aside"), toPath: directory.file())
        try await store.write { _ = try $0.insert(Person("Zoë")) }
        #expect(try await store.read { try $0.fetch(Person.all).map(\.name).sorted() } == ["Mia", "Zoë"])
        try await store.close()
    }

    @Test(
        "a replaced WAL or shared memory is reported, and closing keeps what was written",
        arguments: ["-wal", "-shm"])
    func besideTheFile(suffix: String) async throws {
        let store = try await openStore(directory.file())
        try await store.write { _ = try $0.insert(Person("Mia")) }
        try remove(suffix)
        let writing = await failure { try await store.write { _ = try $0.insert(Person("Leo")) } }
        #expect(writing?.code == .replaced)
        #expect(writing?.message.hasPrefix("The file \(directory.file())\(suffix) was deleted") == true)
        try await store.close()
        let next = try await openStore(directory.file())
        #expect(try await next.read { try $0.fetch(Person.all).map(\.name) } == ["Mia"])
        #expect(try await next.check() == [])
        try await next.close()
    }

    @Test("a replaced file of the app's own connection is reported")
    func borrowed() async throws {
        let queue = try DatabaseQueue(path: directory.file())
        let store = try await SQLiteStore(connection: queue, schema: .people())
        try await store.write { _ = try $0.insert(Person("Mia")) }
        try remove("")
        #expect(
            await failure { try await store.write { _ = try $0.insert(Person("Leo")) } }?.code == .replaced)
        #expect(await failure { _ = try await store.read { try $0.count(Person.all) } }?.code == .replaced)
        try await store.close()
        try queue.close()
    }

    @Test(
        "a replaced file is reported to writes through the lent connection, and no checkpoint opens the new one"
    )
    func lentConnection() async throws {
        let store = try await openStore(directory.file())
        try remove("", "-wal", "-shm")
        let connection = try #require(store.connection)
        let error = await #expect(throws: DatabaseError.self) {
            try await connection.write { database in
                try database.execute(
                    sql: """
                        CREATE TABLE filler(x);
                        INSERT INTO filler WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
                        SELECT randomblob(4000) FROM n;
                        """)
            }
        }
        #expect(error?.resultCode == .SQLITE_ERROR)
        try await store.close()
        #expect(try directory.contents().isEmpty)
    }
}
