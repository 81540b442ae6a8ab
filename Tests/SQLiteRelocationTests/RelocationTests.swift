import Foundation
import GRDB
import SQLiteRelocation
import SQLiteStore
import SwitchyardCore
import Testing

@Suite("A relocated file")
struct RelocationTests {
    let home: Home

    init() throws { home = try Home() }

    private var relocation: StoreRelocation {
        StoreRelocation(from: home.old, to: home.new, busyTimeout: .milliseconds(200))
    }

    @Test("a moved file of another library arrives whole, with the rows of its WAL")
    func foreign() async throws {
        try ForeignFile.make(at: home.old)
        let before = try dump(home.old)
        #expect(before["ZWEIGHTENTRY"]?.count == 3)
        #expect(await relocation.status() == .pending)
        let plan = try await relocation.plan()
        let report = try await relocation.run()
        #expect(await relocation.status() == .completed)
        #expect(try dump(home.new) == before)
        #expect(plan.tables == report.tables)
        #expect(!plan.isStore)
        #expect(report.tables.first { $0.name == "odd \" name; --" }?.rows == 2)
        #expect(report.backup == home.old + ".moved")
        #expect(try home.names("app") == ["default.store.moved"])
        #expect(try home.names("group") == [".default.store.relocation", "default.store"])
        #expect(try home.mode(home.new) == 0o600)
        #expect(try home.mode(report.backup) == 0o444)
        #expect(try dump(report.backup) == before)
        try await relocation.removeBackup()
        #expect(try home.names("app") == [])
        #expect(try home.names("group") == ["default.store"])
        #expect(await relocation.status() == .notNeeded)
    }

