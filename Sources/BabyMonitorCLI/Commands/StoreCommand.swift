import ArgumentParser
import BabyMonitor
import Foundation
import Switchyard
import SwitchyardCore

/// `store info|schema|migrate|adopt|check|repair|verify|switch|relocate|fork|copy|backup|restore|history`.
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Shows, checks, mends, moves and compares the store itself.",
        subcommands: [
            Info.self, SchemaCommand.self, Migrate.self, Adopt.self, Check.self, Repair.self, Verify.self,
            Switch.self, Relocate.self, Fork.self, Copy.self, Backup.self, Restore.self, Changes.self,
        ])

    struct Info: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "info", abstract: "Shows what and where the store is, and its row counts.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            do {
                try await Session.run(options, for: .inspecting) { session in
                    try await show(session.store, try await session.placeNotes())
                }
            } catch let error as StoreError where error.code == .schemaMismatch {
                // A store of an earlier release is shown as it is.
                let plan = try MigrationPlan(BabyMonitorPlan.self)
                var (opening, open) = try await Session.opener(options)
                let diagnosis = try await plan.diagnose(opening, open)
                guard diagnosis.isSound || diagnosis.isOnlyObstructed, let version = diagnosis.version else {
                    throw error
                }
                opening.access = .readOnly
                try await open(try plan.upTo(version).schema, opening).closing { try await show($0) }
            }
        }

        private func show(_ store: any Store, _ notes: PlaceNotes = PlaceNotes()) async throws {
            let info = StoreOutput(
                store.info, try await store.marker(), try await store.rowCounts(), notes)
            if options.json { return try Terminal.print(json: info) }
            Terminal.print(lines: info.lines)
        }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract:
                "Looks for damage, reading every row and the history, and for tables of another version than the store's.",
            discussion:
                "A store of an earlier release is sound. What can be put right is put right by repair.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            let (faults, diagnosis) = try await look()
            if options.json {
                try Terminal.print(json: faults)
            } else {
                let parts = diagnosis?.findings.filter { $0.code == .partUnknown } ?? []
                Terminal.print(lines: faults + parts.map(\.line))
            }
            guard faults.isEmpty else { throw Self.error(of: diagnosis) }
            if !options.json { Terminal.print(diagnosis?.summary ?? "The store is sound.") }
        }

        private static func error(of diagnosis: StoreDiagnosis?) -> StoreError {
            guard diagnosis?.isOnlyObstructed != true else {
                return StoreError(
                    .schemaMismatch,
                    "The store cannot be migrated before what is shown above is out of the way.")
            }
            return StoreError(
                .corrupted,
                diagnosis?.canBeRepaired == true
                    ? "The store is damaged, as shown above, and can be repaired: babymonitor store repair."
                    : "The store is damaged, as shown above. Make a copy before you go on.")
        }

        /// What the store finds of itself, and what its tables tell beside the versions of the app; no diagnosis of a store
        /// in memory.
        private func look() async throws -> ([String], StoreDiagnosis?) {
            let plan = try MigrationPlan(BabyMonitorPlan.self)
            let (opening, open) = try await Session.opener(options)
            let faults: [String]
            do {
                faults = try await Session.run(options, for: .inspecting) { session in
                    try await session.store.check() + session.store.checkHistory()
                }
            } catch let error as StoreError
                where [.schemaMismatch, .corrupted, .notAStore].contains(error.code)
            {
                // The tables may tell more than the marker.
                guard let found = try? await plan.diagnose(opening, checksRows: true, open) else {
                    throw error
                }
                return (found.faults.map(\.line), found)
            }
            do {
                let diagnosis = try await plan.diagnose(opening, open)
                return (faults.isEmpty ? diagnosis.faults.map(\.line) : faults, diagnosis)
            } catch let error as StoreError where [.unsupported, .corrupted].contains(error.code) {
                return (faults, nil)
            }
        }
    }
}

extension StoreCommand {
    struct Changes: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "history", abstract: "Shows who changed the store, and what, in order.",
            subcommands: [Show.self, Consumers.self, Prune.self], defaultSubcommand: Show.self)
    }
}

