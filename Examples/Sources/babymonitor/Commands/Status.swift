import ArgumentParser
import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardCommands

/// `status`: how each baby is doing.
struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows how each baby is doing now.")

    @Flag(
        help:
            "Show the status again after each change, until interrupted; with --json, each time on one line.")
    var watch = false
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        guard watch else {
            return try await Session.run(options.call, for: .reading) { session in
                try show(try await session.dashboard.statuses())
            }
        }
        try await Interruption.cancelling {
            try await Session.run(options.call, for: .reading) { session in
                // Another device's feed arrives while it is watched.
                try await session.mirroring { _ in
                    for try await statuses in session.dashboard.liveStatuses() {
                        try show(statuses)
                        try Terminal.flush()
                    }
                }
                try Task.checkCancellation()
            }
        }
    }

    private func show(_ statuses: [BabyStatus]) throws {
        let statuses = statuses.map { StatusOutput($0) }
        if options.json { return try Terminal.print(json: statuses, onOneLine: watch) }
        if statuses.isEmpty {
            Terminal.print("There are no babies yet; add one with: babymonitor baby add NAME")
        }
        Terminal.print(lines: statuses.map(\.line))
    }
}

/// A baby's status in the command's output.
struct StatusOutput: Encodable {
    let id: String
    let name: String
    let feedTermMinutes: Double
    let isFeeding: Bool
    @OrNull var feedingSince: Date?
    @OrNull var lastFeedStart: Date?
    @OrNull var lastFeedEnd: Date?
    @OrNull var lastFeedAmount: Double?
    @OrNull var lastFeedAmountUnit: String?
    @OrNull var lastFeedType: String?
    @OrNull var lastDiaperChange: Date?
    let needsFeed: Bool
    let needsDiaperChange: Bool
    let line: String

    private enum CodingKeys: CodingKey {
        case id, name, feedTermMinutes, isFeeding, feedingSince, lastFeedStart, lastFeedEnd, lastFeedAmount
        case lastFeedAmountUnit, lastFeedType, lastDiaperChange, needsFeed, needsDiaperChange
    }

    init(_ status: BabyStatus) {
        id = status.baby.id.description
        name = status.baby.name
        feedTermMinutes = status.baby.feedTerm / 60
        isFeeding = status.isFeeding
        needsFeed = status.needsFeed
        needsDiaperChange = status.needsDiaperChange
        line = Self.line(status)
        feedingSince = status.inProgressFeedSession?.startTime
        let lastFeed = status.lastFeedSession
        lastFeedStart = lastFeed?.startTime
        lastFeedEnd = lastFeed?.endTime
        lastFeedAmount = lastFeed?.amount?.value
        lastFeedAmountUnit = lastFeed?.amount?.unit.symbol
        lastFeedType = lastFeed?.feedType?.rawValue
        lastDiaperChange = status.lastDiaperChange?.timestamp
    }

    /// A short form of a time span.
    private static func span(_ seconds: TimeInterval) -> String {
        let minutes = Int((max(0, seconds) / 60).rounded(.down))
        if minutes < 60 { return "\(minutes) min" }
        if minutes < 48 * 60 { return "\(minutes / 60) h \(minutes % 60) min" }
        return "\(minutes / (24 * 60)) days"
    }

    private static func line(_ status: BabyStatus) -> String {
        func ago(_ date: Date) -> String { Self.span(status.time.timeIntervalSince(date)) + " ago" }
        var parts: [String] = []
        if let feed = status.inProgressFeedSession {
            parts.append("feeding for \(Self.span(status.time.timeIntervalSince(feed.startTime)))")
        } else if let feed = status.lastFeedSession {
            let amount = feed.amount.map { " (\(AmountText.text($0)))" } ?? ""
            parts.append("fed \(ago(feed.startTime))\(amount)\(status.needsFeed ? ", feed due" : "")")
        } else {
            parts.append("never fed")
        }
        if let change = status.lastDiaperChange {
            parts.append("diaper \(ago(change.timestamp))\(status.needsDiaperChange ? ", change due" : "")")
        } else {
            parts.append("no diaper change")
        }
        return "\(status.baby.name): \(parts.joined(separator: "; "))"
    }
}

/// Formats amounts for people.
enum AmountText {
    static func text(_ amount: Measurement<UnitVolume>) -> String {
        "\(amount.value.formatted(.number.grouping(.never).locale(Locale(identifier: "en_US_POSIX")))) \(amount.unit.symbol)"
    }
}
