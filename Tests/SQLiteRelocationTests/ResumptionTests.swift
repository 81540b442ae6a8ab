import Foundation
import GRDB
import SQLiteRelocation
import SQLiteStore
import SwitchyardCore
import Testing

@Suite("Interrupted and concurrent moves")
struct ResumptionTests {
    let home: Home

    init() throws { home = try Home() }

    private var relocation: StoreRelocation {
        StoreRelocation(from: home.old, to: home.new, busyTimeout: .seconds(20))
    }
    private var record: String { home.path + "/group/.default.store.relocation" }

    /// Makes the record that of a process that was killed before it could write the last one.
    private func forgetCompletion() throws {
        let text = try String(contentsOfFile: record, encoding: .utf8)
        try Data(text.replacing("\"isInUse\":true", with: "\"isInUse\":false").utf8)
            .write(to: URL(filePath: record))
    }

    @Test("a dead process's partial copy is removed")
    func leftDraft() async throws {
        try ForeignFile.make(at: home.old)
        let before = try dump(home.old)
        for suffix in ["", "-wal", "-journal", "-shm"] {
            try Data(repeating: 0xA5, count: 5_000).write(
                to: URL(filePath: home.path + "/group/.default.store.moving" + suffix))
        }
        try await relocation.run()
        #expect(try dump(home.new) == before)
        #expect(try home.names("group") == [".default.store.relocation", "default.store"])
    }

    @Test("the next run moves a fenced store whose copy has no name yet")
    func fenced() async throws {
        try await leaveFenced()
        #expect(await relocation.status() == .pending)
        try await relocation.run()
        let new = try await openStore(home.new, createsIfMissing: false)
        #expect(try await new.read { try $0.fetch(Weight.all) }.map(\.value) == [80])
        let marker = try await new.marker()
        #expect(marker.role == .active)
        #expect(marker.successor == nil)
        #expect(marker.generation == 2)
        try await new.close()
    }

