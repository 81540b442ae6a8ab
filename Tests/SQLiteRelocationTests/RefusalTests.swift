import Foundation
import GRDB
import SQLiteRelocation
import SwitchyardCore
import Testing

@Suite("Refused moves")
struct RefusalTests {
    let home: Home

    init() throws { home = try Home() }

    private func refusePlan(_ code: StoreError.Code) async throws {
        let error = await #expect(throws: StoreError.self) {
            _ = try await StoreRelocation(from: home.old, to: home.new).plan()
        }
        #expect(error?.code == code)
    }

    private func refuse(
        _ code: StoreError.Code, _ words: String, from source: String? = nil, to target: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let relocation = StoreRelocation(
            from: source ?? home.old, to: target ?? home.new, busyTimeout: .milliseconds(50))
        let before = try home.contents()
        await #expect(sourceLocation: sourceLocation) {
            try await relocation.run()
        } throws: { error in
            let error = error as? StoreError
            guard error?.code == code, error?.message.contains(words) == true else {
                Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
                return false
            }
            return true
        }
        // The record says why; the memory that connections share comes and goes.
        let isKept = { (name: String) in !name.hasSuffix(".relocation") && !name.hasSuffix("-shm") }
        #expect(
            try home.contents().filter { isKept($0.key) } == before.filter { isKept($0.key) },
            sourceLocation: sourceLocation)
    }

    @Test("a missing file to move creates nothing")
    func missing() async throws {
        #expect(await StoreRelocation(from: home.old, to: home.new).status() == .notNeeded)
        try await refuse(.notFound, "There is no file at \(home.old) to move.")
        try await refuse(.notFound, "There is no file", to: home.path + "/none/default.store")
        #expect(try home.names("group") == [])
    }

    @Test("a move creates one directory, for this user only, and refuses two missing levels")
    func missingDirectory() async throws {
        try ForeignFile.make(at: home.old)
        let far = home.path + "/none/group/default.store"
        try await refuse(.notFound, "The directory \(home.path)/none, in which", to: far)
        let near = home.path + "/made/default.store"
        try await StoreRelocation(from: home.old, to: near).run()
        #expect(try home.mode(home.path + "/made") == 0o700)
        #expect(try home.mode(near) == 0o600)
    }

    @Test("a move refuses a store that is being switched", arguments: SwitchRecord.State.allCases)
    func switched(state: SwitchRecord.State) async throws {
        let store = try await openStore(home.old)
        try await store.write { tx in
            var marker = try tx.driver.maintenance.marker()
            marker.switching = SwitchRecord(id: UUID(), state: state, peer: "sqlite:/elsewhere")
            try tx.driver.maintenance.setMarker(marker)
        }
        try await store.close()
        guard [.committed, .aborted].contains(state) else {
            try await refuse(.invalidArgument, "A switch of the store")
            return try await refusePlan(.invalidArgument)
        }
        try await StoreRelocation(from: home.old, to: home.new).run()
    }

    @Test("a move refuses links and the file's own directory")
    func places() async throws {
        try ForeignFile.make(at: home.old, logged: false)
        let link = home.path + "/app/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: home.old)
        try await refuse(.invalidArgument, "is a link", from: link)
        try FileManager.default.createSymbolicLink(atPath: home.new, withDestinationPath: "nowhere")
        try await refuse(.invalidArgument, "is a link")
        try await refuse(
            .invalidArgument, "in the directory where the file is already", to: home.path + "/app/other")
        try await refuse(
            .invalidArgument, "in the directory where the file is already",
            to: home.path + "/group/../app/default.store")
        try await refuse(.invalidArgument, "names no file", to: home.path + "/group/")
        try await refuse(.invalidArgument, "names no file", to: "")
    }

    @Test("a move never overwrites a file at the new place")
    func taken() async throws {
        try ForeignFile.make(at: home.old, logged: false)
        try ForeignFile.make(at: home.new, logged: false)
        try await refuse(.invalidArgument, "Find out which of the two has the data")
        guard case .failed(let message) = await StoreRelocation(from: home.old, to: home.new).status() else {
            return #expect(Bool(false))
        }
        #expect(message.contains("Find out which of the two has the data"))
    }

    @Test("a partial copy at the new place does not count as the store")
    func half() async throws {
        try ForeignFile.make(at: home.old, logged: false)
        let bytes = try #require(FileManager.default.contents(atPath: home.old))
        try bytes.prefix(8_192).write(to: URL(filePath: home.new))
        try await refuse(.invalidArgument, "Find out which of the two has the data")
    }

    @Test(
        "a move refuses leftovers of another database at the new place",
        arguments: ["-wal", "-journal"])
    func leftover(suffix: String) async throws {
        try ForeignFile.make(at: home.old, logged: false)
        try Data("left".utf8).write(to: URL(filePath: home.new + suffix))
        try await refuse(.invalidArgument, "is left from a database that no longer exists")
        guard case .failed(let message) = await StoreRelocation(from: home.old, to: home.new).status() else {
            return #expect(Bool(false))
        }
        #expect(message.hasPrefix(home.new + suffix))
        try FileManager.default.removeItem(atPath: home.new + suffix)
        #expect(await StoreRelocation(from: home.old, to: home.new).status() == .failed(message))
        try await StoreRelocation(from: home.old, to: home.new).run()
    }

    @Test("a move refuses a taken name of the backup")
    func backupTaken() async throws {
        try ForeignFile.make(at: home.old, logged: false)
        try Data("other".utf8).write(to: URL(filePath: home.old + ".moved"))
        try await refuse(.invalidArgument, "which is the name of the backup, is taken")
    }

    @Test("a move refuses files that are not a database, and an empty one whose WAL SQLite would delete")
    func notADatabase() async throws {
        try FileManager.default.createDirectory(atPath: home.old, withIntermediateDirectories: false)
        try await refuse(.notAStore, "is not a file")
        try FileManager.default.removeItem(atPath: home.old)
        try Data().write(to: URL(filePath: home.old))
        try await refuse(.notAStore, "is empty")
        try Data(repeating: 7, count: 4_096).write(to: URL(filePath: home.old))
        try await refuse(.notAStore, "is not an SQLite database")
        try FileManager.default.removeItem(atPath: home.old)
        try ForeignFile.make(at: home.old)
        try Data().write(to: URL(filePath: home.old))
        try await refuse(.corrupted, "which SQLite would delete")
    }

    @Test("a move refuses a damaged file")
    func damaged() async throws {
        try ForeignFile.make(
            at: home.old, logged: false,
            extra: """
                CREATE TABLE big (a INTEGER PRIMARY KEY, b TEXT);
                INSERT INTO big WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
                SELECT i, 'value ' || i FROM n;
                CREATE INDEX big_b ON big (b);
                """)
        // A value of the index alone, so that every row can still be read.
        var bytes = try #require(FileManager.default.contents(atPath: home.old))
        let last = try #require(bytes.range(of: Data("value 1999".utf8), options: .backwards))
        bytes.replaceSubrange(last, with: Data("value 1x99".utf8))
        try bytes.write(to: URL(filePath: home.old))
        try await refuse(.corrupted, "\(home.old) is damaged")
        // Cut off, so that rows cannot be read.
        try bytes.prefix(bytes.count / 4096 / 2 * 4096).write(to: URL(filePath: home.old))
        try await refuse(.corrupted, "damaged")
    }

    @Test("a move refuses values in files beside the store")
    func externalValues() async throws {
        try ForeignFile.make(at: home.old, logged: false)
        let values = home.path + "/app/.default_SUPPORT/_EXTERNAL_DATA"
        try FileManager.default.createDirectory(atPath: values, withIntermediateDirectories: true)
        try Data("photo".utf8).write(to: URL(filePath: values + "/1"))
        try await refuse(.unsupported, "that would stay behind")
        try FileManager.default.removeItem(atPath: values + "/1")
        try await StoreRelocation(from: home.old, to: home.new).run()
    }

    @Test("a move refuses a file that another process has open, unless its marker fences writers")
    func inUse() async throws {
        try ForeignFile.make(at: home.old)
        let other = try DatabaseQueue(path: home.old)
        try other.inDatabase { _ = try Row.fetchOne($0, sql: "SELECT * FROM Z_METADATA") }
        try await refuse(.busy, "is in use by another process")
        try other.close()
        try await StoreRelocation(from: home.old, to: home.new).run()
    }

    @Test("a move refuses a store during a write")
    func written() async throws {
        try await openStore(home.old).close()
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: home.old, configuration: configuration)
        try other.inDatabase { try $0.beginTransaction(.immediate) }
        try await refuse(.busy, "is in use by another process")
        try other.inDatabase { try $0.rollback() }
        try await StoreRelocation(from: home.old, to: home.new).run()
        try other.close()
    }

    @Test("a move refuses a store that was replaced by another one")
    func superseded() async throws {
        let store = try await openStore(home.old)
        try await store.changeRole(to: .superseded, successor: "postgres://server/weights")
        try await store.close()
        try await refuse(.outOfService, "postgres://server/weights")
        try await refusePlan(.outOfService)
    }

    @Test("a move refuses an index with a collation that only the app knows")
    func unknownCollation() async throws {
        let queue = try DatabaseQueue(path: home.old)
        try queue.inDatabase { database in
            database.add(collation: DatabaseCollation("apps_own") { $0.compare($1) })
            try database.execute(
                sql: "CREATE TABLE t (a TEXT COLLATE apps_own UNIQUE); INSERT INTO t VALUES ('a'), ('b')")
        }
        try queue.close()
        try await refuse(.unsupported, "a function or a collation of its app")
    }

    @Test("a cancelled move changes nothing")
    func cancelled() async throws {
        try ForeignFile.make(at: home.old, logged: false)
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        let relocation = StoreRelocation(from: home.old, to: home.new)
        let go = DispatchSemaphore(value: 0)
        let task = Task {
            try await relocation.run { progress in
                guard progress.step == .verifying else { return }
                continuation.finish()
                go.wait()
            }
        }
        for await _ in started {}
        task.cancel()
        go.signal()
        await #expect { try await task.value } throws: { ($0 as? StoreError)?.code == .cancelled }
        #expect(await relocation.status() == .pending)
        #expect(try home.names("app") == ["default.store"])
        #expect(try dump(home.old)["ANSCKRECORDMETADATA"]?.count == 2)
        try await relocation.run()
    }

    /// Whether permissions mean anything to this user.
    static let isBoundByPermissions = geteuid() != 0

    @Test(
        "a move does not open a file that this user cannot write, and leaves nothing beside it",
        .enabled(if: isBoundByPermissions, "root can write everything"))
    func permissions() async throws {
        func setMode(_ mode: Int, _ path: String) throws {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        try ForeignFile.make(at: home.old)
        for (path, mode) in [(home.old, 0o600), (home.path + "/app", 0o700), (home.path + "/group", 0o700)] {
            try setMode(mode & 0o500, path)
            try await refuse(.readOnly, "cannot be written by this user")
            try setMode(mode, path)
        }
        try await StoreRelocation(from: home.old, to: home.new).run()
        #expect(try home.names("app") == ["default.store.moved"])
        await #expect(throws: DatabaseError.self) {
            let queue = try DatabaseQueue(path: home.old + ".moved")
            try await queue.write { try $0.execute(sql: "DELETE FROM counted") }
        }
        try await StoreRelocation(from: home.old, to: home.new).removeBackup()
        #expect(try home.names("app") == [])
    }
}
