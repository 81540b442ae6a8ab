internal import Crypto
package import Foundation

/// A place in the history of a store.
package struct HistoryPosition: Sendable, Hashable {
    /// The number of the last transaction; 0 before the first.
    package let sequence: Int64
    package let digest: HistoryDigest

    /// The place before the first transaction.
    package static let start = HistoryPosition(sequence: 0, digest: .start)

    package init(sequence: Int64, digest: HistoryDigest) {
        self.sequence = sequence
        self.digest = digest
    }

    /// Reads the id and the digest of a transaction.
    package init(from row: inout RowReader) throws {
        sequence = try HistoryRowID(from: &row).sequence
        digest = try HistoryDigest(from: &row)
    }

    /// Reads the values of a transaction's row.
    ///
    /// - Throws: `corrupted`.
    init(_ row: [StoredValue]) throws {
        guard row.count > 2, case .int(let id) = row[0], case .blob(let data) = row[2],
            let digest = HistoryDigest(data)
        else { throw StoreError.damagedHistory() }
        self.init(sequence: HistoryRowID(rawValue: id).sequence, digest: digest)
    }

    /// The place after one more transaction.
    package func next(_ transaction: UUID) -> HistoryPosition {
        HistoryPosition(sequence: sequence + 1, digest: digest.adding(transaction))
    }
}

/// The last transaction of a history, as far as the next one depends on it.
package struct HistoryEndpoint: Sendable, Hashable {
    package let position: HistoryPosition
    /// The transaction's time, in microseconds since 1970; the least number before the first one.
    package let time: Int64

    /// The place before the first transaction.
    package static let start = HistoryEndpoint(position: .start, time: .min)

    private init(position: HistoryPosition, time: Int64) {
        self.position = position
        self.time = time
    }

    /// Reads the id, the digest and the time of a transaction.
    package init(from row: inout RowReader) throws {
        self.init(position: try HistoryPosition(from: &row), time: try row.microseconds())
    }

    /// Reads the values of a transaction's row.
    ///
    /// - Throws: `corrupted`.
    init(_ row: [StoredValue]) throws {
        guard row.count > 3, case .timestamp(let time) = row[3] else { throw StoreError.damagedHistory() }
        self.init(position: try HistoryPosition(row), time: time)
    }

    /// The end after one more transaction, whose time is not before that of this one.
    func next(_ transaction: UUID, at time: Int64) -> HistoryEndpoint {
        HistoryEndpoint(position: position.next(transaction), time: max(time, self.time))
    }
}

/// 16 bytes that depend on all transactions up to a place in the history.
package struct HistoryDigest: Sendable, Hashable {
    private var bytes: SIMD16<UInt8> = .zero

    /// That of the place before the first transaction.
    package static let start = HistoryDigest()

    private init() {}

    /// Nil unless there are 16 bytes.
    package init?(_ data: Data) {
        guard data.count == MemoryLayout.size(ofValue: bytes) else { return nil }
        _ = withUnsafeMutableBytes(of: &bytes) { data.copyBytes(to: $0) }
    }

    /// Reads a digest.
    ///
    /// - Throws: `corrupted`.
    package init(from row: inout RowReader) throws {
        guard let digest = HistoryDigest(try Data(from: &row)) else { throw StoreError.damagedHistory() }
        self = digest
    }

    /// The bytes.
    package var data: Data { withUnsafeBytes(of: bytes) { Data($0) } }

    func write(into row: inout RowWriter) {
        withUnsafeBytes(of: bytes) { row.write(.blob, bytes: $0) }
    }

    /// The digest after one more transaction: the first half of the SHA-256 of this one and the transaction's id.
    func adding(_ transaction: UUID) -> HistoryDigest {
        var hash = SHA256()
        withUnsafeBytes(of: (bytes, transaction.uuid)) { hash.update(bufferPointer: $0) }
        var next = HistoryDigest()
        hash.finalize().withUnsafeBytes { hash in
            withUnsafeMutableBytes(of: &next.bytes) {
                $0.copyMemory(from: .init(rebasing: hash[..<$0.count]))
            }
        }
        return next
    }
}

/// The id of a transaction's row in the history, which sorts by the era, then by the sequence number.
///
/// A history that is begun again so has rows of its own, wherever some of the last one are left.
package struct HistoryRowID: Sendable, Hashable, Comparable {
    /// The number of bits of a sequence number, which leave 15 for the era.
    private static let sequenceBits = 48

    /// The era in the upper bits, the sequence number in the lower ones.
    package let rawValue: Int64

    package init(era: Int64, sequence: Int64) { rawValue = era << Self.sequenceBits | sequence }

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// Reads the id of a transaction.
    package init(from row: inout RowReader) throws { rawValue = try Int64(from: &row) }

    /// The era.
    package var era: Int64 { rawValue >> Self.sequenceBits }
    /// The sequence number.
    package var sequence: Int64 { rawValue & (1 << Self.sequenceBits - 1) }

    /// The id as it is stored.
    package var value: StoredValue { .int(rawValue) }

    /// The id of a block of the transaction's changes, by its number from 1.
    package func block(_ number: Int) -> UUID {
        UUID(high: UInt64(bitPattern: rawValue), low: UInt64(truncatingIfNeeded: number))
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension HistorySettings {
    /// The greatest era and the greatest sequence number, which the id of a row can hold.
    package static let greatest: (era: Int64, sequence: Int64) = (1 << 15 - 2, 1 << 48 - 1)
    /// The sequence numbers that there can be, and 0 for the place before the first.
    package static let sequences = 0...greatest.sequence
}

extension Selection {
    /// The id and the digest of the last transaction of the last history that was begun.
    package static var lastOfAllHistory: Selection {
        Selection(
            entity: .historyTransaction, columns: [.attribute("id"), .attribute("digest")],
            order: [SortKey("id", .descending)], limit: 1)
    }

    /// The id, the digest and the time of the last transaction of the history.
    package static func lastOfHistory(_ era: Int64) -> Selection {
        Selection(
            entity: .historyTransaction,
            columns: [.attribute("id"), .attribute("digest"), .attribute("time")],
            condition: .compare(
                .attribute("id"), .greater, .value(HistoryRowID(era: era, sequence: 0).value)),
            order: [SortKey("id", .descending)], limit: 1)
    }

    /// The id and the digest of the first transaction that has a sequence number or a greater one, and its own id.
    package static func positionInHistory(_ era: Int64, from sequence: Int64) -> Selection {
        let range: [Condition] = [
            .compare(
                .attribute("id"), .greaterOrEqual,
                .value(HistoryRowID(era: era, sequence: sequence).value)),
            .compare(.attribute("id"), .less, .value(HistoryRowID(era: era + 1, sequence: 0).value)),
        ]
        return Selection(
            entity: .historyTransaction,
            columns: [.attribute("id"), .attribute("digest"), .attribute("transaction")],
            condition: .all(range), order: [SortKey("id")], limit: 1)
    }
}