    @Test(
        "a moved store keeps its identity and history, and the old one refuses every write"
    )
    func store() async throws {
        let old = try await openStore(home.old)
        try await old.write { tx in for value in 0..<50 { _ = try tx.insert(Weight(Double(value))) } }
        let reader = try await openStore(home.old, access: .readOnly)
        let (rows, marker) = try await (
            old.read { try $0.fetch(Weight.all) }, old.marker()
        )
        let token = try await old.read { try $0.historyToken() }
        let report = try await relocation.run()
        #expect(report.backup == home.old)
        #expect(report.tables.first { $0.name == "Weight" }?.rows == 50)
        await #expect {
            try await old.write { _ = try $0.insert(Weight(1)) }
        } throws: {
            guard let error = $0 as? StoreError, let successor = error.successor else { return false }
            let path = try SQLitePlugin.settings(fromURL: successor)["path"]
            return error.code == .outOfService && path == home.new
        }
        #expect(try await reader.read { try $0.fetch(Weight.all) } == rows)
        let new = try await openStore(home.new, createsIfMissing: false)
        #expect(try await new.read { try $0.fetch(Weight.all) } == rows)
        #expect(try await new.read { try $0.historyToken() } == token)
        let arrived = try await new.marker()
        #expect(arrived.storeID == marker.storeID)
        #expect(arrived.role == .active)
        #expect(arrived.generation == 2)
        try await new.write { _ = try $0.insert(Weight(51)) }
        #expect(try await new.check() == [])
        for store in [old, reader, new] { try await store.close() }
        #expect(await relocation.status() == .completed)
        #expect(try await relocation.run() == report)
        try await relocation.removeBackup()
        #expect(try home.names("app") == [])
        #expect(try home.names("group") == ["default.store"])
    }

    @Test(
        "a backup can be used again when the new file is given up, and moved once more",
        arguments: [true, false])
    func back(isStore: Bool) async throws {
        if isStore { try await openStore(home.old).close() } else { try ForeignFile.make(at: home.old) }
        let report = try await relocation.run()
        for name in ["default.store", ".default.store.relocation"] {
            try FileManager.default.removeItem(atPath: home.path + "/group/" + name)
        }
        if isStore {
            let settings = try StoreSettings(["path": home.old], for: SQLitePlugin.self)
            let backup = try await SQLitePlugin.open(
                settings, schema: Schema(version: SchemaVersion(1), models: [Weight.self]),
                options: OpenOptions(createsIfMissing: false, role: .superseded))
            try await backup.changeRole(to: .active)
            try await backup.close()
            let store = try await openStore(home.old, createsIfMissing: false)
            try await store.write { _ = try $0.insert(Weight(80)) }
            try await store.close()
        } else {
            try FileManager.default.moveItem(atPath: report.backup, toPath: home.old)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: home.old)
        }
        #expect(await relocation.status() == .pending)
        try await relocation.run()
        #expect(try dump(home.new)[isStore ? "Weight" : "Z_METADATA"]?.count == 1)
    }

    @Test("a file of one empty page with all rows in the WAL arrives whole")
    func logOnly() async throws {
        try ForeignFile.make(at: home.old)
        let alone = home.path + "/alone"
        try FileManager.default.copyItem(atPath: home.old, toPath: alone)
        #expect(try dump(alone) == [:])
        let before = try await relocation.plan()
        #expect(before.tables.count == 14)
        let report = try await relocation.run()
        #expect(report.tables == before.tables)
        #expect(report.rows == before.tables.reduce(0) { $0 + $1.rows })
        // The file alone has it all.
        #expect(try home.names("group") == [".default.store.relocation", "default.store"])
        #expect(try dump(home.new)["ZWEIGHTENTRY"]?.count == 3)
    }

    @Test("a moved file keeps its own settings")
    func settings() async throws {
        let queue = try DatabaseQueue(path: home.old)
        try queue.inDatabase { database in
            try database.execute(
                sql: """
                    PRAGMA page_size = 1024; PRAGMA encoding = 'UTF-16le'; PRAGMA auto_vacuum = INCREMENTAL;
                    PRAGMA user_version = -3; PRAGMA application_id = 1179665;
                    CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('Größe 🙂'), (zeroblob(5000));
                    DELETE FROM t WHERE typeof(a) = 'blob';
                    """)
        }
        try queue.close()
        try await relocation.run()
        let new = try DatabaseQueue(path: home.new)
        let found = try new.inDatabase { database in
            try ["page_size", "encoding", "auto_vacuum", "user_version", "application_id", "journal_mode"].map
            {
                try String.fetchOne(database, sql: "PRAGMA \($0)")
            } + String.fetchAll(database, sql: "SELECT a FROM t")
        }
        #expect(found == ["1024", "UTF-16le", "2", "-3", "1179665", "delete", "Größe 🙂"])
        try new.close()
    }

    @Test("rows that a reader keeps in the WAL arrive, and the copy is checked")
    func olderReader() async throws {
        let store = try await openStore(home.old)
        try await store.write { tx in for value in 0..<50 { _ = try tx.insert(Weight(Double(value))) } }
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: home.old, configuration: configuration)
        try reader.inDatabase { database in
            try database.beginTransaction(.deferred)
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM Weight") == 50)
        }
        try await store.write { _ = try $0.insert(Weight(7654.25)) }
        let value = Data([0x40, 0xBD, 0xE6, 0x40])
        let draft = home.path + "/group/.default.store.moving"
        await #expect {
            // Of the copy, the value in the index is another one.
            try await relocation.run { progress in
                guard progress.step == .verifying, var bytes = FileManager.default.contents(atPath: draft),
                    let first = bytes.range(of: value)
                else { return }
                bytes[first.lowerBound + 2] = 0xE7
                guard let file = FileHandle(forWritingAtPath: draft) else { return }
                try? file.write(contentsOf: bytes)
            }
        } throws: {
            let error = $0 as? StoreError
            return error?.code == .verification && error?.message.contains("in its indexes") == true
        }
        #expect(try await relocation.run().tables.first { $0.name == "Weight" }?.rows == 51)
        try reader.inDatabase { database in
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM Weight") == 50)
            try database.rollback()
        }
        try reader.close()
        let new = try await openStore(home.new, createsIfMissing: false)
        #expect(try await new.read { try $0.fetch(Weight.all) }.contains { $0.value == 7654.25 })
        #expect(try await new.check() == [])
        for store in [store, new] { try await store.close() }
    }

    @Test("a damaged store is told from a damaged copy, even beside a reader of an older state")
    func damagedBesideOlderReader() async throws {
        let made = try await openStore(home.old)
        try await made.write { _ = try $0.insert(Weight(7654.25)) }
        try await made.close()
        // The value in the index, which is before the table.
        var bytes = try #require(FileManager.default.contents(atPath: home.old))
        let first = try #require(bytes.range(of: Data([0x40, 0xBD, 0xE6, 0x40])))
        bytes[first.lowerBound + 2] = 0xE7
        try bytes.write(to: URL(filePath: home.old))
        let store = try await openStore(home.old)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: home.old, configuration: configuration)
        try reader.inDatabase { database in
            try database.beginTransaction(.deferred)
            _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM Weight")
        }
        try await store.write { _ = try $0.insert(Weight(1)) }
        await #expect { try await relocation.run() } throws: {
            let error = $0 as? StoreError
            return error?.code == .corrupted && error?.message.contains("\(home.old) is damaged") == true
        }
        try reader.close()
        try await store.close()
        #expect(try home.names("group") == [".default.store.relocation"])
    }

    @Test("every write that returned before the fence is at the new place, and none was made after it")
    func writers() async throws {
        let store = try await openStore(home.old)
        let (written, continuation) = AsyncStream.makeStream(of: Int.self)
        let writer = Task {
            var count = 0
            while true {
                do {
                    let value = Double(count)
                    try await store.write { _ = try $0.insert(Weight(value)) }
                    count += 1
                    continuation.yield(count)
                } catch let error as StoreError where error.code == .busy {
                    continue
                } catch let error as StoreError where error.code == .outOfService {
                    return count
                }
            }
        }
        for await count in written where count == 20 { break }
        let patient = StoreRelocation(from: home.old, to: home.new)
        try await patient.run()
        let count = try await writer.value
        let new = try await openStore(home.new, createsIfMissing: false)
        #expect(try await new.read { try $0.countRows(of: "Weight") } == count)
        #expect(try await store.read { try $0.countRows(of: "Weight") } == count)
        for store in [store, new] { try await store.close() }
    }
}
