import Foundation
import GRDB
import GRDBSQLite
import SwitchyardCore
import SwitchyardSQL
import Synchronization
import Testing

@testable import SQLiteStore

@Suite("Making a store")
struct CreationTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("a new store leaves no extra files where SQLite keeps WAL files, as Apple's does")
    func persistentLog() async throws {
        await #expect(processExitsWith: .success) {
            SQLiteHook.install { connection in
                var persists: CInt = 1
                sqlite3_file_control(connection, "main", SQLITE_FCNTL_PERSIST_WAL, &persists)
            }
            for readers in ["0", "5"] {
                let directory = try TemporaryDirectory()
                let store = try await openStore(directory.file(), settings: ["readers": readers])
                try await store.write { _ = try $0.insert(Person("Mia")) }
                try await store.close()
                #expect(try directory.names() == ["store.sqlite"])
            }
        }
    }

    @Test("a new store gets a name of its own, never another's")
    func publishing() async throws {
        try await directory.makeStore()
        var status = stat()
        try #require(stat(directory.file(), &status) == 0)
        #expect(status.st_nlink == 1)
        let before = try directory.contents()
        let file = StoreFile(path: directory.file())
        try Data("draft".utf8).write(to: URL(fileURLWithPath: file.draft.path))
        #expect(try !file.publish(file.draft))
        try FileManager.default.removeItem(atPath: file.draft.path)
        #expect(try directory.contents() == before)
        let other = StoreFile(path: directory.file("other.sqlite"))
        try Data("draft".utf8).write(to: URL(fileURLWithPath: other.draft.path))
        #expect(try other.publish(other.draft))
        #expect(try directory.names() == ["other.sqlite", "store.sqlite"])
        #expect(directory.bytes("other.sqlite") == Data("draft".utf8))
    }

    @Test("a creation removes what a killed process has left of its own", arguments: [false, true])
    func leftover(isMade: Bool) async throws {
        if isMade { try await directory.makeStore() }
        for suffix in ["", "-journal", "-wal", "-shm"] {
            try Data(repeating: 0xA5, count: 5000)
                .write(to: URL(fileURLWithPath: directory.file(".store.sqlite.new" + suffix)))
        }
        try Data("another".utf8).write(to: URL(fileURLWithPath: directory.file(".other.sqlite.new")))
        let store = try await openStore(directory.file(), settings: ["busyTimeout": "0"])
        #expect(try await store.read { try $0.count(Person.all) } == (isMade ? 1 : 0))
        try await store.close()
        #expect(try directory.names() == [".other.sqlite.new", "store.sqlite"])
    }

    @Test("a creation waits for a concurrent one, and leaves its draft alone")
    func livingMaker() async throws {
        let draft = directory.file(".store.sqlite.new")
        let (isWaiting, waits) = AsyncStream<Void>.makeStream()
        let (mayEnd, ends) = (DispatchSemaphore(value: 0), AsyncStream<Void>.makeStream())
        let folder = try StoreDirectory(directory.path, isWritable: true, createsIfMissing: false)
        let maker = Thread {
            try? folder.whileLocked {
                try Data("half".utf8).write(to: URL(fileURLWithPath: draft))
                waits.finish()
                mayEnd.wait()
            }
            ends.continuation.finish()
        }
        maker.start()
        for await _ in isWaiting {}
        let error = await #expect(throws: StoreError.self) {
            _ = try await openStore(directory.file(), settings: ["busyTimeout": "0.01"])
        }
        #expect(error?.code == .busy)
        #expect(error?.message.hasPrefix("Another process is still making the store") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: draft)) == Data("half".utf8))
        let waiting = Task { try await openStore(directory.file(), settings: ["busyTimeout": "600"]) }
        mayEnd.signal()
        for await _ in ends.stream {}
        try await waiting.value.close()
        #expect(try directory.names() == ["store.sqlite"])
    }

    @Test("concurrent creations all succeed, and create one store")
    func manyMakers() async throws {
        let path = directory.file()
        let stores = try await withThrowingTaskGroup(of: SQLiteStore.self) { group in
            for number in 0..<16 {
                group.addTask {
                    let store = try await openStore(path, settings: ["busyTimeout": "60"])
                    try await store.write { _ = try $0.insert(Person("\(number)")) }
                    return store
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(try await stores[0].read { try $0.count(Person.all) } == 16)
        for store in stores { try await store.close() }
        #expect(try directory.names() == ["store.sqlite"])
    }

    @Test("concurrent creations never deadlock")
    func noDeadlock() async throws {
        let plan = try SQLPlan(.people())
        for round in 0..<60 {
            let file = StoreFile(path: directory.file("\(round).sqlite"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await BlockingWork.run {
                            try file.create(plan, options: OpenOptions(), busyTimeout: 10)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(try directory.names() == (0..<60).map { "\($0).sqlite" }.sorted())
    }

    #if compiler(>=6.3)
        @Test(
            "a creation can be killed at any step, and the next process completes it",
            arguments: ["BEGIN IMMEDIATE", "CREATE TABLE", "COMMIT", "PRAGMA journal_mode"])
        func kills(statement: String) async throws {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = directory.file() as String, statement = statement as String] in
                SQLiteHook.kill(at: statement)
                _ = try await openStore(path)
            }
            #expect(try directory.names().contains(".store.sqlite.new"))
            #expect(try !directory.names().contains("store.sqlite"))
            try await directory.makeStore()
            #expect(try directory.names() == ["store.sqlite"])
        }

        @Test("a killed write leaves a WAL, with which the store opens")
        func killedWrite() async throws {
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = directory.file() as String] in
                let store = try await openStore(path)
                try await store.write { _ = try $0.insert(Person("Mia")) }
                try await store.write { tx in
                    _ = try tx.insert(Person("Leo"))
                    kill(getpid(), SIGKILL)
                }
            }
            #expect(try directory.names() == ["store.sqlite", "store.sqlite-shm", "store.sqlite-wal"])
            let reader = try await openStore(directory.file(), options: OpenOptions(access: .readOnly))
            #expect(try await reader.read { try $0.fetch(Person.all).map(\.name) } == ["Mia"])
            try await reader.close()
            let store = try await openStore(directory.file())
            try await store.write { _ = try $0.insert(Person("Zoe")) }
            #expect(try await store.read { try $0.count(Person.all) } == 2)
            try await store.close()
            #expect(try directory.names() == ["store.sqlite"])
        }
    #endif
}

/// What is done with every connection that SQLite opens; for a process of a test's own.
enum SQLiteHook {
    private static let hook = Mutex<@Sendable (OpaquePointer?) -> Void>({ _ in })
    private static let fatal = Mutex("")

    static func install(_ body: @escaping @Sendable (OpaquePointer?) -> Void) {
        hook.withLock { $0 = body }
        typealias Extension = @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> CInt
        let entry: Extension = { connection, _, _ in
            SQLiteHook.hook.withLock { $0 }(connection)
            return SQLITE_OK
        }
        sqlite3_auto_extension(unsafeBitCast(entry, to: (@convention(c) () -> Void).self))
    }

    /// Kills this process before the first statement that begins with a text.
    static func kill(at statement: String) {
        fatal.withLock { $0 = statement }
        install { connection in
            sqlite3_trace_v2(
                connection, UInt32(SQLITE_TRACE_STMT),
                { _, _, _, text in
                    guard let text else { return 0 }
                    let sql = String(cString: text.assumingMemoryBound(to: CChar.self))
                    if SQLiteHook.fatal.withLock({ sql.hasPrefix($0) }) { Foundation.kill(getpid(), SIGKILL) }
                    return 0
                }, nil)
        }
    }
}
