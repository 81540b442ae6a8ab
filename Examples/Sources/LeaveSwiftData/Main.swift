import ArgumentParser
import BabyMonitorKit
import CoreDataStore
import Foundation
import SQLiteStore
import Switchyard
import SwitchyardCommands
import SwitchyardTransfer

/// The release of an app that leaves SwiftData: its old file becomes the store of today.
@main
struct LeaveSwiftData: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave-swiftdata",
        abstract:
            "Converts the SwiftData store of an earlier release into a store, which keeps ids and references."
    )

    @Argument(help: "The old file.") var old: String
    @Argument(help: "The new file.") var new: String
    @Flag(help: "Only show what would happen.") var dryRun = false
    @Flag(help: "Go on although rows were never uploaded to CloudKit.") var withoutUploads = false

    /// What the tables become.
    ///
    /// Widgets and shortcuts know a baby by its own UUID. Other rows are the same on each of a person's devices by CloudKit's
    /// record; one that was never uploaded exists on this device alone.
    static func plan(acknowledging codes: Set<ForeignFinding.Code>) throws -> AdoptionPlan {
        try AdoptionPlan(
            BabyMonitorSchema.self,
            .table(
                "BabyProfile", as: BabyProfile.self, .id(from: "id"),
                .fill(\.createdAt, with: Date(timeIntervalSince1970: 0)),
                .ignored("lastFeedAmountValue", "lastFeedAmountUnitSymbol")),
            .table(
                "DiaperChange", as: DiaperChange.self,
                .id(from: "$recordName", "$zone", "$zoneOwner", ifUnusable: .fromKey)),
            .table(
                "FeedSession", as: FeedSession.self,
                .id(from: "$recordName", "$zone", "$zoneOwner", ifUnusable: .fromKey)),
            acknowledging: codes)
    }

    static func main() async { await CommandProgram.run(Self.self) }

    func run() async throws {
        let registry = try PluginRegistry([CoreDataPlugin.self, SQLitePlugin.self])
        let database = try registry.foreignDatabase(url: "coredata:" + old)
        let plan = try Self.plan(acknowledging: withoutUploads ? [.pendingUploads] : [])
        guard dryRun else { return try await convert(database, plan, registry) }
        let preview = try await plan.preview(database)
        for finding in preview.findings { print("found    \(finding)") }
        for table in preview.tables {
            print(
                "rows     \(table.name): \(table.rows), \(table.derivedIDs) ids derived, \(table.idsFromKeys) of them from keys"
            )
        }
        for fault in preview.faults { print("refused  \(fault)") }
    }

    private func convert(
        _ database: any ForeignDatabase, _ plan: AdoptionPlan, _ registry: PluginRegistry
    ) async throws {
        let place = StorePlace(url: "sqlite:" + new, registry: registry, schema: try BabyMonitorSchema.schema)
        let report = try await plan.run(from: database, into: place)
        for (entity, digest) in report.digests.sorted(by: { $0.key < $1.key }) {
            print("adopted  \(entity): \(digest.count) rows, \(digest)")
        }
    }
}
