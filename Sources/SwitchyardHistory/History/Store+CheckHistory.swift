internal import Synchronization

extension Store {
    /// Reads the whole history, and tells what of it is damaged or missing in between.
    ///
    /// `check()` looks at the rows of the store; the history is read by nobody until something is undone or followed.
    ///
    /// - Returns: One sentence for each fault; none for a store that never kept a history.
    /// - Throws: `unsupported` if the store was opened for several scopes; as any read.
    /// - Complexity: O(changes) time; some transactions are held in memory at a time.
    public func checkHistory() async throws -> [String] {
        let check = Mutex(HistoryCheck())
        do {
            try await read { tx in
                check.withLock { $0 = HistoryCheck() }
                guard try tx.driver.maintenance.marker().history != nil else { return }
                try tx.forEachTransaction(after: nil) { transaction in
                    check.withLock { $0.add(transaction) }
                }
            }
            return check.withLock(\.faults)
        } catch let error as StoreError where error.code == .corrupted {
            // A page of transactions that cannot be read ends the read.
            return check.withLock { check in
                let place = check.last.map { " after transaction \($0.sequence), or soon after that" } ?? ""
                return check.faults + ["The history cannot be read\(place)."]
            }
        }
    }
}

/// What was found of the transactions of a history, in their order.
private struct HistoryCheck: Sendable {
    var faults: [String] = []
    /// The place after the last one.
    var last: HistoryPosition?

    mutating func add(_ transaction: HistoryTransaction) {
        let number = transaction.sequence
        if let last {
            if number != last.sequence + 1 {
                faults.append("Of the history, transactions are missing before number \(number).")
            } else if transaction.token.position != last.next(transaction.id) {
                faults.append("The history's transaction \(number) does not follow from the one before.")
            }
        }
        do { try transaction.changes.forEach { _ in } } catch {
            faults.append("The changes of the history's transaction \(number) cannot be read.")
        }
        last = transaction.token.position
    }
}
