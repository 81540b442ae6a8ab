package import ArgumentParser
internal import Foundation
internal import SwitchyardCore
internal import SwitchyardTransfer
internal import Synchronization

extension StoreCommand {
    /// `store switch --to URL`.
    package struct Switch: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "switch",
                abstract: "Moves all rows to a new store, on the same backend or another.",
                discussion: """
                    Apps go on writing to the store meanwhile. The command compares both stores before the new one takes over. From \
                    then on the old store is read-only, and says where the data is. --resume continues an interrupted switch.

                    With --rehearse the old store stays in use, and the new one follows it while this command runs. A sample of the \
                    other commands' reads (rehearsal.percent) is answered by both stores, and --status shows the differences. End a \
                    rehearsal with --commit or --abort.\(ofConfigured)
                    """)
        }

        /// How a command without --store finds the data, as a paragraph.
        private static var ofConfigured: String {
            guard App.plan != nil else { return "" }
            return
                "\n\nThe configuration does not change: every command without --store finds the configured store at its new "
                + "place."
        }

        @OptionGroup package var place: App.Place
        @Option(
            help: ArgumentHelp(
                "The new place, which must not hold a store: sqlite:PATH or postgres://….",
                valueName: "url"))
        var to: String?
        @Flag(
            help: "Replace the backup that an earlier switch of this store left at the place.")
        var replaceBackup = false
        @Flag(
            help:
                "With --replace-backup: replace the backup even if later rows may have been written to it; they are deleted."
        )
        var discardBackupChanges = false
        @Flag(help: "Resume an interrupted switch.") var resume = false
        @Flag(help: "Abort an interrupted switch, and use the old store as before.") var abort =
            false
        @Flag(
            help: "With --abort: confirm that the copy is lost, and that no other store has the data.")
        var copyIsLost = false
        @Flag(help: "Let the new store follow the old one until interrupted, without taking over.")
        var rehearse = false
        @Flag(help: "Complete a rehearsed switch.") var commit = false
        @Option(
            help: ArgumentHelp(
                "A finding about a database that is only read, such as pendingUploads, that does not matter.",
                valueName: "code"))
        var acknowledge: [String] = []
        @Flag(help: "Show the state of a switch, and change nothing.") var status = false
        @Flag(help: "Mark the named store as no longer needed as a backup.") var retire = false
        @OptionGroup package var options: App.Options

        package init() {}

        package func validate() throws {
            let modes = [resume, abort, commit, status, retire].count { $0 }
            if modes > 1 || modes == 1 && rehearse {
                throw ValidationError(
                    "Give one of --rehearse, --commit, --resume, --abort, --status and --retire.")
            }
            if modes == 0, to == nil, !rehearse { throw ValidationError("Give the new place with --to.") }
            if modes == 1, replaceBackup {
                throw ValidationError("--replace-backup only goes with a new switch.")
            }
            if discardBackupChanges, !replaceBackup {
                throw ValidationError("--discard-backup-changes only goes with --replace-backup.")
            }
            if modes == 1, !acknowledge.isEmpty {
                throw ValidationError("--acknowledge only goes with a new switch.")
            }
            if copyIsLost, !abort { throw ValidationError("--copy-is-lost only goes with --abort.") }
            if retire, call.store == nil { throw ValidationError("Name the old store by --store.") }
        }

        package func run() async throws {
            if let database = try await Session.databaseToConvert(call) { return try await convert(database) }
            guard acknowledge.isEmpty else {
                throw StoreError(
                    .invalidArgument,
                    "--acknowledge only goes with a database that is only read, and this is a store.")
            }
            let (source, places, configured) = try await Session.source(call)
            let known = try await source.marker()?.switching?.peer
            guard let url = to ?? known else {
                if status { return try show(SwitchStatusOutput(.none, of: source, configured: configured)) }
                throw StoreError(.invalidArgument, "No switch of this store was begun. Begin one with --to.")
            }
            let schema = App.plan == nil ? try await source.marker()?.schema : nil
            let target = try await Session.target(url, creating: schema, call)
            let change = StoreSwitch(
                from: source, to: target, replacingBackup: replaceBackup,
                discardingItsChanges: discardBackupChanges, registry: places)
            if status {
                return try show(
                    SwitchStatusOutput(try await change.status(), of: source, configured: configured))
            }
            if abort {
                try await change.abort(copyIsLost: copyIsLost)
                return say("The switch is given up; the old store is the one to use.")
            }
            if retire {
                try await change.retire()
                return say(
                    "The store \(source.location) is not a backup any more; its rows stay until you delete them."
                )
            }
            let state = try await change.status()
            try requireMode(state)
            if let marker = try await source.marker(), let records = places?.contents() {
                for twin in records.twins(of: marker, at: source.location) {
                    say("twin  \(PlaceNotes.Twin(twin).line(by: App.commandName))")
                }
            }
            let printer = ProgressPrinter(isJSON: call.json)
            if rehearse || resume && state.isRehearsal {
                return try await Interruption.cancelling { [self] in
                    try show(try await change.rehearse { printer.tell($0) })
                    say(
                        "The new store follows while this command runs. End it with Ctrl-C; --rehearse goes on."
                    )
                    try Terminal.flush()
                    try await change.follow()
                    say("The rehearsal has ended.")
                }
            }
            let report = try await Interruption.cancelling { try await change.run { printer.tell($0) } }
            try show(report)
            say("The data is in \(target.location) now; the old store is kept, and can only be read.")
        }

        /// Refuses what does not go with the state of the switch.
        private func requireMode(_ state: SwitchStatus) throws {
            let fault: String? =
                switch (state.isUnderWay, state.isRehearsal) {
                case (false, _) where resume:
                    "No switch of this store is under way. Leave --resume out to begin one."
                case (_, false) where commit: "No switch of this store is rehearsed. Begin with --rehearse."
                case (true, true) where !(rehearse || resume || commit):
                    "A switch of this store is rehearsed. Carry it out with --commit, or give it up with --abort."
                case (true, false) where !resume:
                    "A switch of this store was begun before. Go on with it with --resume, or give it up with --abort."
                default: nil
                }
            if let fault { throw StoreError(.invalidArgument, fault) }
        }
    }
}

