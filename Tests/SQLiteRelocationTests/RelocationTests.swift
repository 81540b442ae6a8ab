import Foundation
import GRDB
import SQLiteRelocation
import SQLiteStore
import SwitchyardCore
import Testing

@Suite("A file is moved as it is")
struct RelocationTests {
    let home: Home

    init() throws { home = try Home() }

    private var relocation: StoreRelocation {
        StoreRelocation(from: home.old, to: home.new, busyTimeout: .milliseconds(200))
    }

    @Test("a file of another library arrives whole, with the rows of its log")
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
        "a store arrives with its identity and history, and the old one refuses each write of whoever has it open"
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
}