extension StoreCommand.Changes {
    struct Prune: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "prune",
            abstract: "Deletes the oldest changes of the history; the rows are untouched.",
            discussion: """
                Without --keep and --since, the store's own retention decides: a store that this command has made keeps the \
                changes of 90 days. The last change is kept in any case. What is deleted cannot be undone any more.
                """)

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("Keep this many of the last changes.", valueName: "count"))
        var keep: Int?
        @Option(
            help: ArgumentHelp(
                "Keep what was changed since this time or day: \(TimeText.forms).", valueName: "time"),
            transform: TimeText.init)
        var since: TimeText?
        @Flag(help: "Also delete what a consumer of the history has yet to read; it must then begin again.")
        var leaveConsumersBehind = false
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if let keep, keep < 0 { throw ValidationError("--keep cannot be negative.") }
        }

        func run() async throws {
            try await Session.run(options, for: .changing) { session in
                let count = try await session.store.pruneHistory(
                    keepingLast: keep, since: try since?.start(session.settings),
                    leavingConsumersBehind: leaveConsumersBehind)
                if options.json { return try Terminal.print(json: ["deleted": count]) }
                Terminal.print(count == 1 ? "Deleted 1 change." : "Deleted \(count) changes.")
            }
        }
    }

    struct Consumers: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "consumers",
            abstract: "Shows who follows the history, and up to which change.",
            discussion: "What a consumer has yet to read is not deleted by prune.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await Session.run(options, for: .inspecting) { session in
                let consumers = try await session.store.read { tx in
                    try tx.historyConsumers().map { ConsumerOutput($0, head: try tx.historyToken()) }
                }
                if options.json { return try Terminal.print(json: consumers) }
                Terminal.print(lines: consumers.map(\.line))
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Shows who changed the store, and what, in order.")

        @Option(
            help: ArgumentHelp(
                "Only from this time or day on, by the clocks of the devices: \(TimeText.forms); or only what comes after "
                    + "the change that --json shows with this token.", valueName: "time or token"),
            transform: HistoryPlace.init)
        var since: HistoryPlace?
        @Option(help: ArgumentHelp("Only changes of this entity.", valueName: "name")) var entity: String?
        @Option(help: ArgumentHelp("Only changes by this author.", valueName: "name")) var author: String?
        @Flag(help: "Go on with what is changed later, until interrupted; with --json, one change a line.")
        var follow = false
        @OptionGroup var options: GlobalOptions

        func run() async throws {
            guard follow else {
                return try await Session.run(options, for: .inspecting) { session in
                    let changes = try await session.store.changes(
                        after: since?.token, where: try filter(session)
                    ).list
                    if options.json { return try Terminal.print(json: changes) }
                    Terminal.print(lines: changes.map(\.line))
                }
            }
            try await Interruption.cancelling {
                try await Session.run(options, for: .inspecting) { try await follow($0) }
            }
        }

        private func filter(_ session: Session) throws -> TransactionFilter {
            if let entity { _ = try session.store.schema.require(entity) }
            return TransactionFilter(
                entities: entity.map { [$0] }, authors: author.map { [$0] },
                since: try since?.time(session.settings))
        }

        private func follow(_ session: Session) async throws {
            let filter = try filter(session)
            let marker = try await session.store.marker()
            guard marker.role == .active || marker.switching?.state == .fenced else {
                throw StoreError.outOfService(marker.role.rawValue, successor: marker.successor)
            }
            var changes = session.store.changes().makeAsyncIterator()
            // What is committed while the first changes are printed is told by the first `next()`.
            try await changes.begin()
            var (last, place) = (since?.token, FollowedPlace(session.followed?.location, marker.generation))
            repeat {
                do {
                    let news = try await session.store.changes(after: last, where: filter)
                    try show(news.list)
                    last = news.end
                } catch let error as StoreError where error.code == .historyPruned {
                    let now = FollowedPlace(
                        session.followed?.location, try await session.store.marker().generation)
                    guard let left = place.location, now.generation > place.generation else { throw error }
                    // The history has stayed where the store was, and the new one has another.
                    try await showRest(of: left, after: last, filter, isElsewhere: now.location != left)
                    (last, place) = (nil, now)
                    let news = try await session.store.changes(where: filter)
                    try show(news.list)
                    last = news.end
                }
                try Terminal.flush()
            } while try await changes.next() != nil
            try Task.checkCancellation()
        }

        private func show(_ changes: [ChangeOutput]) throws {
            for change in changes {
                if options.json {
                    try Terminal.print(json: change, onOneLine: true)
                } else {
                    Terminal.print(change.line)
                }
            }
        }

        /// Shows the last changes of a store that was left, and says so.
        private func showRest(
            of place: String, after token: HistoryToken?, _ filter: TransactionFilter, isElsewhere: Bool
        ) async throws {
            var note = "The store was switched from \(place), and its history begins anew."
            do {
                guard isElsewhere else { throw StoreError(.historyPruned, "") }
                let opening = OpenOptions(access: .readOnly, createsIfMissing: false)
                let rest = try await Session.place(options.selecting(place)).withStore(opening) {
                    try await $0.changes(after: token, where: filter)
                }
                try show(rest.list)
            } catch let error as StoreError where error.code != .cancelled {
                note += " What was changed last before the switch cannot be shown."
            }
            Terminal.writeError(Failure(StoreError(.historyPruned, note)).paragraph + "\n")
        }
    }
}