extension StoreCommand.Switch {
    /// Moves the rows of a database that is only read, as a scaffold suggests: in one transaction, with nothing to resume.
    private func convert(_ database: any ForeignDatabase) async throws {
        guard let to, !rehearse, !replaceBackup else {
            throw StoreError(
                .invalidArgument,
                "\(database.location) is only read, and no switch of it can be under way. Give nothing but the new place, with "
                    + "--to.")
        }
        let (report, losses, target) = try await Interruption.cancelling {
            let scaffold = try await AdoptionScaffold(of: database, named: "Database")
            let target = try await StoreSession<App>.target(to, creating: scaffold.schema, call)
            let codes = acknowledge.map { ForeignFinding.Code($0) }
            try scaffold.requireAcknowledged(codes)
            let report = try await scaffold.plan.acknowledging(codes).run(from: database, into: target)
            return (report, scaffold.losses, target)
        }
        let entities = report.digests.sorted { $0.key < $1.key }.map { AdoptedOutput($0.key, $0.value) }
        if call.json {
            for loss in losses { StoreSession<App>.note("\(loss)") }
            return try Terminal.print(json: entities, onOneLine: true)
        }
        Terminal.print(lines: (report.findings + losses).map { "found  \($0)" } + entities.map(\.line))
        say(
            "The data is in \(target.location) now; \(database.location) is unchanged, and its app can still write to it."
        )
    }

    private func say(_ text: String) {
        if !call.json { Terminal.print(text) }
    }

    private func show(_ report: VerificationReport?) throws {
        let entities = report.map { $0.entities.map { EntityOutput($0) } } ?? []
        if call.json { return try Terminal.print(json: entities, onOneLine: true) }
        Terminal.print(lines: entities.flatMap(\.lines))
    }

    private func show(_ status: SwitchStatusOutput) throws {
        if call.json { return try Terminal.print(json: status) }
        Terminal.print(lines: status.lines)
    }
}

/// The rows of an entity that come from a database which is no store, in the command's output.
private struct AdoptedOutput: Encodable {
    let entity: String
    let rows: Int
    let digest: String

