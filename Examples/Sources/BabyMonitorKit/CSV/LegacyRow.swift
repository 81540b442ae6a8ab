internal import Foundation
internal import Switchyard
internal import SwitchyardCSV
internal import SwitchyardCore

/// One row of a legacy file, parsed and validated.
protocol LegacyRow {
    /// The record it becomes.
    associatedtype Record: HistoryRecord
    /// What the rows of a file share: options, and cached values of columns with few different texts.
    associatedtype Memory: LegacyRowMemory

    /// The report's count of new rows.
    static var inserted: WritableKeyPath<ImportReport, Int> { get }
    /// The report's count of skipped rows.
    static var skipped: WritableKeyPath<ImportReport, Int> { get }

    /// Reads the cells after the name.
    init(_ row: CSVRow, _ columns: LegacyColumns, memory: inout Memory) throws(InvalidCell)

    /// The index of the name's entry in the directory.
    var entry: Int { get set }
    /// The time, in microseconds since 1970.
    var microseconds: Int64 { get }
    /// As `HistoryRecord.typeCode`.
    var type: UInt8 { get }
    /// The amount in the file.
    var amount: LegacyAmount? { get set }
    /// The row as a new event.
    func record(_ id: UUID, of baby: BabyProfile.ID?) -> Record
    /// The columns with an unknown word.
    var unknownWords: UnknownWords { get }
}

/// The columns of a row whose word is unknown.
struct UnknownWords: OptionSet {
    let rawValue: UInt8

    static let unit = UnknownWords(rawValue: 1)
    static let feedType = UnknownWords(rawValue: 2)
}

/// State that a row parser keeps between rows.
protocol LegacyRowMemory {
    init(_ options: ImportOptions)
}

/// An amount and the symbol of its unit, as written in a file.
struct LegacyAmount: Hashable {
    let value: Double
    let symbol: String?
}

/// A row of a feeds file.
struct LegacyFeedRow: LegacyRow {
    struct Memory: LegacyRowMemory {
        let clock: FileClock
        let acceptsUnknownWords: Bool
        var symbols = RecentValues<(symbol: String?, isUnknown: Bool)>()
        var types = RecentValues<(type: FeedType, isUnknown: Bool)>()

        init(_ options: ImportOptions) {
            (clock, acceptsUnknownWords) = (options.clock, options.acceptsUnknownWords)
        }
    }

    var entry = 0
    let microseconds: Int64
    let unknownWords: UnknownWords
    var amount: LegacyAmount?
    /// The unit of a row without an amount, kept in case a later row has an amount without a unit.
    private let loneSymbol: String?
    private let feedType: FeedType

    static var inserted: WritableKeyPath<ImportReport, Int> { \.insertedFeeds }
    static var skipped: WritableKeyPath<ImportReport, Int> { \.skippedFeeds }
    var type: UInt8 { 0 }

    init(_ row: CSVRow, _ columns: LegacyColumns, memory: inout Memory) throws(InvalidCell) {
        microseconds = try row.legacyTime(at: columns[1], by: memory.clock)
        let accepts = memory.acceptsUnknownWords
        let (symbol, isUnknownUnit) = try memory.symbols.value(of: row.trimmedBytes(at: columns[3])) {
            (text) throws(InvalidCell) in try Self.symbol(text, acceptsUnknown: accepts)
        }
        let (type, isUnknownType) = try memory.types.value(of: row.trimmedBytes(at: columns[4])) {
            (text) throws(InvalidCell) in try Self.feedType(text, acceptsUnknown: accepts)
        }
        feedType = type
        unknownWords = UnknownWords(
            [isUnknownUnit ? .unit : [], isUnknownType ? .feedType : []] as [UnknownWords])
        let number = row.trimmedBytes(at: columns[2])
        if number.isEmpty {
            amount = nil
            loneSymbol = symbol
        } else {
            guard let value = NumberText.double(number), value.isFinite else {
                throw InvalidCell("amountValue", number)
            }
            amount = LegacyAmount(value: value, symbol: symbol)
            loneSymbol = nil
        }
    }

