public import Foundation

extension ReadTransaction {
    /// The number of bytes of changes after which no more transactions are read at once.
    private static let mostHistoryBytes = 4 << 20

    /// The place after the last transaction of the store's history.
    ///
    /// - Throws: `unsupported` if the store never kept a history, or if the transaction sees several scopes.
    public func historyToken() throws -> HistoryToken {
        try perform { try historyHead() }
    }

    /// Returns the transactions that were committed after a place in the history, in order.
    ///
    /// ```swift
    /// let news = try await store.read { [token] tx in try tx.history(after: token) }
    /// for transaction in news {
    ///     for change in try transaction.changes.all() where change.entity == "Feed" { … }
    /// }
    /// token = news.last?.token ?? token
    /// ```
    ///
    /// - Parameters:
    ///   - token: The place; nil for the beginning of what is kept.
    ///   - filter: Which transactions.
    ///   - limit: The maximum number of transactions; nil for all.
    /// - Returns: The transactions.
    /// - Throws: `historyForeign` for a token of another store or scope; `historyPruned` if transactions after it are
    ///   not kept any more; `historyAhead` if the store does not have the transaction that it was taken after, because it
    ///   was restored from a backup; `invalidArgument` for a negative limit, or a `since` that is not a number;
    ///   `unsupported` as `historyToken`; `corrupted`.
    /// - Complexity: The transactions are held in memory, with their changes as bytes.
    public func history(
        after token: HistoryToken? = nil, where filter: TransactionFilter = TransactionFilter(),
        limit: Int? = nil
    ) throws -> [HistoryTransaction] {
        var transactions: [HistoryTransaction] = []
        try forEachTransaction(after: token, where: filter, limit: limit) { transactions.append($0) }
        return transactions
    }

    /// Calls the body with each transaction that was committed after a place in the history, in order.
    ///
    /// - Throws: As `history(after:where:limit:)`; what the body throws.
    /// - Complexity: Some transactions are held in memory at a time.
    public func forEachTransaction(
        after token: HistoryToken?, where filter: TransactionFilter = TransactionFilter(), limit: Int? = nil,
        _ body: (HistoryTransaction) throws -> Void
    ) throws {
        guard limit ?? 0 >= 0 else {
            throw StoreError(.invalidArgument, "A limit cannot be negative.")
        }
        let head = try historyToken()
        if let token { try perform { try require(token, before: head) } }
        var last = token?.sequence ?? 0
        var left = limit ?? .max
        while left > 0 {
            // Entities are told apart only here, so any number of transactions can lie between two that are wanted.
            let pageSize = filter.entities == nil ? min(left, 64) : 64
            let page = try perform {
                try transactions(after: last, where: filter, limit: pageSize, like: head)
            }
            guard let end = page.last?.sequence else { return }
            last = end
            for transaction in page where filter.entities?.isDisjoint(with: transaction.entities) != true {
                try body(transaction)
                left -= 1
                if left == 0 { return }
            }
        }
    }

    /// The names of the entities whose rows were changed after a place in the history.
    ///
    /// - Throws: As `history(after:where:limit:)`.
    /// - Complexity: O(transactions), and a block of a large one is held in memory at a time.
    func changedEntities(after token: HistoryToken) throws -> Set<String> {
        let head = try historyToken()
        return try perform {
            try require(token, before: head)
            var names: Set<String> = []
            var (last, isLast) = (token.sequence, false)
            while !isLast {
                isLast = true
                var isLarge = false
                let range: [Condition] = [
                    .compare(
                        .attribute("id"), .greater,
                        .value(HistoryRowID(era: head.era, sequence: last).value)),
                    .compare(
                        .attribute("id"), .less, .value(HistoryRowID(era: head.era + 1, sequence: 0).value)),
                ]
                let condition = try Condition.all(range).validated(in: .historyTransaction, schema: schema)
                try driver.select(.rows(of: .historyTransaction, where: condition, limit: 64)) { row in
                    let header = try TransactionHeader(from: &row)
                    try names.formUnion(BlockReader.entities(ofPart: header.firstBlock))
                    (last, isLast, isLarge) = (header.position.sequence, false, header.blocks > 0)
                    return !isLarge
                }
                guard isLarge else { continue }
                try forEachFurtherBlock(of: last, head.era) { part in
                    try names.formUnion(BlockReader.entities(ofPart: part))
                }
            }
            return names
        }
    }

