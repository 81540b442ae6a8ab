import Foundation
import SQLiteRelocation
import SwitchyardCore
import Testing

/// What a system does to an app's directories: they get other paths, and a volume is not always there.
@Suite("A move whose directories change")
struct ChangedPathTests {
    let home: Home

    init() throws { home = try Home() }

    private var relocation: StoreRelocation { relocation() }

    private func relocation(app: String = "app", group: String = "group") -> StoreRelocation {
        StoreRelocation(
            from: "\(home.path)/\(app)/default.store", to: "\(home.path)/\(group)/default.store",
            busyTimeout: .milliseconds(200))
    }

    private func make(isStore: Bool) async throws {
        if isStore { try await openStore(home.old).close() } else { try ForeignFile.make(at: home.old) }
    }

    private func rename(_ name: String, to new: String) throws {
        try FileManager.default.moveItem(atPath: home.path + "/" + name, toPath: home.path + "/" + new)
    }

    private func makeDirectory(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: home.path + "/" + name, withIntermediateDirectories: false)
    }

    @Test(
        "a completed move stays completed under new paths, and its backup can be removed",
        arguments: [true, false],
        [("app2", "group2"), ("app2", "group"), ("app", "group2")])
    func completed(isStore: Bool, names: (app: String, group: String)) async throws {
        try await make(isStore: isStore)
        try await relocation.run()
        if names.app != "app" { try rename("app", to: names.app) }
        if names.group != "group" { try rename("group", to: names.group) }
        let renamed = relocation(app: names.app, group: names.group)
        #expect(await renamed.status() == .completed)
        let report = try await renamed.run()
        #expect(report.source == renamed.source)
        #expect(report.target == renamed.target)
        #expect(report.backup == renamed.source + (isStore ? "" : ".moved"))
        try await renamed.removeBackup()
        #expect(try home.names(names.app) == [])
        #expect(try home.names(names.group) == ["default.store"])
        #expect(await renamed.status() == .notNeeded)
    }

    @Test("an interrupted move continues under new paths", arguments: [true, false], [true, false])
    func interrupted(isStore: Bool, isPublished: Bool) async throws {
        try await make(isStore: isStore)
        try await relocation.run()
        let record = home.path + "/group/.default.store.relocation"
        let text = try String(contentsOfFile: record, encoding: .utf8)
        try Data(text.replacing("\"isInUse\":true", with: "\"isInUse\":false").utf8)
            .write(to: URL(filePath: record))
        if !isStore { try rename("app/default.store.moved", to: "app/default.store") }
        if !isPublished { try rename("group/default.store", to: "group/.default.store.moving") }
        try rename("app", to: "app2")
        try rename("group", to: "group2")
        let renamed = relocation(app: "app2", group: "group2")
        #expect(await renamed.status() == .pending)
        try await renamed.run()
        #expect(await renamed.status() == .completed)
    }

    @Test("a store of the same name is another one, even if the first directory is gone")
    func namesake() async throws {
        try await make(isStore: true)
        try await relocation.run()
        try FileManager.default.removeItem(atPath: home.path + "/app")
        try makeDirectory("other")
        let store = try await openStore(home.path + "/other/default.store")
        try await store.write { _ = try $0.insert(Weight(80)) }
        try await store.close()
        let other = relocation(app: "other")
        guard case .failed(let message) = await other.status() else { return #expect(Bool(false)) }
        #expect(message.contains("Find out which of the two has the data"))
        await #expect { try await other.run() } throws: { ($0 as? StoreError)?.code == .invalidArgument }
    }

    @Test("a moved store is not moved again to the empty directory of a missing volume")
    func mountPoint() async throws {
        try await make(isStore: true)
        try await relocation.run()
        try rename("group", to: "unmounted")
        try makeDirectory("group")
        // Also where nothing could be copied.
        try Data("left".utf8).write(to: URL(filePath: home.new + "-wal"))
        for _ in 0..<2 {
            await #expect { try await relocation.run() } throws: { ($0 as? StoreError)?.code == .notFound }
            try? FileManager.default.removeItem(atPath: home.new + "-wal")
            await #expect { try await relocation.plan() } throws: { ($0 as? StoreError)?.code == .notFound }
        }
        try FileManager.default.removeItem(atPath: home.path + "/group")
        try rename("unmounted", to: "group")
        #expect(await relocation.status() == .completed)
        let backup = try await openStore(home.old, access: .readOnly)
        #expect(try await backup.marker().role == .superseded)
        try await backup.close()
    }

    @Test("a file of the same name in another directory is another file")
    func other() async throws {
        try await make(isStore: true)
        try await relocation.run()
        try makeDirectory("other")
        try await openStore(home.path + "/other/default.store").close()
        let other = relocation(app: "other")
        guard case .failed(let message) = await other.status() else { return #expect(Bool(false)) }
        #expect(message.contains("Find out which of the two has the data"))
        await #expect { try await other.removeBackup() } throws: {
            ($0 as? StoreError)?.code == .invalidArgument
        }
    }

    @Test(
        "a move whose new directory is missing has lost its file, and the backup does not replace it")
    func missingDirectory() async throws {
        try ForeignFile.make(at: home.old)
        try await relocation.run()
        try rename("group", to: "unmounted")
        guard case .failed(let message) = await relocation.status() else { return #expect(Bool(false)) }
        #expect(message.contains("no longer exists"))
        for _ in 0..<2 {
            await #expect { try await relocation.run() } throws: { ($0 as? StoreError)?.code == .notFound }
            await #expect { try await relocation.plan() } throws: { ($0 as? StoreError)?.code == .notFound }
        }
        #expect(!FileManager.default.fileExists(atPath: home.path + "/group"))
        try rename("unmounted", to: "group")
        #expect(await relocation.status() == .completed)
        // As the message says.
        try FileManager.default.removeItem(atPath: home.path + "/group")
        try rename("app/default.store.moved", to: "app/default.store")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: home.old)
        try await relocation.run()
    }

    @Test("a store whose new directory is missing is not moved again")
    func missingDirectoryOfStore() async throws {
        try await make(isStore: true)
        try await relocation.run()
        try rename("group", to: "unmounted")
        for _ in 0..<2 {
            await #expect { try await relocation.run() } throws: {
                let error = $0 as? StoreError
                return error?.code == .notFound && error?.message.contains("no longer exists") == true
            }
        }
        #expect(!FileManager.default.fileExists(atPath: home.path + "/group"))
        try rename("unmounted", to: "group")
        #expect(await relocation.status() == .completed)
        // As the message says.
        try FileManager.default.removeItem(atPath: home.path + "/group")
        let backup = try await openStore(home.old, role: .superseded)
        try await backup.changeRole(to: .active)
        try await backup.close()
        try makeDirectory("group")
        try await relocation.run()
        let store = try await openStore(home.new, createsIfMissing: false)
        #expect(try await store.marker().role == .active)
        try await store.close()
    }
}
