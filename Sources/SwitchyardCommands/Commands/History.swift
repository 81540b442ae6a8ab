package import ArgumentParser
internal import Foundation
internal import SwitchyardCore

extension StoreCommand {
    /// `store history show|consumers|prune`.
    package struct Changes: AsyncParsableCommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "history",
                abstract: "Shows the store's changes and their authors, oldest first.",
                subcommands: [Show.self, Consumers.self, Prune.self], defaultSubcommand: Show.self)
        }

        typealias Session = StoreSession<App>

        package init() {}
    }
}

extension StoreCommand.Changes {
    package struct Prune: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "prune",
                abstract: "Deletes the oldest changes of the history; the rows are untouched.",
                discussion: """
                    Without --keep and --since, the store's own retention decides\(Self.ofNewStores). The last change is kept in \
                    any case. Deleted changes can no longer be undone.
                    """)
        }

        @OptionGroup package var place: App.Place
        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("Keep this many of the newest changes.", valueName: "count"))
        var keep: Int?
        @Option(
            help: ArgumentHelp(
                "Keep the changes since this time or day: \(TimeText.forms).", valueName: "time"),
            transform: TimeText.init)
        var since: TimeText?
        @Flag(
            help:
                "Also delete changes that a consumer of the history has yet to read; the consumer must then start again."
        )
        var leaveConsumersBehind = false
        @OptionGroup package var options: App.Options

        package init() {}

        /// What becomes of the history of a store that the command makes, as the end of a sentence.
        private static var ofNewStores: String {
            let seconds = App.historyRetention.seconds
            return seconds.map {
                ": a store that this command has made keeps the changes of \($0 / 86_400) days"
            }
                ?? ""
        }

        package func validate() throws {
            if let keep, keep < 0 { throw ValidationError("--keep cannot be negative.") }
        }

        package func run() async throws {
            try await Session.run(call, for: .changing) { session in
                let count = try await session.store.pruneHistory(
                    keepingLast: keep, since: try since?.start(session),
                    leavingConsumersBehind: leaveConsumersBehind)
                if call.json { return try Terminal.print(json: ["deleted": count]) }
                Terminal.print(count == 1 ? "Deleted 1 change." : "Deleted \(count) changes.")
            }
        }
    }

    package struct Consumers: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "consumers",
                abstract: "Shows the consumers of the history, and the last change that each has read.",
                discussion: "Prune keeps the changes that a consumer has yet to read.")
        }

        @OptionGroup package var place: App.Place
        @OptionGroup package var options: App.Options

        package init() {}

        package func run() async throws {
            try await Session.run(call, for: .inspecting) { session in
                let consumers = try await session.store.read { tx in
                    try tx.historyConsumers().map { ConsumerOutput($0, head: try tx.historyToken()) }
                }
                if call.json { return try Terminal.print(json: consumers) }
                Terminal.print(lines: consumers.map(\.line))
            }
        }
    }

    package struct Show: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "show", abstract: "Shows the store's changes and their authors, oldest first.")
        }

        @OptionGroup package var place: App.Place
        @Option(
            help: ArgumentHelp(
                "Only from this time or day on, by the clocks of the devices: \(TimeText.forms); or only what comes after "
                    + "the change that --json shows with this token.", valueName: "time or token"),
            transform: HistoryPlace.init)
        var since: HistoryPlace?
        @Option(help: ArgumentHelp("Only changes of this entity.", valueName: "name")) var entity: String?
        @Option(help: ArgumentHelp("Only changes by this author.", valueName: "name")) var author: String?
        @Flag(help: "Also show later changes, until interrupted; with --json, one change per line.")
        var follow = false
        @OptionGroup package var options: App.Options

        package init() {}

        package func run() async throws {
            guard follow else {
                return try await Session.run(call, for: .inspecting) { session in
                    let changes = try await session.store.changes(
                        after: since?.token, where: try filter(session)
                    ).list
                    if call.json { return try Terminal.print(json: changes) }
                    Terminal.print(lines: changes.map(\.line))
                }
            }
            try await Interruption.cancelling {
                try await Session.run(call, for: .inspecting) { try await follow($0) }
            }
        }

        private func filter(_ session: Session) throws -> TransactionFilter {
            if let entity { _ = try session.store.schema.require(entity) }
            return TransactionFilter(
                entities: entity.map { [$0] }, authors: author.map { [$0] },
                since: try since?.time(session))
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
                if call.json {
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
                let rest = try await Session.place(call.selecting(place)).withStore(opening) {
                    try await $0.changes(after: token, where: filter)
                }
                try show(rest.list)
            } catch let error as StoreError where error.code != .cancelled {
                note += " What was changed last before the switch cannot be shown."
            }
            Session.note(note)
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