    /// Calls the body with the transactions of the history, the last one first, until it returns false.
    ///
    /// - Throws: `unsupported` as `historyToken`; `invalidArgument` for a `since` that is not a number; `corrupted`; what
    ///   the body throws.
    /// - Complexity: Some transactions are held in memory at a time.
    public func forEachTransactionBackwards(
        where filter: TransactionFilter = TransactionFilter(), _ body: (HistoryTransaction) throws -> Bool
    ) throws {
        let head = try historyToken()
        var first = HistorySettings.greatest.sequence
        while true {
            let page = try perform {
                try transactions(
                    .compare(
                        .attribute("id"), .less, .value(HistoryRowID(era: head.era, sequence: first).value)),
                    where: filter, order: .descending, limit: 16, like: head)
            }
            guard let end = page.last?.sequence else { return }
            first = end
            for transaction in page where filter.entities?.isDisjoint(with: transaction.entities) != true {
                guard try body(transaction) else { return }
            }
        }
    }

    /// Returns the transaction of the history that has an id: whether, and where, a change was carried out.
    ///
    /// - Returns: The transaction; nil if the history does not have it, or has pruned it.
    /// - Throws: `unsupported` as `historyToken`; `corrupted`.
    /// - Complexity: A look-up in an index; the transaction's changes are held in memory.
    public func historyTransaction(_ id: UUID) throws -> HistoryTransaction? {
        try perform {
            try requireOneHistory()
            let storeID = try historyOwner().storeID
            var found: TransactionHeader?
            let condition = Condition.compare(.attribute("transaction"), .equal, .value(.uuid(id)))
            try driver.select(.rows(of: .historyTransaction, where: condition, order: [])) { row in
                found = try TransactionHeader(from: &row)
                return true
            }
            return try found.map { try transaction($0, storeID: storeID) }
        }
    }

    /// The store's identity and the era of its history.
    ///
    /// - Throws: `unsupported` if it never kept one.
    private func historyOwner() throws -> (storeID: UUID, era: Int64) {
        let marker = try driver.maintenance.marker()
        guard let history = marker.history else {
            throw StoreError(
                .unsupported, "The store keeps no history. Switch it on with Store.keepHistory().")
        }
        return (marker.storeID, history.era)
    }

    /// Refuses a read of several scopes, each of which has a history of its own.
    ///
    /// - Throws: `unsupported`.
    func requireOneHistory() throws {
        guard scopes.count < 2 else {
            throw StoreError(
                .unsupported, "Each scope has a history of its own. Read them one after the other.")
        }
    }

    private func historyHead() throws -> HistoryToken {
        try requireOneHistory()
        let (storeID, era) = try historyOwner()
        var head = HistoryPosition.start
        try driver.select(.lastOfHistory(era)) { row in
            head = try HistoryPosition(from: &row)
            return true
        }
        return HistoryToken(storeID: storeID, scope: scopes.first, era: era, head)
    }

    /// Checks that all transactions after a token are there.
    func require(_ token: HistoryToken, before head: HistoryToken) throws {
        guard token.storeID == head.storeID, token.scope == head.scope else {
            throw StoreError(
                .historyForeign,
                "The token was taken from the history of another store or scope. Begin again with a copy of all rows."
            )
        }
        guard token.era <= head.era else { throw StoreError.historyAhead() }
        guard token.era == head.era else { throw StoreError.historyPruned() }
        guard (0...head.sequence).contains(token.sequence) else { throw StoreError.historyAhead() }
        // The place's own transaction, or the one after it; without its changes, which can be millions.
        var found: (position: HistoryPosition, transaction: UUID)?
        try driver.select(.positionInHistory(head.era, from: max(token.sequence, 1))) { row in
            found = (try HistoryPosition(from: &row), try UUID(from: &row))
            return true
        }
        switch found {
        case nil: guard token.position == .start else { throw StoreError.historyAhead() }
        case let found? where found.position.sequence == token.sequence:
            guard found.position == token.position else { throw StoreError.historyAhead() }
        case let found? where found.position.sequence == token.sequence + 1:
            guard found.position == token.position?.next(found.transaction) else {
                throw StoreError.historyAhead()
            }
        case _?: throw StoreError.historyPruned()
        }
    }

    func transactions(
        after sequence: Int64, where filter: TransactionFilter, limit: Int, like head: HistoryToken
    ) throws -> [HistoryTransaction] {
        try transactions(
            .compare(
                .attribute("id"), .greater,
                .value(HistoryRowID(era: head.era, sequence: sequence).value)),
            where: filter, order: .ascending, limit: limit, like: head)
    }

