package import ArgumentParser
internal import Foundation
internal import SwitchyardConfiguration
internal import SwitchyardCore
internal import Synchronization

extension StoreCommand {
    /// `store migrate [--to VERSION] [--dry-run]`.
    package struct Migrate: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "migrate",
                abstract: "Migrates a store of an earlier release to the newest version of the schema.",
                discussion: """
                    Commands that write do the same when they open such a store. Each stage is one transaction. An SQLite file is \
                    first backed up in its directory.
                    """)
        }

        @OptionGroup package var place: App.Place
        @Option(
            help: ArgumentHelp(
                "Stop at this version; the next command that writes migrates to the newest.",
                valueName: "version"))
        var to: String?
        @Flag(help: "Only show the changes, with the number of rows of each table.")
        var dryRun = false
        @OptionGroup package var options: App.Options

        package init() {}

        package func run() async throws {
            let plan = try await plan()
            let (opening, open) = try await Session.opener(call)
            if dryRun { return try show(try await plan.preview(opening, open)) }
            let printer = MigrationPrinter(isSilent: call.json)
            let clock = ContinuousClock()
            let start = clock.now
            let store = try await plan.open(opening, status: { printer.tell($0) }, open)
            let seconds = Double((clock.now - start) / .milliseconds(1)) / 1_000
            let rows = try await store.closing { try await $0.rowCounts() }
            let output = MigrationOutput(
                version: plan.schema.version, printer.report, rows: rows, seconds: seconds)
            if call.json { return try Terminal.print(json: output) }
            Terminal.print(lines: output.lines)
        }

        private func plan() async throws -> MigrationPlan {
            let plan = try await Session.plan(call)
            return try to.map { try plan.upTo(SchemaVersion(argument: $0)) } ?? plan
        }

        private func show(_ preview: MigrationPreview) throws {
            if call.json { return try Terminal.print(json: preview) }
            if !preview.unfilled.isEmpty {
                Terminal.print(
                    "A migration to \(preview.version) has not filled all rows: \(preview.unfilled.joined(separator: ", "))"
                )
            }
            guard let last = preview.stages.last else {
                return Terminal.print("The store has version \(preview.version); nothing would change.")
            }
            for stage in preview.stages {
                Terminal.print("\(stage.from) → \(stage.to)")
                Terminal.print(lines: stage.tables.flatMap(\.lines))
            }
            Terminal.print(lines: preview.unknownParts.map(\.description))
            guard preview.isPossible else {
                throw StoreError(
                    .schemaMismatch,
                    "The store cannot be migrated before what is in the way, as shown above, is gone. Nothing was changed."
                )
            }
            Terminal.print("The store would have version \(last.to). Nothing was changed.")
        }
    }
}

extension MigrationPreview.Table {
    fileprivate var lines: [String] {
        let rows = rows.map { Terminal.count($0, "row", "rows") } ?? "rows that a stage before writes"
        return ["  \(entity): \(fate.rawValue), \(rows)"] + changes.map { "    \($0)" }
    }
}

/// Prints how far a migration has come.
private final class MigrationPrinter: Sendable {
    private let isSilent: Bool
    private let completed = Mutex<MigrationReport?>(nil)

    init(isSilent: Bool) { self.isSilent = isSilent }

    /// What was done; nil if nothing was to be done.
    var report: MigrationReport? { completed.withLock { $0 } }

    func tell(_ status: MigrationStatus) {
        switch status {
        case .notNeeded, .pending, .failed: break
        case .inProgress(let progress):
            let share = progress.fraction > 0 ? ", \(Int(progress.fraction * 100)) %" : ""
            if !isSilent {
                Terminal.print(
                    "\(progress.from) → \(progress.to), stage \(progress.stage) of \(progress.count)\(share)")
            }
        case .completed(let report): completed.withLock { $0 = report }
        }
    }
}

/// What a migration has done, in the command's output.
private struct MigrationOutput: Encodable {
    let version: String
    let stages: [String]
    @OrNull var backup: String?
    let removedDuplicates: [String: Int]
    let filled: [String: Int]
    let rows: [String: Int]
    let seconds: Double

    init(version: SchemaVersion, _ report: MigrationReport?, rows: [String: Int], seconds: Double) {
        self.version = version.description
        stages = report?.stages.map(\.to.description) ?? []
        removedDuplicates = report?.removedDuplicates ?? [:]
        filled = report?.filled ?? [:]
        (self.rows, self.seconds) = (rows, seconds)
        backup = report?.backup
    }

    var lines: [String] {
        let counts = rows.sorted { $0.key < $1.key }.map { "rows     \($0.key): \($0.value)" }
        guard !stages.isEmpty || !filled.isEmpty else {
            return ["The store has version \(version); nothing was to be done."] + counts
        }
        return ["version  \(version)"] + (backup.map { ["backup   \($0)"] } ?? [])
            + removedDuplicates.sorted { $0.key < $1.key }.map {
                "removed  \($0.key): \(Terminal.count($0.value, "duplicate", "duplicates"))"
            }
            + filled.sorted { $0.key < $1.key }.map {
                "filled   \($0.key): \(Terminal.count($0.value, "row", "rows"))"
            } + counts + ["seconds  \(seconds)"]
    }
}
