internal import Foundation
internal import Switchyard
internal import SwitchyardCSV

/// One row of a legacy file, read and checked.
protocol LegacyRow {
    /// What it becomes.
    associatedtype Element: HistoryModel
    /// What the columns that repeat themselves have meant so far.
    associatedtype Memory: LegacyRowMemory

    /// The kind of file.
    static var kind: HistoryCSVKind { get }
    /// The figure of a report that counts new rows.
    static var inserted: WritableKeyPath<ImportReport, Int> { get }
    /// The figure of a report that counts rows left out.
    static var skipped: WritableKeyPath<ImportReport, Int> { get }
    /// What of an event, besides baby and time, makes it another one; 0 if nothing does.
    static func type(of element: Element) -> UInt8
    /// Whether an event could gain an amount.
    static func lacksAmount(_ element: Element) -> Bool

    /// Reads the cells behind the name.
    init(_ row: CSVRow, memory: inout Memory) throws(InvalidCell)

    /// The index of the name in the directory.
    var entry: Int { get set }
    /// The time, in microseconds since 1970.
    var microseconds: Int64 { get }
    /// As `type(of:)`.
    var type: UInt8 { get }
    /// The amount in the file.
    var amount: LegacyAmount? { get set }
    /// The row as a new event.
    func element(of baby: BabyProfile.ID?) -> Element
}

/// The state of a parser of rows.
protocol LegacyRowMemory {
    init()
}

/// An amount and its unit's symbol, as a file gives them.
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
    /// The unit where there is no amount: it means nothing, and is kept as it is.
    private let loneSymbol: String?
    private let feedType: FeedType

    static var kind: HistoryCSVKind { .feeds }
    static var inserted: WritableKeyPath<ImportReport, Int> { \.insertedFeeds }
    static var skipped: WritableKeyPath<ImportReport, Int> { \.skippedFeeds }
    static func type(of element: FeedSession) -> UInt8 { 0 }
    static func lacksAmount(_ element: FeedSession) -> Bool { element.amountValue == nil }
    var type: UInt8 { 0 }

    init(_ row: CSVRow, memory: inout Memory) throws(InvalidCell) {
        microseconds = try row.legacyTime()
        let symbol = try memory.symbols.value(of: row.trimmedBytes(at: 3), or: Self.symbol)
        feedType = try memory.types.value(of: row.trimmedBytes(at: 4), or: Self.feedType)
        let number = row.trimmedBytes(at: 2)
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

    func element(of baby: BabyProfile.ID?) -> FeedSession {
        let start = Timestamp.date(microseconds: microseconds)
        return FeedSession(
            startTime: start, endTime: start, amountValue: amount?.value,
            amountUnitSymbol: amount?.symbol ?? loneSymbol, feedType: feedType, profile: baby)
    }

    /// A name that is known becomes its symbol; any other stays as it is and is read as millilitres.
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

    static var kind: HistoryCSVKind { .diapers }
    static var inserted: WritableKeyPath<ImportReport, Int> { \.insertedDiapers }
    static var skipped: WritableKeyPath<ImportReport, Int> { \.skippedDiapers }
    static func type(of element: DiaperChange) -> UInt8 { code(element.type) }
    static func lacksAmount(_ element: DiaperChange) -> Bool { false }
    var type: UInt8 { Self.code(diaperType) }
    var amount: LegacyAmount? {
        get { nil }
        set {}
    }

    init(_ row: CSVRow, memory: inout Memory) throws(InvalidCell) {
        microseconds = try row.legacyTime()
        diaperType = try memory.types.value(of: row.trimmedBytes(at: 2)) { (text) throws(InvalidCell) in
            guard let type = DiaperType.allCases.first(where: { $0.rawValue == text.lowercased() }) else {
                throw InvalidCell("diaperType", text)
            }
            return type
        }
    }

    func element(of baby: BabyProfile.ID?) -> DiaperChange {
        DiaperChange(timestamp: Timestamp.date(microseconds: microseconds), type: diaperType, profile: baby)
    }

    private static func code(_ type: DiaperType) -> UInt8 { type == .pee ? 0 : 1 }
}

extension CSVRow {
    /// The time in the second column.
    fileprivate func legacyTime() throws(InvalidCell) -> Int64 {
        let text = trimmedBytes(at: 1)
        guard let microseconds = ISO8601.microseconds(text) else { throw InvalidCell("timestamp", text) }
        return microseconds
    }
}
