internal import Crypto
package import Foundation

/// What one write adds to the store's history.
struct HistoryRecord {
    /// The driver through which the write works, which records its changes.
    let driver: RecordingDriver
    private let session: WriteSession
    private let era: Int64

    /// Begins a write by looking at the store's marker.
    ///
    /// - Returns: Nil if the store keeps no history.
    /// - Throws: As `TransactionDriver.check`.
    init?(_ driver: any TransactionDriver, schema: Schema, session: WriteSession) throws {
        guard !session.isAsFound else { return nil }
        let control = ControlCheck(session)
        try driver.check(control)
        era = control.useEra()
        guard era > 0 else { return nil }
        self.driver = RecordingDriver(driver, schema: schema)
        self.session = session
    }

    /// Writes the changes to the history, as one transaction of it, if there are any, or the schema has changed,
    /// or another transaction was undone, of whose changes this program tells none.
    ///
    /// - Throws: `serialization` if another write took the same place in the history; `valueNotRepresentable` for an author
    ///   or a device that cannot be stored.
    func write(_ options: WriteOptions) throws {
        do {
            try add(options)
        } catch let error as StoreError where error.code == .unique {
            throw StoreError(
                .serialization, "Another write took the same place in the store's history.", underlying: error
            )
        }
    }

    private func add(_ options: WriteOptions) throws {
        var blocks = ChangeBlocks()
        var written = WrittenBlocks(base, era)
        try driver.forEachChange { change in
            try blocks.append(change, schema: session.schema) { try written.add($0) }
        }
        guard blocks.count > 0 || driver.newSchema != nil || driver.undone != nil else { return }
        try written.add(blocks.parts)
        let fingerprint =
            driver.newSchema.map { HistoryTransaction.fingerprint(from: $0.fingerprint) }
            ?? session.historyFingerprint
        let addition = HistoryAddition(
            era: era, transaction: UUIDv7.next(),
            values: [
                .timestamp(Int64(Date().timeIntervalSince1970 * 1_000_000)),
                try name(options.author ?? session.author, "author"),
                try name(session.device, "device"),
                options.operation.map { .uuid($0.uuid) } ?? .null,
                driver.undone.map { .uuid($0) } ?? .null,
                .blob(fingerprint), .int(Int64(blocks.count)), .int(Int64(written.further)),
                .blob(written.first),
            ])
        if written.further == 0, try (base as? any HistoryAppendingDriver)?.append(addition) == true {
            return
        }
        let place = addition.place(after: try written.last)
        try base.insert(into: .historyTransaction, [addition.row(at: place)])
    }

    /// A name of who writes, which some drivers store without another look.
    private func name(_ name: String?, _ attribute: String) throws -> StoredValue {
        guard let name else { return .null }
        do {
            return try name.storedValue()
        } catch let error as StoreError {
            throw StoreError(
                error.code, "The write's \(attribute) does not fit into the history: \(error.message)",
                entity: Entity.historyTransaction.name, attribute: attribute)
        }
    }

    private var base: any TransactionDriver { driver.base }
}

/// The blocks of a transaction's changes, of which each but the first is written as soon as it is there.
private struct WrittenBlocks {
    private let base: any TransactionDriver
    private let era: Int64
    private var place: HistoryPosition?
    /// The first block, which belongs to the transaction's own row.
    private(set) var first = Data()
    /// The number of blocks after the first.
    private(set) var further = 0

    init(_ base: any TransactionDriver, _ era: Int64) {
        self.base = base
        self.era = era
    }

    /// The place of the last transaction in the history.
    var last: HistoryPosition {
        mutating get throws {
            if let place { return place }
            var last = HistoryPosition.start
            try base.select(.lastOfHistory(era)) { row in
                last = try HistoryPosition(from: &row)
                return true
            }
            place = last
            return last
        }
    }

    mutating func add(_ blocks: [Data]) throws {
        for block in blocks {
            if first.isEmpty {
                first = block
                continue
            }
            further += 1
            let id = HistoryRowID(era: era, sequence: try last.sequence + 1)
            try base.insert(into: .historyBlock, [[.uuid(id.block(further)), .blob(block)]])
        }
    }
}

/// A place in the history of a store.
package struct HistoryPosition: Sendable, Hashable {
    /// The number of the last transaction; 0 before the first.
    let sequence: Int64
    /// 16 bytes that depend on all transactions up to there.
    package let digest: Data

    /// The place before the first transaction.
    package static let start = HistoryPosition(sequence: 0, digest: Data(count: 16))

    init(sequence: Int64, digest: Data) {
        self.sequence = sequence
        self.digest = digest
    }

    /// Reads the id and the digest of a transaction.
    package init(from row: inout RowReader) throws {
        sequence = try HistoryRowID(from: &row).sequence
        digest = try Data(from: &row)
    }

    /// The place after one more transaction.
    func next(_ transaction: UUID) -> HistoryPosition {
        var hash = SHA256()
        hash.update(data: digest)
        withUnsafeBytes(of: transaction.uuid) { hash.update(bufferPointer: $0) }
        return HistoryPosition(
            sequence: sequence + 1,
            digest: hash.finalize().withUnsafeBytes { Data(UnsafeRawBufferPointer(rebasing: $0[..<16])) })
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

    init(era: Int64, sequence: Int64) { rawValue = era << Self.sequenceBits | sequence }

    init(rawValue: Int64) { self.rawValue = rawValue }

    /// Reads the id of a transaction.
    package init(from row: inout RowReader) throws { rawValue = try Int64(from: &row) }

    /// The era.
    package var era: Int64 { rawValue >> Self.sequenceBits }
    /// The sequence number.
    var sequence: Int64 { rawValue & (1 << Self.sequenceBits - 1) }

    /// The id as it is stored.
    package var value: StoredValue { .int(rawValue) }

    /// The id of a block of the transaction's changes, by its number from 1.
    func block(_ number: Int) -> UUID {
        UUID(high: UInt64(bitPattern: rawValue), low: UInt64(truncatingIfNeeded: number))
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension HistorySettings {
    /// The greatest era and the greatest sequence number, which the id of a row can hold.
    static let greatest: (era: Int64, sequence: Int64) = (1 << 15 - 2, 1 << 48 - 1)
}

extension Selection {
    /// The id and the digest of the last transaction of the last history that was begun.
    package static var lastOfAllHistory: Selection {
        Selection(
            entity: .historyTransaction, columns: [.attribute("id"), .attribute("digest")],
            order: [SortKey("id", .descending)], limit: 1)
    }

    /// The id and the digest of the last transaction of the history.
    static func lastOfHistory(_ era: Int64) -> Selection {
        Selection(
            entity: .historyTransaction, columns: [.attribute("id"), .attribute("digest")],
            condition: .compare(
                .attribute("id"), .greater, .value(HistoryRowID(era: era, sequence: 0).value)),
            order: [SortKey("id", .descending)], limit: 1)
    }

    /// The id and the digest of the first transaction that has a sequence number or a greater one, and its own id.
    static func positionInHistory(_ era: Int64, from sequence: Int64) -> Selection {
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

extension TransactionDriver {
    /// Inserts rows of the history.
    package func insert(
        into entity: Entity, _ rows: [[StoredValue]], onConflict conflict: ConflictResolution = .fail
    ) throws {
        var iterator = rows.makeIterator()
        _ = try insert(into: entity, onConflict: conflict) { row in
            guard let values = iterator.next() else { return false }
            row.reset()
            for value in values { try row.write(value) }
            return true
        }
    }
}
