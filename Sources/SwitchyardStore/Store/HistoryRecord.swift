internal import Foundation

/// What one write adds to the store's history.
struct HistoryRecord {
    /// The driver through which the write works, which records its changes.
    let driver: RecordingDriver
    private let session: WriteSession
    private let era: Int64

    /// Begins a write by looking at the store's marker.
    ///
    /// - Returns: Nil if the store keeps no history.
    /// - Throws: As `StoreMaintenance.check`.
    init?(_ driver: any TransactionDriver, schema: Schema, session: WriteSession) throws {
        guard !session.isAsFound else { return nil }
        let control = ControlCheck(session)
        try driver.maintenance.check(control)
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
            era: era, transaction: UUIDv7.next(), time: Int64(Date().timeIntervalSince1970 * 1_000_000),
            author: try name(options.author ?? session.author, "author"),
            device: try name(session.device, "device"), operation: options.operation?.uuid,
            undone: driver.undone, fingerprint: fingerprint, count: blocks.count, firstBlock: written.first,
            furtherBlocks: written.further)
        if written.further == 0,
            try base.capability((any HistoryAppending).self)?.append(addition) == true
        {
            return
        }
        try addition.insert(at: addition.place(after: try written.last), by: base)
    }

    /// A name of who writes, which some drivers store without another look.
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

    private var base: any TransactionDriver { driver.base }
}

/// The blocks of a transaction's changes, of which each but the first is written as soon as it is there.
private struct WrittenBlocks {
    private let base: any TransactionDriver
    private let era: Int64
    private var place: HistoryPosition?
    /// The first block, which belongs to the transaction's own row.
    private(set) var first: [UInt8] = []
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

    mutating func add(_ blocks: [[UInt8]]) throws {
        for block in blocks {
            if first.isEmpty {
                first = block
                continue
            }
            further += 1
            let id = HistoryRowID(era: era, sequence: try last.sequence + 1)
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
    /// Inserts the transaction's row at a place, the one after the last.
    ///
    /// - Throws: `unique` if another transaction is there.
    package func insert(at place: HistoryPosition, by driver: some TransactionDriver) throws {
        var isWritten = false
        _ = try driver.insert(into: Self.entity, onConflict: .fail) { row in
            guard !isWritten else { return false }
            isWritten = true
            row.reset()
            try write(into: &row, at: place)
            return true
        }
    }
}
