internal import Foundation
internal import Switchyard
internal import SwitchyardCSV

/// One row of a legacy file, parsed and validated.
protocol LegacyRow {
    /// The record it becomes.
    associatedtype Record: HistoryRecord
    /// Caches the values of columns with few different texts.
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
    func record(of baby: BabyProfile.ID?) -> Record
}

/// State that a row parser keeps between rows.
protocol LegacyRowMemory {
    init()
}

/// An amount and the symbol of its unit, as written in a file.
struct LegacyAmount: Hashable {
    let value: Double
    let symbol: String?
}

/// A row of a feeds file.
struct LegacyFeedRow: LegacyRow {
    struct Memory: LegacyRowMemory {
        var symbols = RecentValues<String?>()
        var types = RecentValues<FeedType>()
    }

    var entry = 0
    let microseconds: Int64
    var amount: LegacyAmount?
    /// The unit of a row without an amount, kept in case a later row has an amount without a unit.
    private let loneSymbol: String?
    private let feedType: FeedType

    static var inserted: WritableKeyPath<ImportReport, Int> { \.insertedFeeds }
    static var skipped: WritableKeyPath<ImportReport, Int> { \.skippedFeeds }
    var type: UInt8 { 0 }

    init(_ row: CSVRow, _ columns: LegacyColumns, memory: inout Memory) throws(InvalidCell) {
        microseconds = try row.legacyTime(at: columns[1])
        let symbol = try memory.symbols.value(of: row.trimmedBytes(at: columns[3]), or: Self.symbol)
        feedType = try memory.types.value(of: row.trimmedBytes(at: columns[4]), or: Self.feedType)
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

    func record(of baby: BabyProfile.ID?) -> FeedRecord {
        let start = Microseconds(microseconds)
        return FeedRecord(
            id: Identifier(), startTime: start, endTime: start, amountValue: amount?.value,
            amountUnitSymbol: amount?.symbol ?? loneSymbol, feedType: feedType, profile: baby)
    }

    /// The symbol of a known unit name; any other name is kept, and later read as millilitres.
    private static func symbol(_ text: String) -> String? {
        text.isEmpty ? nil : VolumeUnit(named: text)?.symbol ?? text
    }

    private static func feedType(_ text: String) -> FeedType {
        FeedType.allCases.first { $0.rawValue.lowercased() == text.lowercased() } ?? .babyFormula
    }
}

/// A row of a diapers file.
struct LegacyDiaperRow: LegacyRow {
    struct Memory: LegacyRowMemory {
        var types = RecentValues<DiaperType>()
    }

    var entry = 0
    let microseconds: Int64
    private let diaperType: DiaperType

    static var inserted: WritableKeyPath<ImportReport, Int> { \.insertedDiapers }
    static var skipped: WritableKeyPath<ImportReport, Int> { \.skippedDiapers }
    var type: UInt8 { diaperType.code }
    var amount: LegacyAmount? {
        get { nil }
        set {}
    }

    init(_ row: CSVRow, _ columns: LegacyColumns, memory: inout Memory) throws(InvalidCell) {
        microseconds = try row.legacyTime(at: columns[1])
        diaperType = try memory.types.value(of: row.trimmedBytes(at: columns[2])) {
            (text) throws(InvalidCell) in
            guard let type = DiaperType.allCases.first(where: { $0.rawValue == text.lowercased() }) else {
                throw InvalidCell("diaperType", text)
            }
            return type
        }
    }

    func record(of baby: BabyProfile.ID?) -> DiaperRecord {
        DiaperRecord(id: Identifier(), timestamp: Microseconds(microseconds), type: diaperType, profile: baby)
    }
}

extension CSVRow {
    /// The time in a column.
    fileprivate func legacyTime(at index: Int) throws(InvalidCell) -> Int64 {
        let text = trimmedBytes(at: index)
        guard let microseconds = ISO8601.microseconds(text) else { throw InvalidCell("timestamp", text) }
        return microseconds
    }
}
