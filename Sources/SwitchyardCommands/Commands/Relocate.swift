package import ArgumentParser
internal import Foundation
internal import SQLiteRelocation
internal import SQLiteStore
internal import SwitchyardAppGroup
internal import SwitchyardConfiguration
internal import SwitchyardCore
internal import Synchronization

extension StoreCommand {
    /// `store relocate --to DIR`.
    package struct Relocate: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "relocate",
                abstract: "Moves the store's file to another directory, without rewriting its rows.",
                discussion: """
                    The file is copied with its WAL, compared with the original table by table, and only then gets its name. \
                    Writes to a store wait meanwhile, and reads continue; a file that is not a store must not be open anywhere. The \
                    old file is kept as a read-only backup until --remove-backup deletes it. Run the command again to resume an \
                    interrupted move.
                    """)
        }

        @OptionGroup package var place: App.Place
        @Option(
            help: ArgumentHelp(
                "Move to the directory of this app group, and create it if it is missing.", valueName: "group"
            ))
        var toGroup: String?
        @Option(
            help: ArgumentHelp(
                "Move to this directory, and create it if it is missing; its parent must exist.",
                valueName: "directory"))
        var to: String?
        @Flag(help: "Only show the files to be moved.") var dryRun = false
        @Flag(help: "Check the new file of a completed move, and delete the old one.")
        var removeBackup = false
        @Option(
            help: ArgumentHelp(
                "How long to wait for other processes that move or use the file.", valueName: "seconds"))
        var wait = 30.0
        @OptionGroup package var options: App.Options

        package init() {}

        package func validate() throws {
            if (toGroup == nil) == (to == nil) {
                throw ValidationError("Give either --to-group or --to.")
            }
            if dryRun, removeBackup { throw ValidationError("Give --dry-run or --remove-backup, not both.") }
            guard (0...86_400).contains(wait) else {
                throw ValidationError("Give --wait from 0 to 86400 seconds.")
            }
        }

        package func run() async throws {
            let (configuration, appGroup) = try await Session.configuration(call)
            guard let path = Session.file(configuration) else {
                throw StoreError(
                    .invalidArgument,
                    "Only the file of an SQLite store can be moved to another directory, and this store is of the backend "
                        + "\(configuration.backend). To move its rows, use: \(App.commandName) store switch --to URL"
                )
            }
            let container = try toGroup.map {
                try AppGroupContainer(
                    $0, root: configuration.values.text(SettingKey.appGroupsRoot.name),
                    environment: ProcessText.environment())
            }
            let name = URL(filePath: path).lastPathComponent
            let directory = to.map { URL(filePath: $0).path }
            let target = container?.path(of: name) ?? "\(directory ?? "")/\(name)"
            // A file named by --store may be a copy of the app's store, and the records are about the original.
            let places = call.store == nil ? Session.places(appGroup) : nil
            let relocation = StoreRelocation(
                from: path, to: target, busyTimeout: .seconds(wait), registry: places)
            if dryRun { return try show(try await relocation.plan()) }
            if removeBackup {
                try await relocation.removeBackup()
                if call.json { return try Terminal.print(json: ["removed": true]) }
                return Terminal.print("The backup is removed; the store is in \(target).")
            }
            try container?.create()
            let printer = RelocationPrinter(isJSON: call.json)
            let report = try await Interruption.cancelling { try await relocation.run { printer.tell($0) } }
            if call.json { return try Terminal.print(json: RelocationOutput(report), onOneLine: true) }
            Terminal.print(lines: report.tables.map { $0.line })
            Terminal.print(
                "The store is in \(report.target) now; the old file is kept as a backup, \(report.backup), and can only be read."
            )
        }

        private func show(_ plan: RelocationPlan) throws {
            if call.json { return try Terminal.print(json: RelocationOutput(plan)) }
            Terminal.print(lines: plan.tables.map { $0.line })
            let room = plan.availableBytes.map { ", where there is room for \($0)" } ?? ""
            Terminal.print(
                "\(plan.bytes) bytes would be moved to \(plan.target)\(room); the old file would be kept as \(plan.backup). "
                    + "Nothing was changed.")
        }
    }
}

/// Prints how far a move has come: each step once.
private final class RelocationPrinter: Sendable {
    private let isJSON: Bool
    private let last = Mutex<RelocationProgress.Step?>(nil)

    init(isJSON: Bool) { self.isJSON = isJSON }

    func tell(_ progress: RelocationProgress) {
        let isNew = last.withLock { last in
            defer { last = progress.step }
            return last != progress.step
        }
        guard isNew else { return }
        if isJSON {
            let event = RelocationEvent(
                step: progress.step.rawValue, bytes: progress.bytes, total: progress.total)
            try? Terminal.print(json: event, onOneLine: true)
        } else {
            Terminal.print("\(progress.step.rawValue)  \(progress.bytes) of \(progress.total) bytes")
        }
        try? Terminal.flush()
    }
}

/// How far a move has come, in the command's output.
private struct RelocationEvent: Encodable {
    let step: String
    let bytes: Int
    let total: Int
}

/// What was moved or would be, in the command's output.
private struct RelocationOutput: Encodable {
    let source: String
    let target: String
    let backup: String
    let bytes: Int
    let tables: [TableDigest]
    /// How long it took; nil for what was only planned.
    let seconds: Double?

    init(_ report: RelocationReport) {
        (source, target, backup) = (report.source, report.target, report.backup)
        (bytes, tables, seconds) = (report.bytes, report.tables, report.duration / .seconds(1))
    }

    init(_ plan: RelocationPlan) {
        (source, target, backup) = (plan.source, plan.target, plan.backup)
        (bytes, tables, seconds) = (plan.bytes, plan.tables, nil)
    }
}

extension TableDigest {
    fileprivate var line: String { "\(name): \(Terminal.count(rows, "row", "rows")), \(digest)" }
}
