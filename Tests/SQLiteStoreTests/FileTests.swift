import Foundation
import GRDB
import SwitchyardCore
import Testing

@testable import SQLiteStore

@Suite("The files of a store")
struct FileTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("a missing directory is named, and not created")
    func missingDirectory() async throws {
        let error = await #expect(throws: StoreError.self) {
            _ = try await openStore(directory.file("gruop/inner/store.sqlite"))
        }
        #expect(error?.code == .notFound)
        #expect(
            error?.message
                == "The directory \(StoreFile(path: directory.file("gruop/inner")).path) of the store "
                + "store.sqlite does not exist. Correct the path, or create the directory first.")
        #expect(try directory.contents().isEmpty)
    }

    @Test("a store's file and WAL are readable by this user only")
    func permissions() async throws {
        let path = directory.file("group/inner/store.sqlite")
        try FileManager.default.createDirectory(
            atPath: directory.file("group/inner"), withIntermediateDirectories: true)
        let store = try await openStore(path)
        try await store.write { _ = try $0.insert(Person("Mia")) }
        #expect(try mode(path) == 0o600)
        #expect(try mode(path + "-wal") == 0o600)
        try await store.close()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.file("group/inner")).sorted()
                .filter { !$0.hasPrefix("store.sqlite") } == [])
    }

    @Test(
        "a file name may contain URI characters, with any scalar behind them",
        arguments: [
            "#", "?", "%", "#\u{FE0F}\u{20E3}", "?\u{301}mode=rw", "%\u{301}", "\u{301}",
        ])
    func names(name: String) async throws {
        let path = directory.file(name + ".sqlite")
        let store = try await openStore(path)
        try await store.write { _ = try $0.insert(Person("Mia")) }
        try await store.close()
        let reader = try await openStore(path, options: OpenOptions(access: .readOnly))
        #expect(try await reader.read { try $0.count(Person.all) } == 1)
        try await reader.close()
        #expect(access(path, F_OK) == 0)
    }

    @Test("two stores on one file see each other's writes")
    func severalConnections() async throws {
        let first = try await openStore(directory.file())
        let second = try await openStore(directory.file())
        try await first.write { _ = try $0.insert(Person("Mia")) }
        #expect(try await second.read { try $0.count(Person.all) } == 1)
        try await second.write { _ = try $0.insert(Person("Leo")) }
        #expect(try await first.read { try $0.count(Person.all) } == 2)
        try await first.close()
        #expect(try await second.read { try $0.count(Person.all) } == 2)
        try await second.close()
    }

    @Test("eight writers on two stores lose no update")
    func writers() async throws {
        let patient = ["busyTimeout": "60"]
        let stores = [
            try await openStore(directory.file(), settings: patient),
            try await openStore(directory.file(), settings: patient),
        ]
        let mia = Person("Mia")
        try await stores[0].write { _ = try $0.insert(mia) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for _ in 0..<10 {
                        try await stores[writer % 2].write { tx in
                            guard var person = try tx.find(mia.id) else { return }
                            person.visits += 1
                            _ = try tx.update(person)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await stores[0].read { try $0.find(mia.id)?.visits } == 80)
        for store in stores { try await store.close() }
    }

    @Test("a long WAL is checkpointed after a commit")
    func checkpoint() async throws {
        let store = try await openStore(directory.file())
        let people = (0..<40_000).map { Person("Person number \($0) with a name of some length") }
        try await store.write { _ = try $0.insert(contentsOf: people) }
        let size = try FileManager.default.attributesOfItem(atPath: directory.file())[.size] as? Int
        #expect((size ?? 0) > 4_000_000)
        #expect(try await store.read { try $0.count(Person.all) } == 40_000)
        #expect(try await store.check() == [])
        try await store.close()
    }

    @Test("an open store can be inspected without a change to its file or WAL")
    func inspectingAnOpenStore() async throws {
        let store = try await openStore(directory.file())
        try await store.write { _ = try $0.insert(Person("Mia")) }
        let before = try directory.contents().filter { !$0.key.hasSuffix("-shm") }
        let error = await #expect(throws: StoreError.self) {
            _ = try await openStore(directory.file(), schema: .people(version: 2))
        }
        #expect(error?.code == .schemaMismatch)
        let reader = try await openStore(directory.file(), options: OpenOptions(access: .readOnly))
        #expect(try await reader.read { try $0.count(Person.all) } == 1)
        try await reader.close()
        #expect(try directory.contents().filter { !$0.key.hasSuffix("-shm") } == before)
        try await store.close()
    }

    @Test("an SQLite file of another program is refused by the names of its tables")
    func foreignFile() async throws {
        let queue = try DatabaseQueue(path: directory.file())
        try await queue.write { try $0.execute(sql: "CREATE TABLE ZFEED(Z_PK INTEGER PRIMARY KEY)") }
        try queue.close()
        let before = try directory.contents()
        let error = await #expect(throws: StoreError.self) { _ = try await openStore(directory.file()) }
        #expect(error?.code == .notAStore)
        #expect(error?.message.contains("ZFEED") == true)
        #expect(try directory.contents() == before)
    }

    @Test("a store that another connection locks is busy after a bounded wait")
    func locked() async throws {
        let store = try await openStore(directory.file(), settings: ["busyTimeout": "0.05"])
        let other = try DatabaseQueue(path: directory.file())
        try await other.writeWithoutTransaction { database in
            try database.execute(sql: "BEGIN IMMEDIATE")
            let isBusy = DispatchSemaphore(value: 0)
            Task {
                let error = await #expect(throws: StoreError.self) {
                    try await store.write { _ = try $0.insert(Person("Mia")) }
                }
                #expect(error?.code == .busy)
                isBusy.signal()
            }
            isBusy.wait()
            try database.execute(sql: "ROLLBACK")
        }
        try await store.write { _ = try $0.insert(Person("Mia")) }
        try other.close()
        try await store.close()
    }

    @Test("a full disk undoes the transaction, and the store goes on once there is room")
    func full() async throws {
        let store = try await openStore(directory.file())
        try await store.connection?.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA max_page_count = 60")
        }
        let people = (0..<2_000).map { Person("Person number \($0) with a name of some length") }
        let error = await #expect(throws: StoreError.self) {
            try await store.write { _ = try $0.insert(contentsOf: people) }
        }
        #expect(error?.code == .full)
        #expect(try await store.read { try $0.count(Person.all) } == 0)
        try await store.connection?.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA max_page_count = 100000")
        }
        try await store.write { _ = try $0.insert(contentsOf: people) }
        #expect(try await store.read { try $0.count(Person.all) } == 2_000)
        try await store.close()
    }

    @Test("text that is not UTF-8, written by another program, is corruption with its place")
    func corruptedText() async throws {
        let store = try await openStore(directory.file())
        try await store.write { _ = try $0.insert(Person("Mia")) }
        try await store.connection?.write {
            try $0.execute(sql: "UPDATE Person SET name = CAST(X'FF' AS TEXT)")
        }
        let error = await #expect(throws: StoreError.self) {
            _ = try await store.read { try $0.fetch(Person.all) }
        }
        #expect(error?.code == .corrupted)
        #expect(error?.entity == "Person")
        #expect(error?.attribute == "name")
        #expect(try await store.check().count == 1)
        try await store.close()
    }

    @Test("a cancelled task's transaction ends with cancelled, and the store is usable")
    func cancellation() async throws {
        let store = try await openStore(directory.file())
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await store.write { tx in
                _ = try tx.insert(Person("Mia"))
                continuation.finish()
                while true { _ = try tx.count(Person.all) }
            }
        }
        for await _ in started {}
        task.cancel()
        #expect(await #expect(throws: StoreError.self) { try await task.value }?.code == .cancelled)
        #expect(try await store.read { try $0.count(Person.all) } == 0)
        try await store.close()
    }
}
