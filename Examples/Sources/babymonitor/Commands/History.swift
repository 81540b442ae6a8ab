import ArgumentParser
import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardCommands

/// `history`: feeds, diaper changes and custom events, newest first.
struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Shows feeds, diaper changes and custom events, newest first.",
        discussion:
            "A day begins at 07:00, or at the time set in the app, because a night with a baby does not end at midnight."
    )

    @Option(help: "Only this baby: its name, the beginning of its name, or its id.") var baby: String?
    @Option(
        help: ArgumentHelp("Only from this time or day on: \(TimeText.forms).", valueName: "time"),
        transform: TimeText.init)
    var since: TimeText?
    @Option(
        help: ArgumentHelp("Only before this time or day: \(TimeText.forms).", valueName: "time"),
        transform: TimeText.init)
    var until: TimeText?
    @Option(help: ArgumentHelp("Only entries with this text or #hashtag.", valueName: "text")) var search:
        String?
    @Option(parsing: .unconditional, help: ArgumentHelp("At most this many entries.", valueName: "count"))
    var limit: Int?
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit cannot be negative.") }
    }

    func run() async throws {
        try await Session.run(options.call, for: .reading) { session in
            let filter = HistoryFilter(
                baby: try await baby.asyncMap { try await session.baby($0, by: .beginning).id },
                since: try since?.start(session), until: try until?.start(session),
                search: search)
            let names = Dictionary(
                try await session.dashboard.babies().map { ($0.id, $0.name) },
                uniquingKeysWith: { first, _ in first })
            let history = HistoryService(store: session.store)
            var left = limit ?? .max
            var cursor: HistoryCursor?
            var entries: [HistoryOutput] = []
            while left > 0 {
                let page = try await history.page(filter, after: cursor, limit: min(left, 500))
                let loggers = try await history.loggers(of: page.entries)
                let shown = page.entries.map {
                    HistoryOutput($0, names: names, loggedBy: loggers[$0.id])
                }
                if options.json { entries += shown } else { Terminal.print(lines: shown.map(\.line)) }
                left -= shown.count
                guard let next = page.next else { break }
                cursor = next
            }
            if options.json { try Terminal.print(json: entries) }
        }
    }
}

extension Optional {
    /// Like `map`, with an asynchronous transform.
    func asyncMap<Result>(_ transform: (Wrapped) async throws -> Result) async rethrows -> Result? {
        guard let self else { return nil }
        return try await transform(self)
    }
}

/// An entry of the history in the command's output; members that belong to other kinds are null.
struct HistoryOutput: Encodable {
    let id: String
    let kind: String
    let time: Date
    @OrNull var babyID: String?
    @OrNull var baby: String?
    /// The entry in words.
    let what: String
    @OrNull var memo: String?
    let hashtags: [String]
    /// The member of the household.
    @OrNull var loggedBy: String?

    // Only for a feed.
    @OrNull var end: Date?
    @OrNull var amount: Double?
    @OrNull var amountUnit: String?
    @OrNull var feedType: String?
    // Only for a diaper change.
    @OrNull var diaperType: String?
    // Only for a custom event.
    @OrNull var eventName: String?
    @OrNull var eventEmoji: String?

    init(_ entry: HistoryEntry, names: [BabyProfile.ID: String], loggedBy: String?) {
        id = entry.id.uuidString.lowercased()
        kind = entry.kind.rawValue
        time = entry.timestamp
        hashtags = entry.hashtags
        what =
            switch entry {
            case .feed(let feed): Self.feed(feed)
            case .diaper(let change): "diaper \(change.type.rawValue)"
            case .event(let event): "\(event.eventTypeEmoji) \(event.eventTypeName)"
            }
        babyID = entry.profile?.description
        baby = entry.profile.flatMap { names[$0] }
        memo = entry.memoText
        self.loggedBy = loggedBy
        switch entry {
        case .feed(let feed):
            end = feed.endTime
            amount = feed.amount?.value
            amountUnit = feed.amount?.unit.symbol
            feedType = feed.feedType?.rawValue
        case .diaper(let change): diaperType = change.type.rawValue
        case .event(let event): (eventName, eventEmoji) = (event.eventTypeName, event.eventTypeEmoji)
        }
    }

    var line: String {
        ["\(TimeText.short(time))", baby ?? "(no baby)", what, memo, loggedBy.map { "by \($0)" }].compactMap(
            \.self
        ).joined(
            separator: "  ")
    }

    private static func feed(_ feed: FeedSession) -> String {
        let amount = feed.amount.map { " \(AmountText.text($0))" } ?? ""
        let type = feed.feedType.map { " \($0.rawValue)" } ?? ""
        return "feed\(amount)\(type)\(feed.isInProgress ? " (in progress)" : "")"
    }
}