    @Test(
        "a write-protected file is usable again when the next run fails",
        arguments: [true, false])
    func failedResumption(isStore: Bool) async throws {
        if isStore { try await openStore(home.old).close() } else { try ForeignFile.make(at: home.old) }
        let mode = try home.mode(home.old)
        try await relocation.run()
        // As before the new file got its name.
        try forgetCompletion()
        try FileManager.default.moveItem(atPath: home.new, toPath: home.path + "/group/.default.store.moving")
        if !isStore { try FileManager.default.moveItem(atPath: home.old + ".moved", toPath: home.old) }
        try Data("left".utf8).write(to: URL(filePath: home.new + "-wal"))
        #expect(await relocation.status() == .pending)
        await #expect { try await relocation.run() } throws: {
            ($0 as? StoreError)?.message.contains("is left from a database that no longer exists") == true
        }
        if isStore {
            let store = try await openStore(home.old, createsIfMissing: false)
            try await store.write { _ = try $0.insert(Weight(80)) }
            try await store.close()
        } else {
            #expect(try home.mode(home.old) == mode)
        }
        try FileManager.default.removeItem(atPath: home.new + "-wal")
        try await relocation.run()
        #expect(try dump(home.new)[isStore ? "Weight" : "Z_METADATA"]?.count == 1)
    }

    @Test("a named copy is the store once the old file is a backup", arguments: [true, false])
    func published(isRenamed: Bool) async throws {
        try ForeignFile.make(at: home.old)
        let report = try await relocation.run()
        try forgetCompletion()
        if !isRenamed { try FileManager.default.moveItem(atPath: report.backup, toPath: home.old) }
        #expect(await relocation.status() == .pending)
        #expect(try await relocation.run() == report)
        #expect(await relocation.status() == .completed)
        #expect(try home.names("app") == ["default.store.moved"])
    }

    @Test("rows written to the old file after a kill are not left behind silently")
    func written() async throws {
        try ForeignFile.make(at: home.old)
        let report = try await relocation.run()
        try forgetCompletion()
        try FileManager.default.moveItem(atPath: report.backup, toPath: home.old)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: home.old)
        let queue = try DatabaseQueue(path: home.old)
        try queue.inDatabase { try $0.execute(sql: "INSERT INTO counted VALUES (43)") }
        try queue.close()
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: home.old)
        await #expect { try await relocation.run() } throws: { error in
            let error = error as? StoreError
            return error?.code == .verification && error?.message.contains("counted") == true
        }
        #expect(try home.mode(home.old) == 0o400)
        #expect(try dump(home.old)["counted"] == ["id=41", "id=43"])
    }

    @Test("a file that appeared at the new place after a kill is not taken for the copy")
    func replaced() async throws {
        try ForeignFile.make(at: home.old)
        let report = try await relocation.run()
        try forgetCompletion()
        try FileManager.default.moveItem(atPath: report.backup, toPath: home.old)
        try FileManager.default.moveItem(atPath: home.new, toPath: home.path + "/kept")
        try ForeignFile.make(at: home.new, logged: false)
        guard case .failed = await relocation.status() else { return #expect(Bool(false)) }
        await #expect { try await relocation.run() } throws: {
            ($0 as? StoreError)?.code == .invalidArgument
        }
        #expect(FileManager.default.fileExists(atPath: home.old))
    }

    @Test("the next run completes a store whose copy has its name")
    func publishedStore() async throws {
        try await openStore(home.old).close()
        let report = try await relocation.run()
        try forgetCompletion()
        #expect(await relocation.status() == .pending)
        #expect(try await relocation.run() == report)
        #expect(await relocation.status() == .completed)
    }

    @Test("an unreadable move record proves nothing")
    func brokenRecord() async throws {
        try ForeignFile.make(at: home.old)
        try await relocation.run()
        try Data("{".utf8).write(to: URL(filePath: record))
        guard case .failed = await relocation.status() else { return #expect(Bool(false)) }
        await #expect { try await relocation.removeBackup() } throws: {
            ($0 as? StoreError)?.code == .invalidArgument
        }
        #expect(FileManager.default.fileExists(atPath: home.old + ".moved"))
    }

    @Test("of two concurrent moves one moves, and the other finds the file moved")
    func together() async throws {
        try ForeignFile.make(at: home.old)
        let before = try dump(home.old)
        async let first = relocation.run()
        async let second = relocation.run()
        let reports = try await (first, second)
        #expect(reports.0 == reports.1)
        #expect(try dump(home.new) == before)
        #expect(try home.names("app") == ["default.store.moved"])
    }

    /// Runs the body while somebody else holds the lock of the new place's directory.
    private func whileLocked(_ body: () async throws -> Void) async throws {
        let directory = try StoreDirectory(home.path + "/group", isWritable: true, createsIfMissing: false)
        let (held, holding) = AsyncStream.makeStream(of: Void.self)
        let release = DispatchSemaphore(value: 0)
        let holder = Task {
            try await BlockingWork.run {
                try directory.whileLocked {
                    holding.finish()
                    release.wait()
                }
            }
        }
        for await _ in held {}
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        release.signal()
        try await holder.value
        try result.get()
    }

    /// Leaves a store that was fenced, and whose copy has no name yet.
    private func leaveFenced() async throws {
        let store = try await openStore(home.old)
        try await store.write { _ = try $0.insert(Weight(80)) }
        try await store.close()
        try await relocation.run()
        try forgetCompletion()
        try FileManager.default.moveItem(atPath: home.new, toPath: home.path + "/group/.default.store.moving")
    }

    private func expectMoved() async throws {
        let new = try await openStore(home.new, createsIfMissing: false)
        #expect(try await new.read { try $0.fetch(Weight.all) }.map(\.value) == [80])
        try await new.close()
    }

    @Test("no other file is moved to the place of an interrupted move, which continues")
    func other() async throws {
        try await leaveFenced()
        try Data().write(to: URL(filePath: home.path + "/app/wrong.store"))
        let wrong = StoreRelocation(from: home.path + "/app/wrong.store", to: home.new)
        await #expect { try await wrong.run() } throws: {
            ($0 as? StoreError)?.message.contains("The move of \(home.old) to \(home.new) was interrupted")
                == true
        }
        await #expect(throws: StoreError.self) { _ = try await wrong.plan() }
        #expect(await relocation.status() == .pending)
        try await relocation.run()
        try await expectMoved()
    }

    @Test("the next run moves a store that could not be put in use after a failure")
    func stuck() async throws {
        let store = try await openStore(home.old)
        try await store.write { _ = try $0.insert(Weight(80)) }
        try await store.close()
        try sql(
            """
            CREATE TRIGGER stuck BEFORE UPDATE ON switchyard_store
            WHEN old.role = 'superseded' AND new.role = 'active' BEGIN SELECT RAISE(ABORT, 'stuck'); END
            """)
        let new = home.new
        let error = await #expect(throws: StoreError.self) {
            try await relocation.run { progress in
                guard progress.step == .verifying else { return }
                try? Data("other".utf8).write(to: URL(filePath: new))
            }
        }
        #expect(error?.message.contains("There is a file at \(new) already") == true)
        await #expect(throws: StoreError.self) { try await openStore(home.old).close() }
        try FileManager.default.removeItem(atPath: home.new)
        try sql("DROP TRIGGER stuck")
        #expect(await relocation.status() != .completed)
        try await relocation.run()
        try await expectMoved()
    }

    private func sql(_ text: String) throws {
        let queue = try DatabaseQueue(path: home.old)
        defer { try? queue.close() }
        try queue.inDatabase { try $0.execute(sql: text) }
    }

    @Test("a move accepts any waiting time, capped at its limit")
    func patience() async throws {
        try await openStore(home.old).close()
        let relocation = StoreRelocation(from: home.old, to: home.new, busyTimeout: .seconds(Int64.max))
        #expect(relocation.busyTimeout == .seconds(86_400))
        #expect(try await relocation.plan().target == home.new)
        try await relocation.run()
        #expect(FileManager.default.fileExists(atPath: home.new))
        try await relocation.removeBackup()
        #expect(!FileManager.default.fileExists(atPath: home.old))
    }

    @Test("a move that cannot fence the old file leaves no copy, and the old file in use")
    func unfenced() async throws {
        let old = try await openStore(home.old)
        try await old.write { _ = try $0.insert(Weight(1)) }
        try await old.close()
        // The copy is a generation later.
        let queue = try DatabaseQueue(path: home.old)
        try await queue.write { database in
            try database.execute(
                sql: """
                    CREATE TRIGGER fixed BEFORE UPDATE ON switchyard_store WHEN NEW.generation = 1
                    BEGIN SELECT RAISE(FAIL, 'fixed'); END
                    """)
        }
        try queue.close()
        let relocation = StoreRelocation(from: home.old, to: home.new)
        await #expect(throws: StoreError.self) { try await relocation.run() }
        #expect(try home.names("group") == [".default.store.relocation"])
        let store = try await openStore(home.old, access: .readOnly)
        #expect(try await store.marker().role == .active)
        try await store.close()
    }

    @Test("a copy of a moved file elsewhere has a record of its own in the registry")
    func copies() async throws {
        try await openStore(home.old).close()
        let (other, elsewhere) = (home.path + "/app/copy.store", home.path + "/elsewhere/copy.store")
        try FileManager.default.copyItem(atPath: home.old, toPath: other)
        let places = PlaceRegistry(path: home.path + "/places")
        for (source, target) in [(home.old, home.new), (other, elsewhere)] {
            let relocation = StoreRelocation(from: source, to: target, registry: places)
            try await relocation.run()
            try await relocation.removeBackup()
        }
        #expect(try places.record(of: location(home.old))?.location == location(home.new))
        #expect(try places.record(of: location(other))?.location == location(elsewhere))
    }

    @Test(
        "a copy of the store at its old place is reported, and neither moved nor deleted")
    func copyPutBack() async throws {
        try await openStore(home.old).close()
        let saved = home.path + "/saved"
        try FileManager.default.copyItem(atPath: home.old, toPath: saved)
        let relocation = StoreRelocation(from: home.old, to: home.new)
        let report = try await relocation.run()
        #expect(try await relocation.run() == report)
        try FileManager.default.removeItem(atPath: home.old)
        try FileManager.default.moveItem(atPath: saved, toPath: home.old)
        for step in ["move", "removal"] {
            let error = await #expect(throws: StoreError.self, "\(step)") {
                if step == "move" { try await relocation.run() } else { try await relocation.removeBackup() }
            }
            #expect(error?.code == .identityConflict)
            #expect(error?.message.contains("\(home.old) was moved to \(home.new), but") == true)
        }
        let store = try await openStore(home.old, createsIfMissing: false)
        #expect(try await store.marker().generation == 1)
        try await store.close()
        let new = try await openStore(home.new, createsIfMissing: false)
        #expect(try await new.marker().generation == 2)
        try await new.close()
    }

    @Test("removing a backup records the new place in the app's registry")
    func registry() async throws {
        try await openStore(home.old).close()
        let places = PlaceRegistry(path: home.path + "/places")
        let relocation = StoreRelocation(from: home.old, to: home.new, registry: places)
        try await relocation.run()
        let (old, new) = (try location(home.old), try location(home.new))
        #expect(try places.record(of: old) == nil)
        try await relocation.removeBackup()
        let record = try places.record(of: old)
        #expect(record?.location == new)
        #expect(record?.generation == 2)
    }

    /// What an app's configuration calls a file.
    private func location(_ path: String) throws -> String {
        SQLitePlugin.location(of: try StoreSettings(["path": path], for: SQLitePlugin.self))
    }

    @Test("other processes see a move in progress, and wait for it no longer than they want")
    func inProgress() async throws {
        try ForeignFile.make(at: home.old)
        try await whileLocked {
            #expect(await relocation.status() == .inProgress)
            let impatient = StoreRelocation(from: home.old, to: home.new, busyTimeout: .milliseconds(20))
            await #expect { try await impatient.run() } throws: { ($0 as? StoreError)?.code == .busy }
        }
        try await relocation.run()
    }

    @Test("a moved file can be opened while another one moves to the same directory")
    func settled() async throws {
        try ForeignFile.make(at: home.old)
        try await relocation.run()
        let other = StoreRelocation(from: home.path + "/app/none", to: home.path + "/group/none")
        try await whileLocked {
            #expect(await relocation.status() == .completed)
            #expect(await other.status() == .notNeeded)
        }
    }

    @Test(
        "a file moves to another file system",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/shm"))
    )
    func otherFileSystem() async throws {
        try ForeignFile.make(at: home.old)
        let before = try dump(home.old)
        let directory = "/dev/shm/switchyard-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let relocation = StoreRelocation(from: home.old, to: directory + "/default.store")
        try await relocation.run()
        #expect(try dump(directory + "/default.store") == before)
        try await relocation.removeBackup()
    }
}
