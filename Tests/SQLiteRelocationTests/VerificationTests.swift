import Foundation
import GRDB
import SQLiteRelocation
import SwitchyardCore
import Testing

@Suite("Verification of a moved file")
struct VerificationTests {
    let home: Home

    init() throws { home = try Home() }

    private var relocation: StoreRelocation {
        StoreRelocation(from: home.old, to: home.new, busyTimeout: .milliseconds(50))
    }

    private func change(_ path: String, _ sql: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.inDatabase { try $0.execute(sql: sql) }
        try queue.close()
    }

    @Test(
        "the comparison finds one changed row, value, type, index or setting in the copy",
        arguments: [
            ("UPDATE ZWEIGHTENTRY SET ZWEIGHTVALUE = 80.250001 WHERE Z_PK = 5", "ZWEIGHTENTRY"),
            ("DELETE FROM ANSCKRECORDMETADATA WHERE Z_PK = 2", "ANSCKRECORDMETADATA"),
            (
                "INSERT INTO \"odd \"\" name; --\" SELECT * FROM \"odd \"\" name; --\" LIMIT 1",
                "odd \" name; --"
            ),
            ("UPDATE \"odd \"\" name; --\" SET oid = CAST(oid AS TEXT)", "odd \" name; --"),
            ("UPDATE keyed SET c = '2' WHERE b = 2", "keyed"), ("UPDATE sums SET a = 3 WHERE a = 2", "sums"),
            ("UPDATE ZWEIGHTENTRY SET Z_PK = 4 WHERE Z_PK = 3", "ZWEIGHTENTRY"),
            ("UPDATE sqlite_sequence SET seq = 40", "sqlite_sequence"),
            ("DROP INDEX Z_ENTRY_VALUE", "sqlite_schema"), ("PRAGMA user_version = 8", "user_version"),
            ("PRAGMA application_id = 43", "application_id"),
            ("INSERT INTO words VALUES ('late')", "words_content"),
        ])
    func difference(sql: String, place: String) async throws {
        try ForeignFile.make(at: home.old)
        let before = try dump(home.old)
        let draft = home.path + "/group/.default.store.moving"
        await #expect {
            try await relocation.run { progress in
                if progress.step == .verifying { try? change(draft, sql) }
            }
        } throws: { error in
            let error = error as? StoreError
            return error?.code == .verification && error?.message.contains(place) == true
        }
        #expect(try home.names("group") == [".default.store.relocation"])
        #expect(try dump(home.old) == before)
        guard case .failed(let message) = await relocation.status() else { return #expect(Bool(false)) }
        #expect(message.contains(place))
        try await relocation.run()
        #expect(try dump(home.new) == before)
    }

    @Test("the comparison tells a damaged copy from a damaged old file")
    func damagedCopy() async throws {
        try ForeignFile.make(
            at: home.old, logged: false,
            extra: "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('needle'); CREATE INDEX i ON t (a);")
        let draft = home.path + "/group/.default.store.moving"
        await #expect {
            try await relocation.run { progress in
                guard progress.step == .verifying, var bytes = FileManager.default.contents(atPath: draft),
                    let last = bytes.range(of: Data("needle".utf8), options: .backwards)
                else { return }
                bytes.replaceSubrange(last, with: Data("needly".utf8))
                guard let file = FileHandle(forWritingAtPath: draft) else { return }
                try? file.write(contentsOf: bytes)
            }
        } throws: {
            ($0 as? StoreError)?.code == .verification
        }
        try await relocation.run()
    }

    @Test("a copy without its marker is not the store")
    func marker() async throws {
        let store = try await openStore(home.old)
        try await store.close()
        // The marker then stays as it was, as it does in a file whose log could not be brought into it.
        try change(
            home.old, "CREATE TRIGGER keep BEFORE UPDATE ON switchyard_store BEGIN SELECT RAISE(IGNORE); END")
        await #expect { try await relocation.run() } throws: {
            let error = $0 as? StoreError
            return error?.code == .inputOutput
                && error?.message.contains("does not have what was written to it last") == true
        }
        #expect(try home.names("group") == [".default.store.relocation"])
        try change(home.old, "DROP TRIGGER keep")
        try await relocation.run()
    }

    @Test("a backup stays as long as no move is completed")
    func notCompleted() async throws {
        try ForeignFile.make(at: home.old)
        await #expect { try await relocation.removeBackup() } throws: {
            ($0 as? StoreError)?.code == .invalidArgument
        }
        #expect(try dump(home.old)["Z_METADATA"]?.count == 1)
    }

    @Test("a backup stays if it was written to, or the new file is damaged or another one")
    func backup() async throws {
        func refuse(_ code: StoreError.Code) async throws {
            await #expect { try await relocation.removeBackup() } throws: {
                ($0 as? StoreError)?.code == code
            }
            #expect(FileManager.default.fileExists(atPath: home.old + ".moved"))
        }
        try ForeignFile.make(at: home.old)
        try await relocation.run()
        let moved = home.old + ".moved"
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: moved)
        try change(moved, "UPDATE keyed SET c = 3 WHERE b = 2")
        try await refuse(.verification)
        try change(moved, "UPDATE keyed SET c = 2 WHERE b = 2")
        let whole = try #require(FileManager.default.contents(atPath: home.new))
        // The file itself, since another one is refused for that.
        let file = try #require(FileHandle(forUpdatingAtPath: home.new))
        try file.seek(toOffset: UInt64(whole.count - 4_096))
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4_096))
        try await refuse(.corrupted)
        try file.seek(toOffset: 0)
        try file.write(contentsOf: whole)
        try file.close()
        // Another file with the same content is not what was moved.
        try FileManager.default.moveItem(atPath: home.new, toPath: home.path + "/kept")
        try whole.write(to: URL(filePath: home.new))
        try await refuse(.verification)
        try FileManager.default.removeItem(atPath: home.new)
        guard case .failed(let message) = await relocation.status() else { return #expect(Bool(false)) }
        #expect(message.contains("no longer exists"))
        await #expect { try await relocation.run() } throws: { ($0 as? StoreError)?.code == .notFound }
        try FileManager.default.moveItem(atPath: home.path + "/kept", toPath: home.new)
        try change(home.new, "INSERT INTO keyed VALUES ('new', 3, 3)")
        try await relocation.removeBackup()
        #expect(try home.names("app") == [])
    }

    @Test("a store's backup stays during a read, or if another store is at the new place")
    func backupOfStore() async throws {
        try await openStore(home.old).close()
        try await relocation.run()
        let reader = try DatabaseQueue(path: home.old)
        _ = try reader.inDatabase { try Row.fetchOne($0, sql: "SELECT * FROM switchyard_store") }
        await #expect { try await relocation.removeBackup() } throws: { ($0 as? StoreError)?.code == .busy }
        try reader.close()
        try FileManager.default.removeItem(atPath: home.new)
        try await openStore(home.new).close()
        await #expect { try await relocation.removeBackup() } throws: {
            ($0 as? StoreError)?.code == .verification
        }
        #expect(FileManager.default.fileExists(atPath: home.old))
    }
}
