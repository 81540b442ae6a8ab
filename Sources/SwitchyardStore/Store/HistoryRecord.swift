internal import Foundation

/// What one write adds to the store's history.
struct HistoryRecord {
    private let session: WriteSession
    private let options: WriteOptions
    private let era: Int64

    /// Begins a write by looking at the store's marker.
    ///
    /// - Returns: Nil if the store keeps no history.
    /// - Throws: As `StoreMaintenance.check`.
    init?(_ driver: any TransactionDriver, session: WriteSession, _ options: WriteOptions) throws {
        guard !session.isAsFound else { return nil }
        let control = ControlCheck(session)
        try driver.maintenance.check(control)
        era = control.useEra()
        guard era > 0 else { return nil }
        self.session = session
        self.options = options
    }

    /// Writes the changes that a driver has recorded to the history, as one transaction of it, if there are any, or the
    /// schema has changed, or another transaction was undone, of whose changes this program tells none.
    ///
    /// - Parameters:
    ///   - driver: The driver.
    ///   - record: What the transaction says of itself; nil for what the write's options say.
    /// - Throws: `serialization` if another write took the same place in the history; `unique` if a transaction has the
    ///   record's id; `valueNotRepresentable` for a time, an author or a device that cannot be stored.
    func write(_ driver: RecordingDriver, as record: TransactionRecord?) throws {
        do {
            try add(driver, record)
        } catch let error as StoreError where error.code == .unique && error.attribute != "transaction" {
            throw StoreError(
                .serialization, "Another write took the same place in the store's history.", underlying: error
            )
        }
    }

    /// What the write's options say.
    private func ownRecord(of driver: RecordingDriver) -> TransactionRecord {
        TransactionRecord(
            id: UUIDv7.next(), time: Int64(Date().timeIntervalSince1970 * 1_000_000),
            author: options.author ?? session.author, device: session.device, undone: driver.undone)
    }

    private func add(_ driver: RecordingDriver, _ given: TransactionRecord?) throws {
        let base = driver.base
        var blocks = ChangeBlocks()
        var written = WrittenBlocks(base, era)
        try driver.forEachChange { change in
            try blocks.append(change, schema: session.schema) { try written.add($0) }
        }
        let undone = given.map(\.undone) ?? driver.undone
        guard blocks.count > 0 || driver.newSchema != nil || undone != nil else { return }
        try written.add(blocks.parts)
        let record = given ?? ownRecord(of: driver)
        let fingerprint =
            driver.newSchema.map { HistoryTransaction.fingerprint(from: $0.fingerprint) }
            ?? session.historyFingerprint
        guard Timestamp.range.contains(record.time) else {
            throw StoreError(
                .valueNotRepresentable, "The transaction's time is not within the years 1 to 9999.",
                entity: Entity.historyTransaction.name, attribute: "time")
        }
        let addition = HistoryAddition(
            era: era, transaction: record.id, time: record.time, author: try name(record.author, "author"),
            device: try name(record.device, "device"),
            operation: given == nil ? options.operation?.uuid : nil, undone: undone, fingerprint: fingerprint,
            count: blocks.count, firstBlock: written.first, furtherBlocks: written.further,
            origin: record.origin)
        if written.further == 0,
            try base.capability((any HistoryAppending).self)?.append(addition) == true
        {
            return
        }
        try addition.insert(at: addition.end(after: try written.last), by: base)
    }

    /// The name of an author or a device, which some drivers store without another look.
    private func name(_ name: String?, _ attribute: String) throws -> String? {
        guard let name else { return nil }
        do {
            _ = try name.storedValue()
            return name
        } catch let error as StoreError {
            throw StoreError(
                error.code, "The write's \(attribute) does not fit into the history: \(error.message)",
                entity: Entity.historyTransaction.name, attribute: attribute)
        }
    }
}

/// The blocks of a transaction's changes; each but the first is written as soon as it is full.
private struct WrittenBlocks {
    private let base: any TransactionDriver
    private let era: Int64
    private var end: HistoryEndpoint?
    /// The first block, which belongs to the transaction's own row.
    private(set) var first: [UInt8] = []
    /// The number of blocks after the first.
    private(set) var further = 0

    init(_ base: any TransactionDriver, _ era: Int64) {
        self.base = base
        self.era = era
    }

    /// The last transaction of the history.
    var last: HistoryEndpoint {
        mutating get throws {
            if let end { return end }
            var last = HistoryEndpoint.start
            try base.select(.lastOfHistory(era)) { row in
                last = try HistoryEndpoint(from: &row)
                return true
            }
            end = last
            return last
        }
    }

    mutating func add(_ blocks: [[UInt8]]) throws {
        for block in blocks {
            if first.isEmpty {
                first = block
                continue
            }
            further += 1
            let id = HistoryRowID(era: era, sequence: try last.position.sequence + 1)
            try base.insert(into: .historyBlock, [[.uuid(id.block(further)), .blob(Data(block))]])
        }
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

extension HistoryAddition {
    /// Inserts the transaction's row at an end of the history, the one after the last.
    ///
    /// - Throws: `unique` if another transaction is there, or has the same id.
    package func insert(at end: HistoryEndpoint, by driver: some TransactionDriver) throws {
        var isWritten = false
        _ = try driver.insert(into: Self.entity, onConflict: .fail) { row in
            guard !isWritten else { return false }
            isWritten = true
            row.reset()
            try write(into: &row, at: end)
            return true
        }
    }
}
