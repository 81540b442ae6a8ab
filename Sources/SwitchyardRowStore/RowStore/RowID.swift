internal import Foundation

/// The id of a row as two integers, which compare in the order of its 16 bytes, but faster.
struct RowID: Hashable, Comparable, Sendable {
    private let high: UInt64
    private let low: UInt64

    init(_ uuid: UUID) {
        (high, low) = withUnsafeBytes(of: uuid.uuid) { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    private init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    static let least = RowID(high: 0, low: 0)
    static let greatest = RowID(high: .max, low: .max)

    /// The id in a stored value; nil if the value is neither a UUID nor a number, by which only the history's rows go.
    init?(_ value: StoredValue) {
        switch value {
        case .uuid(let uuid): self.init(uuid)
        case .int(let number): self.init(high: UInt64(bitPattern: number) ^ 1 << 63, low: 0)
        default: return nil
        }
    }

    /// The id in 16 bytes, which sort as the ids do.
    ///
    /// - Throws: `corrupted` unless there are 16.
    init(bytes: some Collection<UInt8>) throws {
        guard bytes.count == 16 else { throw StoreError.damagedBytes("an id") }
        func word(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(high: word(bytes.prefix(8)), low: word(bytes.dropFirst(8)))
    }

    /// The 16 bytes of the id.
    var bytes: [UInt8] { withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) } }

    /// The id as a UUID.
    var uuid: UUID { UUID(high: high, low: low) }

    /// The id that follows; nil for the greatest.
    var next: RowID? {
        let (next, isOver) = low.addingReportingOverflow(1)
        guard isOver else { return RowID(high: high, low: next) }
        return high == .max ? nil : RowID(high: high + 1, low: 0)
    }

    static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.high != rhs.high ? lhs.high < rhs.high : lhs.low < rhs.low
    }
}

extension ClosedRange<RowID> {
    static var all: Self { .least ... .greatest }
}

extension EntityRules {
    /// The id of a row.
    ///
    /// - Throws: `corrupted` if it has none.
    func rowID(of row: [StoredValue]) throws -> RowID {
        guard let id = row.first.flatMap({ RowID($0) }) else {
            throw StoreError(.corrupted, "A row has no id.", entity: entity.name, attribute: "id")
        }
        return id
    }
}
