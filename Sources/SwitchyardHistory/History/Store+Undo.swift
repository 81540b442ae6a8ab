internal import Foundation

extension Store {
    /// Writes back what was there before a transaction of the history, as a transaction of its own.
    ///
    /// It can be done by another process, or after a restart. Undoing an undo is redoing.
    ///
    /// ```swift
    /// let changes = try await store.read { try $0.undoable(device: device, limit: 20) }
    /// if let chosen = choose(among: changes) { try await store.undo(chosen) }
    /// ```
    ///
    /// - Parameters:
    ///   - transaction: A transaction of this store's history.
    ///   - options: The options of the write.
    /// - Throws: `undoConflict` if the transaction is undone already, or if a later one has changed the same attributes of
    ///   the same rows, has deleted a row that would come back, or refers to one that would go; `earlierValueNotKept`,
    ///   naming the attribute, if a value would have to come back that the history does not keep
    ///   (`@Attribute(.withoutEarlierValues)`), or a required one without a default that is left out of it, or if the
    ///   transaction tells no changes at all; `unique` if another row has taken a value that must be unique; `foreignKey`
    ///   if a row that a reference would come back to has been deleted since; `schemaMismatch` if the schema has another version since; `unsupported` if the store keeps no
    ///   history, or not any more; as `ReadTransaction.history(after:where:limit:)` for its token; otherwise as
    ///   `write(_:_:)`. Nothing is changed then.
    public func undo(
        _ transaction: HistoryTransaction, _ options: WriteOptions = WriteOptions()
    ) async throws {
        try await write(options) { try $0.undo(transaction) }
    }

    /// Undoes the last transaction that is not undone yet, also if others are being undone at the same time.
    ///
    /// It is not passed over if something is in the way: the undo is refused then.
    ///
    /// - Parameters:
    ///   - device: The device that wrote it; nil for any.
    ///   - author: The author; nil for any.
    ///   - options: The options of the write.
    /// - Returns: The transaction; nil if there is none.
    /// - Throws: As `undo(_:_:)`.
    @discardableResult
    public func undoLast(
        device: String? = nil, author: String? = nil, _ options: WriteOptions = WriteOptions()
    ) async throws -> HistoryTransaction? {
        try await write(options) { tx in
            guard let last = try tx.lastUndoable(device: device, author: author) else { return nil }
            try tx.undo(last)
            return last
        }
    }
}

extension WriteTransaction {
    fileprivate func undo(_ transaction: HistoryTransaction) throws {
        let filter = TransactionFilter(entities: Set(transaction.entities))
        var undo = try Undo(transaction, schema: schema, driver: driver)
        try forEachTransaction(after: transaction.token, where: filter) { try undo.note($0) }
        // Only now is it certain, because a driver can look at the marker together with its first statement.
        guard let recorder = driver.capability(RecordingDriver.self) else {
            throw StoreError.changesNotRecorded("undone")
        }
        guard transaction.changes.count > 0 else {
            throw StoreError(
                .earlierValueNotKept,
                "The history does not say what this transaction has changed, so that it cannot be undone.")
        }
        if let reference = try perform({ try undo.carryOut() }) {
            throw undo.conflict(reference, setBy: try lastToSet(reference, after: transaction))
        }
        recorder.undone = transaction.id
    }

    /// The last transaction after another one that has set a reference; nil if the history does not tell.
    private func lastToSet(
        _ reference: Undo.LaterReference, after transaction: HistoryTransaction
    ) throws -> UUID? {
        guard !reference.source.isLeftOutOfHistory else { return nil }
        var last: UUID?
        let filter = TransactionFilter(entities: [reference.source.name])
        try forEachTransaction(after: transaction.token, where: filter) { other in
            try other.changes.forEach { if reference.isSet(by: $0) { last = other.id } }
        }
        return last
    }
}

extension ReadTransaction {
    /// The last transaction that is not undone yet.
    ///
    /// - Returns: As `undoable(device:author:limit:)`; nil if there is none.
    /// - Throws: As `forEachTransactionBackwards(where:_:)`.
    public func lastUndoable(device: String? = nil, author: String? = nil) throws -> HistoryTransaction? {
        try undoable(device: device, author: author, limit: 1).first
    }

    /// The transactions that are not undone yet, the last one first: those that are no undo themselves and have not been
    /// undone, or have been redone since, and are not from before the last migration.
    ///
    /// Those that come from another store (`HistoryTransaction.origin`) are left out, but an undo among them counts.
    ///
    /// Whether something is in the way of an undo is only found out by `Store.undo(_:_:)`.
    ///
    /// - Parameters:
    ///   - device: The device that wrote them; nil for any.
    ///   - author: The author; nil for any.
    ///   - limit: The maximum number.
    /// - Returns: The transactions.
    /// - Throws: As `forEachTransactionBackwards(where:_:)`.
    public func undoable(
        device: String? = nil, author: String? = nil, limit: Int
    ) throws -> [HistoryTransaction] {
        var undone: Set<UUID> = []
        var found: [HistoryTransaction] = []
        guard limit > 0 else { return [] }
        let fingerprint = HistoryTransaction.fingerprint(from: schema.fingerprint)
        try forEachTransactionBackwards { transaction in
            // A migration begins the words of its version, and what it has filled in is nobody's last change.
            guard transaction.fingerprintBytes == fingerprint,
                transaction.changes.count > 0 || transaction.undone != nil,
                transaction.author != WriteOptions.migration || transaction.origin != nil
            else { return false }
            if undone.contains(transaction.id) { return true }
            if let other = transaction.undone {
                undone.insert(other)
                return true
            }
            guard transaction.origin == nil, device == nil || device == transaction.device,
                author == nil || author == transaction.author
            else { return true }
            found.append(transaction)
            return found.count < limit
        }
        return found
    }
}
