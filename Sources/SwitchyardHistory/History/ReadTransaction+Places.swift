package import Foundation

/// Places in the history by number, for a mirror: it knows those of another store.
extension ReadTransaction {
    /// The token of a place in the store's own history.
    ///
    /// - Throws: As `historyToken()`. Whether the history has the place is not checked.
    package func historyToken(at position: HistoryPosition) throws -> HistoryToken {
        let head = try historyToken()
        return HistoryToken(storeID: head.storeID, scope: head.scope, era: head.era, position)
    }

    /// Checks that the history has the transaction of a place, and all that come after it.
    ///
    /// - Throws: `historyAhead` or `historyPruned`, as `history(after:where:limit:)`, and the transaction can still be used;
    ///   as any other operation.
    package func requireHistory(after position: HistoryPosition) throws {
        let head = try historyToken()
        let token = HistoryToken(storeID: head.storeID, scope: head.scope, era: head.era, position)
        try require(token, before: head)
    }

    /// The first transaction that is kept: its number and its time in microseconds since 1970; nil if none is.
    ///
    /// No transaction that was pruned is later.
    package func firstOfHistory() throws -> (sequence: Int64, time: Int64)? {
        let head = try historyToken()
        return try perform {
            try transactions(after: 0, where: TransactionFilter(), limit: 1, like: head).first.map {
                ($0.sequence, $0.time)
            }
        }
    }

    /// Calls the body with each transaction after a number that is still kept, in order, until it returns false.
    ///
    /// - Throws: As `forEachTransaction(after:where:limit:_:)`.
    package func forEachKeptTransaction(
        after sequence: Int64, _ body: (HistoryTransaction) throws -> Bool
    ) throws {
        let head = try historyToken()
        var last = sequence
        while true {
            let page = try perform {
                try transactions(after: last, where: TransactionFilter(), limit: 64, like: head)
            }
            guard let end = page.last?.sequence else { return }
            last = end
            for transaction in page { guard try body(transaction) else { return } }
        }
    }

    /// Returns those of some ids that are ids of transactions of the history.
    ///
    /// - Throws: As `historyToken()`.
    package func historyIDs(among ids: [UUID]) throws -> Set<UUID> {
        let head = try historyToken()
        var found: Set<UUID> = []
        for start in stride(from: 0, to: ids.count, by: 500) {
            let some = ids[start..<min(start + 500, ids.count)].map { StoredValue.uuid($0) }
            try perform {
                let condition = try Condition.all([
                    .isIn(.attribute("transaction"), some),
                    .compare(
                        .attribute("id"), .greater, .value(HistoryRowID(era: head.era, sequence: 0).value)),
                    .compare(
                        .attribute("id"), .less, .value(HistoryRowID(era: head.era + 1, sequence: 0).value)),
                ]).validated(in: .historyTransaction, schema: schema)
                try driver.select(
                    Selection(
                        entity: .historyTransaction, columns: [.attribute("transaction")],
                        condition: condition)
                ) { row in
                    found.insert(try UUID(from: &row))
                    return true
                }
            }
        }
        return found
    }
}