/// Where a store was whose history is shown, as it was followed there.
private struct FollowedPlace {
    /// The location; nil if no other place would be followed.
    let location: String?
    let generation: Int64

    init(_ location: String?, _ generation: Int64) {
        (self.location, self.generation) = (location, generation)
    }
}

extension Store {
    /// The changes after a place in the history, and the place after them.
    fileprivate func changes(
        after token: HistoryToken? = nil, where filter: TransactionFilter
    ) async throws -> (list: [ChangeOutput], end: HistoryToken) {
        try await read { tx in
            var changes: [ChangeOutput] = []
            try tx.forEachTransaction(after: token, where: filter) { changes.append(ChangeOutput($0)) }
            return (changes, try tx.historyToken())
        }
    }
}

/// A consumer of the store's history in the command's output.
private struct ConsumerOutput: Encodable {
    let name: String
    let sequence: Int64
    /// The number of changes that it has yet to read; nil if they lie in a history that has ended.
    @OrNull var behind: Int64?

    init(_ consumer: HistoryConsumer, head: HistoryToken) {
        name = consumer.name
        sequence = consumer.token.sequence
        behind = consumer.token.era == head.era ? head.sequence - consumer.token.sequence : nil
    }

    var line: String {
        let rest =
            behind.map { "\(Terminal.count(Int($0), "change", "changes")) behind" } ?? "must begin again"
        return "\(name)  up to \(sequence), \(rest)"
    }
}

/// A store in the command's output.
private struct StoreOutput: Encodable {
    let backend: String
    let location: String
    let version: String
    let storeID: String
    let generation: Int64
    let role: String
    let schemaVersion: String
    let fingerprint: String
    let rows: [String: Int]
    /// What is known of its places.
    let places: PlaceNotes

    init(_ info: StoreInfo, _ marker: StoreMarker, _ rows: [String: Int], _ places: PlaceNotes) {
        self.places = places
        backend = info.backend
        location = info.location
        version = info.version
        storeID = marker.storeID.uuidString.lowercased()
        generation = marker.generation
        role = marker.role.rawValue
        schemaVersion = marker.schema.version.description
        fingerprint = marker.schema.fingerprint
        self.rows = rows
    }

    var lines: [String] {
        [
            "backend      \(backend) \(version)", "location     \(location)", "store id     \(storeID)",
            "generation   \(generation), \(role)", "schema       \(schemaVersion) \(fingerprint)",
        ] + places.lines + rows.sorted { $0.key < $1.key }.map { "rows         \($0.key): \($0.value)" }
    }
}