    func record(_ id: UUID, of baby: BabyProfile.ID?) -> FeedRecord {
        let start = Microseconds(microseconds)
        return FeedRecord(
            id: Identifier(id), startTime: start, endTime: start, amountValue: amount?.value,
            amountUnitSymbol: amount?.symbol ?? loneSymbol, feedType: feedType, profile: baby)
    }

    /// The symbol of a known unit name; any other name that is accepted is kept, and later read as millilitres.
    private static func symbol(
        _ text: String, acceptsUnknown: Bool
    ) throws(InvalidCell) -> (String?, isUnknown: Bool) {
        if text.isEmpty { return (nil, false) }
        if let unit = VolumeUnit(named: text) { return (unit.symbol, false) }
        guard acceptsUnknown else { throw InvalidCell("amountUnit", text, advice: [.units]) }
        return (text, true)
    }

    private static func feedType(
        _ text: String, acceptsUnknown: Bool
    ) throws(InvalidCell) -> (FeedType, isUnknown: Bool) {
        if text.isEmpty { return (.babyFormula, false) }
        let known = FeedType.allCases.first { $0.rawValue.lowercased() == text.lowercased() }
        if let known { return (known, false) }
        guard acceptsUnknown else { throw InvalidCell("feedType", text, advice: [.feedTypes]) }
        return (.babyFormula, true)
    }
}

/// A row of a diapers file.
struct LegacyDiaperRow: LegacyRow {
    struct Memory: LegacyRowMemory {
        let clock: FileClock
        var types = RecentValues<DiaperType>()

        init(_ options: ImportOptions) { clock = options.clock }
    }

    var entry = 0
    let microseconds: Int64
    private let diaperType: DiaperType

    static var inserted: WritableKeyPath<ImportReport, Int> { \.insertedDiapers }
    static var skipped: WritableKeyPath<ImportReport, Int> { \.skippedDiapers }
    var type: UInt8 { diaperType.code }
    var unknownWords: UnknownWords { [] }
    var amount: LegacyAmount? {
        get { nil }
        set {}
    }

    init(_ row: CSVRow, _ columns: LegacyColumns, memory: inout Memory) throws(InvalidCell) {
        microseconds = try row.legacyTime(at: columns[1], by: memory.clock)
        diaperType = try memory.types.value(of: row.trimmedBytes(at: columns[2])) {
            (text) throws(InvalidCell) in
            guard let type = DiaperType.allCases.first(where: { $0.rawValue == text.lowercased() }) else {
                throw InvalidCell("diaperType", text)
            }
            return type
        }
    }

    func record(_ id: UUID, of baby: BabyProfile.ID?) -> DiaperRecord {
        DiaperRecord(
            id: Identifier(id), timestamp: Microseconds(microseconds), type: diaperType, profile: baby)
    }
}

/// The clocks that show a file's times without a zone.
struct FileClock {
    /// Their zone; nil if none was given for the file.
    let timeZone: TimeZone?
    /// The moment to take for a time that they show twice.
    let repeatedTime: RepeatedTime
}

extension CSVRow {
    /// The time in a column; one without a zone is read from the clock.
    fileprivate func legacyTime(at index: Int, by clock: FileClock) throws(InvalidCell) -> Int64 {
        let text = trimmedBytes(at: index)
        if let microseconds = ISO8601.microseconds(text) { return microseconds }
        let microseconds: Int64?
        do {
            // Greenwich's clocks neither repeat nor skip a time.
            microseconds = try ISO8601.microseconds(
                text, in: clock.timeZone ?? .gmt, repeated: clock.repeatedTime)
        } catch {
            switch error {
            case .repeated:
                throw InvalidCell("timestamp", text, "clocks showed it twice", advice: [.repeatedTime])
            case .skipped: throw InvalidCell("timestamp", text, "clocks skipped it")
            }
        }
        guard let microseconds else { throw InvalidCell("timestamp", text, advice: [.timestamps]) }
        guard clock.timeZone != nil else {
            throw InvalidCell("timestamp", text, "without a zone", advice: [.timestamps, .timeZone])
        }
        return microseconds
    }
}

extension ImportOptions {
    /// The clock of times without a zone.
    fileprivate var clock: FileClock { FileClock(timeZone: timeZone, repeatedTime: repeatedTime) }
}
