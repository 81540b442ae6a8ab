import Dispatch
import Foundation
import GRDB
import SwitchyardCore
import SwitchyardSQL
import Testing

@testable import SQLiteStore

@Suite("A file that others use too")
struct SharedFileTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A foreign hand that has turned the log off.
    private func openWithJournal() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let queue = try DatabaseQueue(path: directory.file(), configuration: configuration)
        try queue.inDatabase { try $0.execute(sql: "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1") }
        return queue
    }

    /// Begins a change so large that a part of it is in the file already, and its undoing in the journal.
    private func beginLargeChange(_ database: Database) throws {
        try database.execute(
            sql: """
                BEGIN IMMEDIATE;
                UPDATE Person SET name = 'Torn';
                CREATE TABLE filler(x);
                INSERT INTO filler WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
                SELECT randomblob(4000) FROM n;
                """)
    }

    @Test("a symbolic link to a store finds its WAL, and so reads the last writes")
    func link() async throws {
        let store = try await openStore(directory.file())
        try await store.write { _ = try $0.insert(Person("Mia")) }
        try FileManager.default.createSymbolicLink(
            atPath: directory.file("link"), withDestinationPath: directory.file())
        let reader = try await openStore(directory.file("link"), options: OpenOptions(access: .readOnly))
        #expect(try await reader.read { try $0.fetch(Person.all).map(\.name) } == ["Mia"])
        #expect(reader.info.location == store.info.location)
        try await reader.close()
        try await store.close()
    }

    @Test("a commit of another opening is noticed, even if the history leaves out its changes")
    func leftOut() async throws {
        let draft = Entity("Draft", attributes: [Attribute("id", type: .uuid)], isLeftOutOfHistory: true)
        let schema = try Schema(version: SchemaVersion(1), entities: [draft])
        let store = try await openStore(directory.file(), schema: schema)
        try await store.keepHistory()
        let other = try await openStore(directory.file(), schema: schema)
        var counts = store.observe { try $0.countRows(of: "Draft") }.makeAsyncIterator()
        #expect(try await counts.next() == 0)
        try await other.write { try $0.insertRows(into: "Draft", [[.uuid(UUID())]]) }
        #expect(try await counts.next() == 1)
        try await other.close()
        try await store.close()
    }

    @Test(
        "a store counts its own writes and those of others, unless the app has its connection",
        arguments: ["0", "2"])
    func commitCount(readers: String) async throws {
        let store = try await openStore(directory.file(), settings: ["readers": readers])
        let count = try #require(await store.commitCount())
        #expect(try await store.read { try $0.fetch(Person.all).count } == 0)
        #expect(await store.commitCount() == count)
        try await store.write { try $0.insert(Person("Mia")) }
        #expect(await store.commitCount() == count + 1)
        await #expect(throws: CancellationError.self) {
            try await store.write { tx in
                try tx.insert(Person("Ida"))
                throw CancellationError()
            }
        }
        let rolledBack = try #require(await store.commitCount())
        let other = try DatabaseQueue(path: directory.file())
        try await other.write { try $0.execute(sql: "UPDATE Person SET name = 'Ida'") }
        let next = try #require(await store.commitCount())
        #expect(next > rolledBack)
        try await other.write { try $0.execute(sql: "UPDATE Person SET name = 'Ida'") }
        #expect(try #require(await store.commitCount()) > next)
        try other.close()
        _ = store.connection
        #expect(await store.commitCount() == nil)
        try await store.close()
    }

    @Test("the history continues from its last transaction, whichever process wrote it")
    func historyOfTwo() async throws {
        let stores = [try await openStore(directory.file()), try await openStore(directory.file())]
        try await stores[0].keepHistory()
        for number in 1...12 {
            // Each twice in turn, so that a store meets its own end of the history and that of the other.
            try await stores[number / 2 % 2].write { try $0.insert(Person("\(number)")) }
        }
        // What is rolled back, and what others remove, is not gone on from.
        let error = await #expect(throws: StoreError.self) {
            // Refused by the COMMIT.
            try await stores[0].write { try $0.insert(Person("Lost", motherID: Person.ID())) }
        }
        #expect(error?.code == .foreignKey)
        try await stores[0].write { try $0.insert(Person("13")) }
        let other = try DatabaseQueue(path: directory.file())
        try await other.write {
            try $0.execute(
                sql: "DELETE FROM switchyard_history WHERE id = (SELECT max(id) FROM switchyard_history)")
        }
        try other.close()
        try await stores[0].write { try $0.insert(Person("Again 13")) }
        try await stores[0].write { try $0.insert(Person("14")) }
        #expect(try await stores[1].read { try $0.historyToken().sequence } == 14)
        for store in stores {
            #expect(try await store.checkHistory() == [])
            try await store.close()
        }
    }

    @Test("following a closed store leaves no file behind")
    func followedLate() async throws {
        let store = try await openStore(directory.file())
        var changes = store.changes().makeAsyncIterator()
        var counts = store.observe { try $0.count(Person.all) }.makeAsyncIterator()
        #expect(try await counts.next() == 0)
        try await store.close()
        #expect(try await changes.next() == nil)
        #expect(!FileManager.default.fileExists(atPath: directory.file() + "-wal"))
    }

    @Test("a commit of another store on the same connection is noticed, even just before one's own")
    func lent() async throws {
        let schema = try Schema(
            version: SchemaVersion(1),
            entities: ["Draft", "Note"].map { Entity($0, attributes: [Attribute("id", type: .uuid)]) })
        let store = try await openStore(directory.file(), schema: schema)
        let other = try await SQLiteStore(connection: try #require(store.connection), schema: schema)
        var counts = store.observe { try $0.countRows(of: "Draft") }.makeAsyncIterator()
        #expect(try await counts.next() == 0)
        for round in 1...100 {
            async let draft = other.write { try $0.insertRows(into: "Draft", [[.uuid(UUID())]]) }
            async let note = store.write { try $0.insertRows(into: "Note", [[.uuid(UUID())]]) }
            _ = try await (draft, note)
            while let count = try await counts.next(), count < round {}
        }
        try await other.close()
        try await store.close()
    }

    @Test("an observer learns that the store's files were removed or moved away", arguments: [true, false])
    func removedWhileObserved(isRemoved: Bool) async throws {
        let store = try await openStore(directory.file())
        var counts = store.observe { try $0.count(Person.all) }.makeAsyncIterator()
        #expect(try await counts.next() == 0)
        for suffix in ["", "-wal", "-shm"] {
            let file = directory.file() + suffix
            if isRemoved {
                try FileManager.default.removeItem(atPath: file)
            } else {
                try FileManager.default.moveItem(atPath: file, toPath: file + ".away")
            }
        }
        let error = await #expect(throws: StoreError.self) { try await counts.next() }
        #expect(error?.code == .replaced)
        try await store.close()
    }

    @Test("a file that cannot be opened is named by its path")
    func names() throws {
        let path = StoreFile(path: directory.file()).path
        let pool = try DatabasePool(path: path)
        let closed = StoreError.translating(
            DatabaseError(resultCode: .SQLITE_CANTOPEN), in: try .people(), at: path)
        #expect(
            (closed as? StoreError)?.message
                == "The store's file \(path) cannot be opened; check the path and its permissions.")
        pool.writeWithoutTransaction { database in
            #expect(StoreError.file(of: database.sqliteConnection) == path)
        }
        try DatabaseQueue().inDatabase { #expect(StoreError.file(of: $0.sqliteConnection) == nil) }
        try pool.close()
    }

    @Test("opening waits for another process's write, within the whole busy timeout")
    func openingWaits() async throws {
        try await directory.makeStore()
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: directory.file(), configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        // One attempt alone would give up after a third of this, which is over at once.
        let error = await #expect(throws: StoreError.self) {
            _ = try await openStore(directory.file(), settings: ["busyTimeout": "0"])
        }
        #expect(error?.code == .busy)
        let opening = Task { try await openStore(directory.file(), settings: ["busyTimeout": "600"]) }
        try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        let store = try await opening.value
        #expect(try await store.read { try $0.count(Person.all) } == 1)
        try await store.close()
        try other.close()
    }

    @Test("a dangling link is refused, and nothing is created there")
    func danglingLink() async throws {
        try FileManager.default.createSymbolicLink(
            atPath: directory.file("link"), withDestinationPath: directory.file("gone"))
        #expect(
            await #expect(throws: StoreError.self) { _ = try await openStore(directory.file("link")) }?.code
                == .notAStore)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["link"])
    }

    @Test("a change cut short by a crash is invisible to readers, and rolled back by opening for writing")
    func hotJournal() async throws {
        try await directory.makeStore()
        let other = try openWithJournal()
        let path = try await other.writeWithoutTransaction { [self] database in
            try beginLargeChange(database)
            let path = try directory.copyStore(with: "-journal")
            try database.execute(sql: "ROLLBACK")
            return path
        }
        try other.close()
        let before = try directory.contents()
        #expect(before["copy/store.sqlite-journal"]?.isEmpty == false)
        let refused = await #expect(throws: StoreError.self) {
            _ = try await openStore(path, schema: .people(version: 2))
        }
        #expect(refused?.code == .schemaMismatch)
        let reader = try await openStore(path, options: OpenOptions(access: .readOnly))
        #expect(try await reader.read { try $0.fetch(Person.all).map(\.name) } == ["Mia"])
        #expect(try directory.contents() == before)
        let store = try await openStore(path)
        #expect(try await store.read { try $0.fetch(Person.all).map(\.name) } == ["Mia"])
        #expect(try await store.check() == [])
        try await store.close()
    }

    @Test("a file that another process changes without a WAL is busy, and never read torn")
    func journalInUse() async throws {
        try await directory.makeStore()
        let other = try openWithJournal()
        let reader = try await openStore(
            directory.file(), settings: ["busyTimeout": "0.05"], options: OpenOptions(access: .readOnly))
        try other.inDatabase(beginLargeChange)
        let opening = await #expect(throws: StoreError.self) {
            _ = try await openStore(directory.file(), settings: ["busyTimeout": "0.05"])
        }
        #expect(opening?.code == .busy)
        let reading = await #expect(throws: StoreError.self) {
            _ = try await reader.read { try $0.count(Person.all) }
        }
        #expect(reading?.code == .busy)
        try other.inDatabase { try $0.execute(sql: "ROLLBACK") }
        #expect(try await reader.read { try $0.fetch(Person.all).map(\.name) } == ["Mia"])
        try other.close()
    }

    @Test("creating a store keeps the WAL of one that another process has created meanwhile")
    func madeMeanwhile() async throws {
        let store = try await openStore(directory.file())
        let before = try directory.contents()
        #expect(before["store.sqlite-wal"] != nil)
        try StoreFile(path: directory.file()).create(
            SQLPlan(.people()), options: OpenOptions(), busyTimeout: 0)
        #expect(try directory.contents() == before)
        try await store.close()
    }

    @Test("too many open files is an error of its own")
    func tooManyFiles() async throws {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            try await directory.makeStore()
            // Dispatch opens descriptors for its first timer, and ends a process that has none left.
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) {
                    continuation.resume()
                }
            }
            let path = directory.file()
            // Nothing is awaited under the limit, since Dispatch opens files at any time while work is waiting.
            let errors = try withoutDescriptors {
                [
                    failure { _ = try FileLock(path: path, busyTimeout: 0) },
                    failure { _ = try DatabaseQueue(path: path) }
                        .map { StoreError.translating($0, in: nil, at: path) },
                ]
            }
            for error in errors {
                let error = try #require(error as? StoreError)
                #expect(error.code == .inputOutput)
                #expect(error.message.contains("as many files open as it may"))
            }
        }
    }

    @Test("a marker that is not UTF-8 is corruption, and not repaired")
    func corruptedMarker() async throws {
        let store = try await openStore(directory.file())
        try await store.connection?.write {
            try $0.execute(
                sql:
                    "UPDATE switchyard_store SET marker = replace(marker, 'Person', CAST(X'506572FF' AS TEXT))"
            )
        }
        #expect(await #expect(throws: StoreError.self) { _ = try await store.marker() }?.code == .corrupted)
        try await store.close()
        #expect(
            await #expect(throws: StoreError.self) { _ = try await openStore(directory.file()) }?.code
                == .corrupted)
    }
}

/// Runs work while this process can open no more files.
private func withoutDescriptors<Value>(_ body: () -> Value) throws -> Value {
    #if canImport(Darwin)
        let files = RLIMIT_NOFILE
    #else
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    try #require(getrlimit(files, &limit) == 0)
    let usual = limit
    // Those of standard input, output and errors are taken.
    limit.rlim_cur = 3
    try #require(setrlimit(files, &limit) == 0)
    let value = body()
    limit = usual
    try #require(setrlimit(files, &limit) == 0)
    return value
}

private func failure(_ body: () throws -> Void) -> (any Error)? {
    do { try body() } catch { return error }
    return nil
}
