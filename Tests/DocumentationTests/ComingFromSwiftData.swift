import CoreDataStore
import Foundation
import GRDB
import MemoryStore
import SQLiteStore
import Switchyard
import SwitchyardTransfer
import Testing

private enum NurserySchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [BabyProfile.self, FeedSession.self, DiaperChange.self]

    @Model
    struct BabyProfile {
        let id: ID
        var name: String
        var feedTerm: Double
    }

    @Model
    struct FeedSession {
        let id: ID
        var profile: BabyProfile.ID?
        var startTime: Date
        var endTime: Date?
        var amountValue: Double?
        var amountUnitSymbol: String?
        var memoText: String?
    }

    @Model
    struct DiaperChange {
        let id: ID
        var profile: BabyProfile.ID?
        var timestamp: Date
        var type: String
    }
}

@Suite("The article on coming from SwiftData")
struct ComingFromSwiftDataExamples {
    @Test("a SwiftData store is converted with its ids and references")
    func adoption() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "switchyard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let old = directory.appending(path: "default.store")
        let script = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "../../Examples/Data/swiftdata.sql"), encoding: .utf8)
        let queue = try DatabaseQueue(path: old.path)
        try await queue.write { try $0.execute(sql: script) }
        try queue.close()

        let plan = try AdoptionPlan(
            NurserySchema.self,
            .table(
                "BabyProfile", as: NurserySchema.BabyProfile.self, .id(from: "id"),
                .ignored("lastFeedAmountValue", "lastFeedAmountUnitSymbol")),
            .table(
                "FeedSession", as: NurserySchema.FeedSession.self,
                .id(from: "$recordName", "$zone", "$zoneOwner", ifUnusable: .fromKey)),
            .table("DiaperChange", as: NurserySchema.DiaperChange.self),
            acknowledging: [.pendingUploads])

        let registry = try PluginRegistry([CoreDataPlugin.self, SQLitePlugin.self])
        let database = try registry.foreignDatabase(url: "coredata:" + old.path)
        let preview = try await plan.preview(database)
        for finding in preview.findings { print(finding) }
        for fault in preview.faults { print(fault) }
        #expect(preview.faults.isEmpty)

        let place = MemoryStore.place(try NurserySchema.schema)
        let report = try await plan.run(from: database, into: place)
        #expect(
            report.tables.map { "\($0.name) \($0.rows) \($0.idsFromKeys)" } == [
                "BabyProfile 2 0", "DiaperChange 4 0", "FeedSession 6 1",
            ])
        let names = try await place.open(OpenOptions(createsIfMissing: false)).read { tx in
            try tx.fetch(NurserySchema.BabyProfile.all.sorted(by: \.name)).map { "\($0.name) \($0.id)" }
        }
        #expect(
            names == ["Mia 6d696100-0000-4000-8000-0000000000a1", "Zoe 7a6f6500-0000-4000-8000-0000000000a2"])
    }
}