    init(_ entity: String, _ digest: RowsDigest) {
        (self.entity, rows, self.digest) = (entity, digest.count, digest.description)
    }

    var line: String { "\(entity): \(Terminal.count(rows, "row", "rows")), \(digest)" }
}

/// How far a switch has come, as `--status` shows it.
private struct SwitchStatusOutput: Encodable {
    let phase: String?
    /// Where the store is configured to be, and where it is, if it was switched from there.
    let configured: String?
    let store: String?
    /// Where the data came from, if a switch has brought it where it is.
    let source: String?
    let target: String?
    let rows: Int?
    /// The number of committed writes that the new store does not have yet.
    let lag: Int64?
    /// Whether the switch stays before the new store takes over.
    let isRehearsal: Bool
    /// What has come of the reads that were asked of both stores.
    let findings: RehearsalFindings?

    init(_ status: SwitchStatus?, of place: StorePlace, configured: String) {
        let isElsewhere = place.location != configured
        (self.configured, store) = isElsewhere ? (configured, place.location) : (nil, nil)
        let isArrival = status?.origin != nil
        phase = (isArrival ? .committed : status?.phase)?.rawValue
        source = status?.origin
        (target, rows, lag) = (isArrival ? place.location : status?.target, status?.rows, status?.lag)
        isRehearsal = status?.isRehearsal ?? false
        findings = status?.findings
    }

    var lines: [String] {
        [
            "phase   \(phase ?? "no switch")"
                + (isRehearsal && phase != "rehearsing" ? ", of a rehearsal" : ""),
            configured.map { "config  \($0)" }, store.map { "store   \($0)" },
            source.map { "source  \($0)" }, target.map { "target  \($0)" },
            rows.map { "copied  \(Terminal.count($0, "row", "rows"))" },
            lag.map { "lag     \(Terminal.count(Int($0), "write", "writes"))" },
            findings.map {
                "reads   \($0.compared) compared, \($0.differing) of them different, \($0.skipped) not compared"
            },
        ].compactMap(\.self) + (findings?.differences.map(\.line) ?? [])
    }
}

extension RehearsalFindings.Difference {
    fileprivate var line: String {
        let answer =
            newRows.map { $0 == rows ? "other values" : Terminal.count($0, "row", "rows") } ?? "no answer"
        return
            "  \(time.formatted(.iso8601))  \(entity): \(Terminal.count(rows, "row", "rows")) in the old store, "
            + "\(answer) in the new one"
    }
}

/// Prints how far a switch has come: each phase once, and of long ones a line for each second.
private final class ProgressPrinter: Sendable {
    private let isJSON: Bool
    private let last = Mutex<(phase: SwitchPhase, second: Int64)?>(nil)

    init(isJSON: Bool) { self.isJSON = isJSON }

    func tell(_ progress: SwitchProgress) {
        let now = (phase: progress.phase, second: progress.elapsed.components.seconds)
        let isNew = last.withLock { last in
            if let last, last == now { return false }
            last = now
            return true
        }
        guard isNew else { return }
        if isJSON {
            try? Terminal.print(json: ProgressOutput(progress), onOneLine: true)
        } else {
            let rows = "\(progress.rows) of \(Terminal.count(progress.total, "row", "rows"))"
            let left = progress.pace.map { Int($0.remaining / .seconds(1)) } ?? 0
            Terminal.print("\(progress.phase.rawValue)  \(rows)" + (left > 0 ? ", \(left) s left" : ""))
        }
        try? Terminal.flush()
    }
}

/// How far a switch has come, in the command's output.
private struct ProgressOutput: Encodable {
    let phase: String
    let rows: Int
    let total: Int
    let seconds: Double
    /// While rows are being copied, how many in a second, the bytes so far, and how long the rest will take.
    let rowsPerSecond: Double?
    let bytes: Int?
    let secondsLeft: Double?

    init(_ progress: SwitchProgress) {
        phase = progress.phase.rawValue
        (rows, total) = (progress.rows, progress.total)
        seconds = progress.elapsed / .seconds(1)
        rowsPerSecond = progress.pace?.rowsPerSecond
        bytes = progress.pace?.bytes
        secondsLeft = progress.pace.map { $0.remaining / .seconds(1) }
    }
}
