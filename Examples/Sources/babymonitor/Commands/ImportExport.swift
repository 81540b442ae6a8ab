public import ArgumentParser
public import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardCSV
import SwitchyardCommands
import SwitchyardConfiguration
import SwitchyardCore

extension HistoryCSVKind: @retroactive ExpressibleByArgument {}
extension HistoryCSVFormat: @retroactive ExpressibleByArgument {}

/// `import feeds|diapers FILE`.
struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Imports feeds or diaper changes from a CSV file, all of it or nothing.",
        discussion: """
            The header shows whether the file has the app's own format or the full one. One invalid row refuses the file, \
            unless --skip-invalid is given. Times have a zone, such as 2025-11-06T18:34:39Z or 2025-11-06 \
            18:34:39+09:00; with --time-zone, the app's own files may also have times such as 2025-11-06 18:34.
            """)

    @Argument(help: "What the file holds.") var kind: HistoryCSVKind
    @Argument(help: "The file; - is standard input.") var file: String
    @Flag(help: "Add babies that the file names and the store lacks, instead of skipping their rows.")
    var createBabies = false
    @Flag(help: "Import the valid rows even if others are invalid.") var skipInvalid = false
    @Flag(
        help:
            "Accept unknown units, counted as mL, and unknown feed types, counted as formula, and list them.")
    var acceptUnknown = false
    @Option(
        help: ArgumentHelp("The zone of times without one, such as Europe/Berlin.", valueName: "zone"),
        transform: Self.zone)
    var timeZone: TimeZone?
    @Option(
        help: ArgumentHelp(
            "The hour to take for a time without a zone that clocks show twice: first or second.",
            valueName: "which"),
        transform: Self.repeatedTime)
    var repeatedHour: RepeatedTime?
    @Flag(help: "Report what the import would do, and write nothing.") var dryRun = false
    @OptionGroup var options: GlobalOptions

    private static func zone(_ name: String) throws -> TimeZone {
        guard let zone = TimeZone(identifier: name) else {
            throw ValidationError("No time zone has this name.")
        }
        return zone
    }

    private static func repeatedTime(_ word: String) throws -> RepeatedTime {
        guard let time = RepeatedTime(rawValue: word), time != .refused else {
            throw ValidationError("Write first or second.")
        }
        return time
    }

    func validate() throws {
        guard repeatedHour == nil || timeZone != nil else {
            throw ValidationError("--repeated-hour needs --time-zone.")
        }
    }

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
        // A new store would skip all rows, so without these a missing store is probably a misspelt name.
        let makesStore = createBabies || format == .full
        let purpose: Session.Purpose =
            switch (makesStore, dryRun) {
            case (true, true): .rehearsing
            case (true, false): .filling
            case (false, true): .trying
            case (false, false): .changing
            }
        try await Session.run(options.call, for: purpose) { session in
            let progress = Progress(isShown: Terminal.showsErrors && !options.json)
            defer { progress.clear() }
            let report = try await session.csv.importFile(
                kind, from: input,
                options: ImportOptions(
                    createsBabies: createBabies, skipsInvalidRows: skipInvalid,
                    acceptsUnknownWords: acceptUnknown, isDryRun: dryRun, timeZone: timeZone,
                    repeatedTime: repeatedHour ?? .refused),
                onProgress: progress.handler)
            progress.clear()
            if options.json { try Terminal.print(json: report) }
            if report.errorCount > 0, !skipInvalid { throw ImportRefusal(ofDryRun: report) }
            if !options.json { Terminal.print(lines: report.summary(kind, isDryRun: dryRun)) }
            // An import adds most to a history, and takes long enough for one step more; logging a feed does not.
            if !dryRun { await session.pruneHistory() }
        }
    }

    /// The input and its format, checked before a store is opened or created for it.
    ///
    /// Reading blocks, for a pipe until its end, so it runs on a thread that may block.
    private func input() async throws -> (CSVInput, HistoryCSVFormat) {
        try await Cancellation.run { [kind, file] _ in
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
            An existing file is replaced once the export is complete, and keeps its permissions. With --json, the report \
            goes to standard output, so the CSV needs a file name.
            """)

    @Argument(help: "What to export.") var kind: HistoryCSVKind
    @Argument(help: "The file; - or nothing for standard output.") var file = "-"
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
            try await Session.run(options.call, for: .reading) { session in
                _ = try await session.csv.exportStream(kind, format: format) { StandardOutputSink() }
            }
        } else if FileByteSink.isReplaced(file) {
            // An interruption must not leave a partial file.
            try await Interruption.cancelling { try await exportFile() }
        } else {
            // A write to a pipe without a reader cannot be cancelled, and leaves nothing behind.
            try await exportFile()
        }
    }

    private func exportFile() async throws {
        try await Session.run(
            options.call, for: .reading, checking: requireNoStore
        ) { session in
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
        try await Session.requireNoStore(at: file, beside: configuration)
    }
}

extension ImportReport {
    /// The report in a few lines of text.
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
        for (count, words, kind, meaning) in [
            (unknownUnitRows, unknownUnits, "units", "mL"),
            (unknownFeedTypeRows, unknownFeedTypes, "feed types", "formula"),
        ] where count > 0 {
            let rows = Terminal.count(count, "row that counts", "rows that count")
            lines.append("Unknown \(kind) in \(rows) as \(meaning): \(words.joined(separator: ", ")).")
        }
        let untold = errorCount - errors.count
        return lines + errors + (untold > 0 ? ["and \(untold) more invalid rows"] : [])
            + advice.map(\.sentence)
    }

    /// The report on a file that could not be read completely.
    fileprivate init(refusing error: CSVError) {
        self.init()
        (errors, errorCount) = ([error.sentence], 1)
    }
}

extension ImportAdvice {
    /// The advice, with the option that it is about.
    var sentence: String {
        switch self {
        case .timestamps: description
        case .timeZone: "\(description) Give it by --time-zone, such as --time-zone Europe/Berlin."
        case .repeatedTime: "\(description) Give --repeated-hour first or second."
        case .units: "\(description) With --accept-unknown, others count as mL."
        case .feedTypes: "\(description) With --accept-unknown, others count as formula."
        }
    }
}

/// A progress line on the terminal.
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
