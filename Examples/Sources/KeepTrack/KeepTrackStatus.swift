internal import Foundation
public import Switchyard
internal import Synchronization

/// What the app shows of its store: the version, how it came to it, and what is in it.
public struct KeepTrackStatus: Sendable, CustomStringConvertible {
    /// The version of the schema.
    public let version: SchemaVersion
    /// The stages that this opening has carried out.
    public let stages: [AppliedStage]
    /// Where the store is kept as it was before them; nil if the backend makes no copy.
    public let backup: String?
    /// The settings, with what became of the files of JSON.
    public let settings: KeepTrackV2.AppSettings?
    /// The number of rows of each entity.
    public let counts: [String: Int]
    /// The number of entries whose type is gone.
    public let entriesWithoutType: Int
    /// How long the opening took.
    public let duration: Duration

    init(_ store: any Store, _ report: MigrationReport?, duration: Duration) async throws {
        version = try await store.marker().schema.version
        (stages, backup, self.duration) = (report?.stages ?? [], report?.backup, duration)
        (settings, counts, entriesWithoutType) = try await store.read { tx in
            let names = try tx.fetch(KeepTrackV2.IntakeType.all).map(\.name)
            return (
                try tx.find(KeepTrackV2.AppSettings.ID.ofApp),
                [
                    "entries": try tx.count(KeepTrackV2.Entry.all),
                    "intake types": try tx.count(KeepTrackV2.IntakeType.all),
                    "goals": try tx.count(KeepTrackV2.Goal.all),
                    "settings": try tx.count(KeepTrackV2.AppSettings.all),
                ],
                try tx.count(KeepTrackV2.Entry.where(#Predicate { !names.contains($0.name) }))
            )
        }
    }

    /// The status in a few lines.
    public var description: String {
        let stages = stages.map { "\($0.from) to \($0.to)" }.joined(separator: ", ")
        let rows = ["entries", "intake types", "goals", "settings"].map { "\(counts[$0] ?? 0) \($0)" }
        let files =
            switch settings?.files {
            case .imported? where self.stages.isEmpty: "imported before; not looked at"
            case .imported?: "imported: \(imported)"
            case .skipped?: "skipped, as the store had rows"
            case nil: "unknown, as the store has no settings"
            }
        return """
            version      \(version)
            stages       \(stages.isEmpty ? "none needed" : stages)
            rows         \(rows.joined(separator: ", "))
            old files    \(files)
            no type      \(entriesWithoutType) entries
            backup       \(backup ?? "none made")
            duration     \(duration.formatted(.units(allowed: [.milliseconds])))
            """
    }

    private var imported: String {
        guard let settings else { return "" }
        return "\(settings.importedEntries) entries, \(settings.importedTypes) intake types, "
            + "\(settings.importedGoals) goals"
    }
}

/// Keeps what a migration has reported while the store is opened.
final class ReportBox: Sendable {
    private let content = Mutex<MigrationReport?>(nil)

    func set(_ report: MigrationReport) { content.withLock { $0 = report } }
    var report: MigrationReport? { content.withLock(\.self) }
}
