public import ArgumentParser
public import BabyMonitor
import Dispatch
import Foundation
import Switchyard
import SwitchyardCSV
import SwitchyardConfiguration
import SwitchyardCore

extension HistoryCSVKind: ExpressibleByArgument {}
extension HistoryCSVFormat: ExpressibleByArgument {}

/// `import feeds|diapers FILE`.
struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Imports feeds or diaper changes from a CSV file, all of it or nothing.",
        discussion: """
            The format, the app's own or the full one, is known by the header. One invalid row refuses the file, unless \
            --skip-invalid is given.
            """)

    @Argument(help: "What the file holds.") var kind: HistoryCSVKind
    @Argument(help: "The file; - is standard input.") var file: String
    @Flag(help: "Add babies that the file names and the store lacks, instead of skipping their rows.")
    var createBabies = false
    @Flag(help: "Import the valid rows although others are invalid.") var skipInvalid = false
    @Flag(help: "Report what would happen, and write nothing.") var dryRun = false
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        do {
            try await importFile()
        } catch let refusal as ImportRefusal where !refusal.isDryRun {
            if options.json { try Terminal.print(json: refusal.report) }
            throw refusal
        } catch let error as CSVError {
            if options.json, error.line != nil { try Terminal.print(json: ImportReport(refusing: error)) }
            throw NothingImported(reason: error)
        }
    }

    private func importFile() async throws {
        let (input, format) = try await input()
        // Where all rows would be skipped, the store is one whose name is misspelt.
        let makesStore = createBabies || format == .full
        let purpose = makesStore ? dryRun ? Session.Purpose.rehearsing : .filling : .changing
        try await Session.run(options, for: purpose) { session in
            let progress = Progress(isShown: Terminal.showsErrors && !options.json)
            defer { progress.clear() }
            let report = try await session.csv.importFile(
                kind, from: input,
                options: ImportOptions(
                    createsBabies: createBabies, skipsInvalidRows: skipInvalid, isDryRun: dryRun),
                onProgress: progress.handler)
            progress.clear()
            if options.json { try Terminal.print(json: report) }
            if report.errorCount > 0, !skipInvalid { throw ImportRefusal(ofDryRun: report) }
            if !options.json { Terminal.print(lines: report.summary(kind, isDryRun: dryRun)) }
        }
    }

    /// The input and its format, looked at before a store is opened for it, or made.
    ///
    /// Reading it blocks, a pipe even to its end, so it happens on a thread that may.
    private func input() async throws -> (CSVInput, HistoryCSVFormat) {
        try await Cancellation.run(on: .global()) { [kind, file] _ in
            let input = try file == "-" ? CSVInput.standardInput() : CSVInput.file(file)
            return (input, try HistoryCSVService.format(of: input, as: kind))
        }
    }
}

/// `export feeds|diapers [FILE]`.
struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Exports feeds or diaper changes to a CSV file, newest first.",
        discussion: """
            An older file is replaced when the export is complete, and keeps its permissions. --json, which reports on \
            standard output, needs the name of a file, as the CSV would go there too.
            """)

    @Argument(help: "What to export.") var kind: HistoryCSVKind
    @Argument(help: "The file; standard output, or -, if there is none.") var file = "-"
    @Option(help: "legacy: the app's own columns; full: every attribute, ids included.")
    var format = HistoryCSVFormat.legacy
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if file.isEmpty { throw ValidationError("The name of the file is empty; - is standard output.") }
        if options.json, file == "-" {
            throw ValidationError(
                "--json reports on standard output, where the CSV goes; name a file for the CSV.")
        }
    }

    func run() async throws {
        if file == "-" {
            try await Session.run(options, for: .reading) { session in
                _ = try await session.csv.exportStream(kind, format: format) { StandardOutputSink() }
            }
        } else if FileByteSink.isReplaced(file) {
            // A part of a file is left to nobody.
            try await Interruption.cancelling { try await exportFile() }
        } else {
            // A pipe that nobody reads waits where no cancelling reaches, and leaves nothing behind.
            try await exportFile()
        }
    }

    private func exportFile() async throws {
        try await Session.run(options, for: .reading, checking: requireNoStore) { session in
            let progress = Progress(isShown: Terminal.showsErrors && !options.json)
            defer { progress.clear() }
            let rows = try await session.csv.exportFile(
                kind, format: format, toPath: file, onProgress: progress.handler)
            progress.clear()
            if options.json { return try Terminal.print(json: ["rows": rows]) }
            Terminal.print("Exported \(Terminal.count(rows, of: kind)) to \(file).")
        }
    }

    private func requireNoStore(_ configuration: StoreConfiguration) async throws {
        let store = Session.file(configuration)
        try await Cancellation.run(on: .global()) { [file] _ in
            try ExportTarget(path: file).requireNoStore(store)
        }
    }
}

extension ImportReport {
    /// What was done, in a few lines.
    fileprivate func summary(_ kind: HistoryCSVKind, isDryRun: Bool) -> [String] {
        let (inserted, updated, skipped) =
            kind == .feeds
            ? (insertedFeeds, updatedFeeds, skippedFeeds)
            : (insertedDiapers, updatedDiapers, skippedDiapers)
        var lines = [
            "\(isDryRun ? "Would import" : "Imported") \(Terminal.count(inserted, of: kind))"
                + (updated > 0 ? ", updated \(updated)" : "") + ", skipped \(skipped)"
                + (skippedInvalidRows > 0
                    ? ", left out \(Terminal.count(skippedInvalidRows, "invalid row", "invalid rows"))" : "")
                + (createdBabies > 0 ? ", added \(Terminal.count(createdBabies, "baby", "babies"))" : "")
                + "."
        ]
        if !skippedUnknownBabies.isEmpty {
            lines.append(
                "Unknown babies, whose rows were skipped: \(skippedUnknownBabies.joined(separator: ", ")). "
                    + "Add them, or import with --create-babies.")
        }
        let untold = errorCount - errors.count
        return lines + errors + (untold > 0 ? ["and \(untold) more invalid rows"] : [])
    }

    /// The report on a file that could not be read to its end.
    fileprivate init(refusing error: CSVError) {
        self.init()
        (errors, errorCount) = ([error.sentence], 1)
    }
}

/// A line on the terminal that says how far the work has come.
struct Progress: Sendable {
    let isShown: Bool

    var handler: (@Sendable (HistoryCSVProgress) -> Void)? {
        guard isShown else { return nil }
        return { progress in
            let share = progress.share.map { " (\($0) %)" } ?? ""
            Terminal.writeError("\r\(progress.rows) rows\(share)")
        }
    }

    func clear() {
        if isShown { Terminal.writeError("\r\u{1B}[K") }
    }
}
