public import Foundation
public import SwitchyardCore

/// The entries of one day of the history.
public struct HistoryDayGroup: Sendable, Hashable {
    /// The day.
    public let day: CalendarDay
    /// Its first moment.
    public let start: Date
    /// Its entries, newest first.
    public private(set) var entries: [HistoryEntry]

    /// How many feeds began on the day.
    public var feedCount: Int { entries.count { $0.kind == .feed } }

    /// How many diapers of a type were changed on the day.
    public func diaperCount(_ type: DiaperType) -> Int {
        entries.count { if case .diaper(let change) = $0 { change.type == type } else { false } }
    }

    /// How much was fed on the day, in a unit.
    public func totalAmount(in unit: VolumeUnit) -> Double {
        entries.reduce(0) { sum, entry in
            guard case .feed(let feed) = entry, let amount = feed.amount else { return sum }
            return sum + amount.converted(to: unit.unit).value
        }
    }
}

extension HistoryDay {
    /// Groups entries by the day to which they belong.
    ///
    /// - Parameter entries: Newest first, as `HistoryService` returns them.
    /// - Returns: The days with entries, newest first. If a page ends within a day, the last group is only part of
    ///   that day.
    public func groups(of entries: some Sequence<HistoryEntry>) -> [HistoryDayGroup] {
        var groups: [HistoryDayGroup] = []
        for entry in entries {
            if let last = groups.last, entry.timestamp >= last.start {
                groups[groups.count - 1].append(entry)
            } else if let day = day(containing: entry.timestamp) {
                groups.append(HistoryDayGroup(day: day, start: start(of: day), entries: [entry]))
            }
        }
        return groups
    }
}

extension HistoryDayGroup {
    fileprivate mutating func append(_ entry: HistoryEntry) { entries.append(entry) }
}
