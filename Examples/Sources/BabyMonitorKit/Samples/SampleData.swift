public import Foundation
internal import Switchyard
public import SwitchyardCore

/// Made-up babies with years of feeds, diaper changes and events, for previews, tests and experiments.
///
/// The same seed, size and end give the same rows, including ids, on every platform, so that stores filled the same
/// way are equal. Rows are generated lazily, one by one: any size takes the same memory.
public struct SampleData: Sendable {
    /// How many feeds each baby has on each day.
    public static let feedsPerDay = 6
    /// How many diaper changes each baby has on each day.
    public static let diapersPerDay = 10

    /// The babies.
    public let babies: [BabyProfile]
    /// The types of custom events.
    public let eventTypes: [CustomEventType]
    private let seed: UInt64
    private let days: Int
    /// The end of the last day, in milliseconds since 1970.
    private let end: Int64

    /// Creates sample data.
    ///
    /// - Parameters:
    ///   - babies: The number of babies, 1 to 1,000.
    ///   - days: The number of days of 24 hours with logs, 0 to 500,000.
    ///   - end: The end of the last day. Nothing is later, and every feed has ended by then.
    ///   - seed: The random seed; each one gives different data.
    /// - Throws: `BabyMonitorError` with code `invalidArgument` for numbers outside these ranges.
    public init(babies: Int = 2, days: Int, endingAt end: Date, seed: UInt64 = 1) throws {
        guard (1...1000).contains(babies), (0...500_000).contains(days) else {
            throw BabyMonitorError(
                .invalidArgument,
                "Sample data has 1 to 1,000 babies and 0 to 500,000 days; \(babies) and \(days) were given.")
        }
        guard let microseconds = Timestamp.microseconds(end),
            microseconds / 1000 - Int64(days) * Self.day > Self.earliest
        else {
            throw BabyMonitorError(.invalidArgument, "Sample data would begin before the year 1000.")
        }
        let milliseconds = microseconds / 1_000_000 * 1000
        let start = milliseconds - Int64(days) * Self.day
        self.end = milliseconds
        self.days = days
        self.seed = seed
        self.babies = (0..<babies).map { index in
            BabyProfile(
                id: Self.id(milliseconds: start, seed, 1, UInt64(index)), name: Self.name(index),
                createdAt: Self.date(start), feedTerm: index % 2 == 0 ? FeedTerm.standard : 9_000)
        }
        eventTypes = Self.eventKinds.enumerated().map { index, kind in
            CustomEventType(
                id: Self.id(milliseconds: start, seed, 2, UInt64(index)), name: kind.name, emoji: kind.emoji,
                createdAt: Self.date(start + Int64(index) * 1000))
        }
    }

    /// The feeds, oldest day first.
    public var feeds: some Sequence<FeedSession> { rows(Self.feedsPerDay, feed) }

    /// The diaper changes, oldest day first.
    public var diaperChanges: some Sequence<DiaperChange> { rows(Self.diapersPerDay, diaperChange) }

    /// The custom events, one for each baby and day, oldest day first.
    public var customEvents: some Sequence<CustomEvent> { rows(1, customEvent) }

    /// Inserts everything.
    ///
    /// - Throws: A `StoreError`; with code `unique` if the same sample data has already been inserted.
    public func insert(in transaction: WriteTransaction) throws {
        try transaction.insert(contentsOf: babies)
        try transaction.insert(contentsOf: eventTypes)
        try transaction.insert(contentsOf: feeds)
        try transaction.insert(contentsOf: diaperChanges)
        try transaction.insert(contentsOf: customEvents)
    }

    /// One slot in a baby's day.
    private struct Slot {
        let baby: Int
        let day: Int
        let index: Int
        /// The start of the slot, in milliseconds since 1970.
        let start: Int64
        /// Its length in milliseconds.
        let length: Int64
        var generator: SeededGenerator
    }

    private func rows<Row>(
        _ perDay: Int, _ make: @escaping @Sendable (Slot) -> Row
    ) -> LazyMapSequence<Range<Int>, Row> {
        let babyCount = babies.count
        let length = Self.day / Int64(perDay)
        return (0..<days * perDay * babyCount).lazy.map { number in
            let (place, baby) = number.quotientAndRemainder(dividingBy: babyCount)
            let (day, index) = place.quotientAndRemainder(dividingBy: perDay)
            return make(
                Slot(
                    baby: baby, day: day, index: index,
                    start: end - Int64(days - day) * Self.day + Int64(index) * length, length: length,
                    generator: SeededGenerator(seed, UInt64(perDay), UInt64(number))))
        }
    }

