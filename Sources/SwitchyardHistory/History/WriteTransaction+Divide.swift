extension WriteTransaction {
    /// Runs a body whose changes become one transaction of the history, with what a record says of it.
    ///
    /// ```swift
    /// for mutation in batch {
    ///     do {
    ///         try tx.transaction(mutation.record) { try mutation.carryOut(in: tx) }
    ///     } catch let error as StoreError where !error.isRetryable { reject(mutation, error) }
    /// }
    /// ```
    ///
    /// What the write did before becomes a transaction of its own, under the write's options. The body runs in a savepoint,
    /// as in `nested(_:)`: if it throws, none of its work is kept or recorded, and the write goes on. References are checked
    /// at the body's end, not only at the commit, so that a dangling one fails this body and no other.
    ///
    /// A body that changes nothing leaves no transaction: `historyTransaction(_:)` then does not find the record's id.
    ///
    /// The time of a transaction is never before that of the one before it in the history, whatever the record says.
    ///
    /// - Parameters:
    ///   - record: The transaction's id, time, author, device and origin.
    ///   - body: Does the work.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; `foreignKey` if it leaves a dangling reference; `duplicateOperation` if the history
    ///   has a transaction with the record's id; `valueNotRepresentable` for a time, an author or a device that cannot be
    ///   stored. The write goes on after these. `foreignKey` for what the write did before, which ends it. `invalidArgument`
    ///   within `nested(_:)` or another call; `unsupported` if the store keeps no history.
    @discardableResult
    package func transaction<Result>(
        _ record: TransactionRecord, _ body: () throws -> Result
    ) throws -> Result {
        guard !isNested else {
            throw StoreError(
                .invalidArgument,
                "A transaction of the history cannot begin within nested { } or another one. End that first.")
        }
        let recorder = try recorder()
        try perform {
            try driver.checkReferences()
            try recorder.endTransaction(as: nil)
        }
        do {
            return try nested {
                let result = try body()
                try requireUnbroken()
                try perform {
                    try driver.checkReferences()
                    try recorder.endTransaction(as: record)
                }
                return result
            }
        } catch let error as StoreError where error.isOfTakenTransactionID {
            throw StoreError(
                .duplicateOperation,
                "The history has a transaction with this id already. If it is the same change, there is nothing left to do.",
                underlying: error)
        }
    }

    /// The driver that records the write.
    ///
    /// - Throws: `unsupported` if the store keeps no history, or not any more.
    private func recorder() throws -> any TransactionRecording {
        if let recorder = driver.capability((any TransactionRecording).self) { return recorder }
        // A driver can look at the marker together with its first statement, which finds out that a history is kept by now.
        _ = try historyToken()
        throw StoreError.changesNotRecorded("divided into transactions of the history")
    }
}

extension StoreError {
    /// The error of a write to a store that keeps no history, or not any more.
    static func changesNotRecorded(_ what: String) -> StoreError {
        StoreError(
            .unsupported,
            "The store does not record its changes, so nothing can be \(what). Switch its history on with "
                + "Store.keepHistory().")
    }

    /// Whether a transaction of the history has the id that another one was to have.
    fileprivate var isOfTakenTransactionID: Bool {
        code == .unique && entity == Entity.historyTransaction.name && attribute == "transaction"
    }
}