    private func transactions(
        _ place: Condition, where filter: TransactionFilter, order: SortDirection, limit: Int,
        like head: HistoryToken
    ) throws -> [HistoryTransaction] {
        var terms = [
            place,
            .compare(.attribute("id"), .greater, .value(HistoryRowID(era: head.era, sequence: 0).value)),
            .compare(.attribute("id"), .less, .value(HistoryRowID(era: head.era + 1, sequence: 0).value)),
        ]
        if let authors = filter.authors {
            terms.append(.isIn(.attribute("author"), authors.sorted().map { .text($0) }))
        }
        if let since = filter.since {
            let time = StoredValue.timestamp(try Timestamp.requireComparable(since))
            terms.append(.compare(.attribute("time"), .greaterOrEqual, .value(time)))
        }
        let condition = try Condition.all(terms).validated(in: .historyTransaction, schema: schema)
        var (found, bytes): ([TransactionHeader], Int) = ([], 0)
        try driver.select(
            .rows(
                of: .historyTransaction, where: condition, order: [SortKey("id", order)], limit: limit)
        ) { row in
            let header = try TransactionHeader(from: &row)
            found.append(header)
            bytes += header.firstBlock.count
            // One that has more blocks is read to its end before the next.
            return header.blocks == 0 && bytes < Self.mostHistoryBytes
        }
        return try found.map { try transaction($0, storeID: head.storeID) }
    }

    /// A transaction with all of its changes; the header's row has the first block of them.
    private func transaction(_ header: TransactionHeader, storeID: UUID) throws -> HistoryTransaction {
        var blocks = [header.firstBlock]
        if header.blocks > 0 {
            try forEachFurtherBlock(of: header.position.sequence, header.era) { blocks.append($0) }
        }
        guard blocks.count == header.blocks + 1 else { throw StoreError.damagedHistory() }
        return try header.transaction(storeID: storeID, scope: scopes.first, blocks)
    }

    private func forEachFurtherBlock(
        of sequence: Int64, _ era: Int64, _ body: (Data) throws -> Void
    ) throws {
        let id = HistoryRowID(era: era, sequence: sequence)
        let condition = Condition.all([
            .compare(.attribute("id"), .greater, .value(.uuid(id.block(0)))),
            .compare(.attribute("id"), .lessOrEqual, .value(.uuid(id.block(.max)))),
        ])
        try driver.select(.rows(of: .historyBlock, where: condition)) { row in
            _ = try UUID(from: &row)
            try body(try Data(from: &row))
            return true
        }
    }
}

/// A row of the history: all of a transaction but the changes that do not fit into it.
private struct TransactionHeader {
    let era: Int64
    let position: HistoryPosition
    private let id: UUID
    private let time: Int64
    private let author: String?
    private let device: String?
    private let operation: UUID?
    private let undone: UUID?
    private let fingerprint: Data
    private let count: Int
    /// The number of blocks of changes besides the first.
    let blocks: Int
    let firstBlock: Data
    private let origin: UUID?

    init(from row: inout RowReader) throws {
        let rowID = try HistoryRowID(from: &row)
        era = rowID.era
        id = try UUID(from: &row)
        position = HistoryPosition(sequence: rowID.sequence, digest: try HistoryDigest(from: &row))
        time = try row.microseconds()
        author = try String?(from: &row)
        device = try String?(from: &row)
        operation = try UUID?(from: &row)
        undone = try UUID?(from: &row)
        fingerprint = try Data(from: &row).prefix(16)
        count = try Int(from: &row)
        blocks = try Int(from: &row)
        firstBlock = try Data(from: &row)
        origin = try UUID?(from: &row)
        guard count >= 0, blocks >= 0 else { throw StoreError.damagedHistory() }
    }

    func transaction(
        storeID: UUID, scope: StoreScope?, _ blocks: [Data]
    ) throws -> HistoryTransaction {
        let changes = HistoryChanges(blocks, count: count)
        return HistoryTransaction(
            token: HistoryToken(storeID: storeID, scope: scope, era: era, position),
            id: id, time: time, author: author, device: device, origin: origin,
            operation: operation.map { OperationID($0) }, undone: undone,
            fingerprintBytes: fingerprint, entities: try changes.entities(), changes: changes)
    }
}

extension StoreError {
    fileprivate static func historyPruned() -> StoreError {
        StoreError(
            .historyPruned,
            "Transactions after the token are not kept any more. Begin again with a copy of all rows.")
    }

    fileprivate static func historyAhead() -> StoreError {
        StoreError(
            .historyAhead,
            "The store does not have the transaction that the token was taken after: it was restored from a backup, or has "
                + "lost its last commits. Begin again with a copy of all rows.")
    }
}
