internal import Switchyard
internal import SwitchyardCore

/// A time in microseconds since 1970, as stores keep it.
///
/// `Date` is a double, which cannot distinguish microseconds before about 1716 and after about 2286, so an export
/// through it would change times.
struct Microseconds: AttributeValue, Hashable {
    let value: Int64

    static var attributeType: AttributeType { .timestamp }

    init(_ value: Int64) { self.value = value }

    init(from row: inout RowReader) throws {
        let cell = try row.next()
        guard cell.kind == .integer, Timestamp.range.contains(cell.word) else {
            throw row.mismatch(expected: "a time in the years 1 to 9999", found: cell)
        }
        value = cell.word
    }

    func write(into row: inout RowWriter) throws { row.write(integer: value) }

    func storedValue() -> StoredValue { .timestamp(value) }

    init?(_ value: StoredValue) {
        guard case .timestamp(let microseconds) = value else { return nil }
        self.value = microseconds
    }
}

/// A row of the app's own files as the store holds it, with its time to the microsecond.
///
/// It maps to the same entity as the model it stands for.
protocol HistoryRecord: Model {
    /// The kind of file.
    static var kind: HistoryCSVKind { get }
    /// The attribute that says when it happened.
    static var timeAttribute: String { get }
    /// When it happened.
    var time: Microseconds { get }
    /// The baby; nil if it has been removed.
    var profile: BabyProfile.ID? { get }
    /// What distinguishes it besides baby and time; 0 if nothing does.
    var typeCode: UInt8 { get }
    /// Whether it could gain an amount.
    var lacksAmount: Bool { get }
}

/// A feed.
struct FeedRecord: HistoryRecord {
    typealias ModelVersion = BabyMonitorSchema

    // Without a default value, which would make an id for each row that is read.
    var id: Identifier<FeedRecord>
    var startTime: Microseconds
    var endTime: Microseconds?
    var amountValue: Double?
    var amountUnitSymbol: String?
    var feedType: FeedType?
    var memoText: String?
    var profile: BabyProfile.ID?

    static var kind: HistoryCSVKind { .feeds }
    static var timeAttribute: String { FeedSession.timeAttribute }
    var time: Microseconds { startTime }
    var typeCode: UInt8 { 0 }
    var lacksAmount: Bool { amountValue == nil }
}

extension FeedRecord {
    static var entityName: String { FeedSession.entityName }
    static var entity: Result<Entity, StoreError> { FeedSession.entity }
    static func attributeName(of keyPath: PartialKeyPath<Self>) -> String? { nil }

    init(from row: inout RowReader) throws {
        id = try row.read()
        startTime = try row.read()
        endTime = try row.read()
        amountValue = try row.read()
        amountUnitSymbol = try row.read()
        feedType = try row.read()
        memoText = try row.read()
        profile = try row.read()
    }

    func encode(into row: inout RowWriter) throws {
        try row.write(id)
        try row.write(startTime)
        try row.write(endTime)
        try row.write(amountValue)
        try row.write(amountUnitSymbol)
        try row.write(feedType)
        try row.write(memoText)
        try row.write(profile)
    }
}

/// A diaper change.
struct DiaperRecord: HistoryRecord {
    typealias ModelVersion = BabyMonitorSchema

    var id: Identifier<DiaperRecord>
    var timestamp: Microseconds
    var type: DiaperType
    var memoText: String?
    var profile: BabyProfile.ID?

    static var kind: HistoryCSVKind { .diapers }
    static var timeAttribute: String { DiaperChange.timeAttribute }
    var time: Microseconds { timestamp }
    var typeCode: UInt8 { type.code }
    var lacksAmount: Bool { false }
}

extension DiaperRecord {
    static var entityName: String { DiaperChange.entityName }
    static var entity: Result<Entity, StoreError> { DiaperChange.entity }
    static func attributeName(of keyPath: PartialKeyPath<Self>) -> String? { nil }

    init(from row: inout RowReader) throws {
        id = try row.read()
        timestamp = try row.read()
        type = try row.read()
        memoText = try row.read()
        profile = try row.read()
    }

    func encode(into row: inout RowWriter) throws {
        try row.write(id)
        try row.write(timestamp)
        try row.write(type)
        try row.write(memoText)
        try row.write(profile)
    }
}

extension DiaperType {
    var code: UInt8 { self == .pee ? 0 : 1 }
}