    private func feed(_ slot: Slot) -> FeedSession {
        var generator = slot.generator
        let start = slot.start + Int64(generator.below(Int(slot.length / 2)))
        let length = Int64(10 + generator.below(25)) * 60_000
        let type = Self.feedType(day: slot.day, &generator)
        // Babies drink more as they grow: 60 mL at first, 180 after half a year.
        let amount = min(60 + slot.day * 2 / 3, 160) / 5 * 5 + generator.below(5) * 5
        let isMeasured = type != .breastFeed
        return FeedSession(
            id: Self.id(milliseconds: start, generator.next(), generator.next()), startTime: Self.date(start),
            endTime: Self.date(start + length), amountValue: isMeasured ? Double(amount) : nil,
            amountUnitSymbol: isMeasured ? VolumeUnit.milliliters.symbol : nil, feedType: type,
            memoText: generator.below(20) == 0 ? Self.feedMemos[generator.below(Self.feedMemos.count)] : nil,
            profile: babies[slot.baby].id)
    }

    private func diaperChange(_ slot: Slot) -> DiaperChange {
        var generator = slot.generator
        let time = slot.start + Int64(generator.below(Int(slot.length) * 4 / 5))
        return DiaperChange(
            id: Self.id(milliseconds: time, generator.next(), generator.next()), timestamp: Self.date(time),
            type: generator.below(4) == 0 ? .poo : .pee,
            memoText: generator.below(40) == 0
                ? Self.diaperMemos[generator.below(Self.diaperMemos.count)] : nil,
            profile: babies[slot.baby].id)
    }

    private func customEvent(_ slot: Slot) -> CustomEvent {
        var generator = slot.generator
        let time = slot.start + Int64(generator.below(Int(slot.length) * 4 / 5))
        let type = eventTypes[generator.below(eventTypes.count)]
        return CustomEvent(
            id: Self.id(milliseconds: time, generator.next(), generator.next()), timestamp: Self.date(time),
            eventTypeName: type.name, eventTypeEmoji: type.emoji, profile: babies[slot.baby].id)
    }
}

extension SampleData {
    private static let day: Int64 = 86_400_000
    /// The year 1000, in milliseconds since 1970.
    private static let earliest: Int64 = -30_610_224_000_000
    private static let names = ["Mia", "Noah", "하나", "Léa", "Yuto", "Zoë", "Omar", "두리"]
    private static let eventKinds: [(name: String, emoji: String)] = [
        ("Bath", "🛁"), ("Nap", "😴"), ("Medicine", "💊"), ("Walk", "🚼"),
    ]
    private static let feedMemos = [
        "Spat up a little #spitup", "Fell asleep while feeding #sleepy", "New brand, liked it #formula",
        "Half an hour late #트림", "Refused at first",
    ]
    private static let diaperMemos = [
        "Rash is better #rash", "Leaked #leak", "Used the last one of the pack",
    ]

    private static func name(_ index: Int) -> String {
        index < names.count ? names[index] : "Baby \(index + 1)"
    }

    private static func feedType(day: Int, _ generator: inout SeededGenerator) -> FeedType {
        switch generator.below(10) {
        case 0..<2: .breastFeed
        case 2..<5 where day >= 180: .solid
        default: .babyFormula
        }
    }

    private static func date(_ milliseconds: Int64) -> Date {
        Timestamp.date(microseconds: milliseconds * 1000)
    }

    /// The id of a row created at that time: a UUID of version 7, whose random bits come from a seed.
    private static func id<Element>(milliseconds: Int64, _ numbers: UInt64...) -> Identifier<Element> {
        var generator = SeededGenerator(UInt64(bitPattern: milliseconds))
        var high = generator.next()
        var low = generator.next()
        for number in numbers {
            var mixed = SeededGenerator(high, low, number)
            high = mixed.next()
            low = mixed.next()
        }
        let clock = UInt64(bitPattern: max(0, milliseconds)) << 16
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) { bytes in
            bytes.storeBytes(of: (clock | 0x7000 | high & 0xFFF).bigEndian, as: UInt64.self)
            bytes.storeBytes(
                of: (low >> 2 | 0x8000_0000_0000_0000).bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return Identifier(UUID(uuid: bytes))
    }
}
