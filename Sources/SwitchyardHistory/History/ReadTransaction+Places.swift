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

    /// Calls the body with each transaction after a number that is still kept, in order.
    ///
    /// - Throws: As `forEachTransaction(after:where:limit:_:)`.
    package func forEachKeptTransaction(
        after sequence: Int64, _ body: (HistoryTransaction) throws -> Void
    ) throws {
        let head = try historyToken()
        var last = sequence
        while true {
            let page = try perform {
                try transactions(after: last, where: TransactionFilter(), limit: 64, like: head)
            }
            guard let end = page.last?.sequence else { return }
            last = end
            for transaction in page { try body(transaction) }
        }
    }
}
