package import Foundation

/// A follower of a store's history, such as a mirror or an index, and the place up to which it has read.
///
/// The store keeps it, so that `Store.pruneHistory()` leaves what the consumer has yet to read.
public struct HistoryConsumer: Sendable, Hashable, Codable {
    /// The consumer's name, by which it is found again after a restart.
    public let name: String
    /// The place after the last transaction that it has dealt with.
    public let token: HistoryToken
}

extension ReadTransaction {
    /// The consumers of the store's history, ordered by their names; those of one scope.
    ///
    /// - Throws: `unsupported` if the transaction sees several scopes.
    public func historyConsumers() throws -> [HistoryConsumer] {
        try perform { try historyConsumers(where: .constant(true)) }
    }

    /// The place up to which a consumer has followed the store's history; nil for a name that is not registered.
    ///
    /// It may lead nowhere any more: see the errors of `history(after:where:limit:)`.
    ///
    /// - Throws: `unsupported` if the transaction sees several scopes.
    public func historyToken(ofConsumer name: String) throws -> HistoryToken? {
        try perform {
            let condition = try Condition.isConsumer(name).validated(in: .historyConsumer, schema: schema)
            return try historyConsumers(where: condition).first?.token
        }
    }

    /// Up to where this store, a copy, has followed the history of another one, in each of the scopes that the transaction
    /// sees and that were copied.
    ///
    /// - Parameters:
    ///   - id: What `WriteTransaction.setFollowedToken` was told.
    ///   - storeID: The identity of the other store.
    /// - Returns: The places, by scope.
    /// - Throws: As a selection.
    package func followedTokens(_ id: UUID, of storeID: UUID) throws -> [StoreScope: HistoryToken] {
        var tokens: [StoreScope: HistoryToken] = [:]
        let columns = [StoreScope.attribute.name, "era", "sequence", "digest"]
        try driver.select(
            Selection(
                entity: .historyConsumer, columns: columns.map { .attribute($0) },
                condition: .compare(.attribute("id"), .equal, .value(.uuid(id))))
        ) { row in
            let scope = StoreScope(try UUID(from: &row))
            tokens[scope] = try HistoryToken(storeID: storeID, scope: scope, from: &row)
            return true
        }
        return tokens
    }

    fileprivate func historyConsumers(where condition: Condition) throws -> [HistoryConsumer] {
        try requireOneHistory()
        let storeID = try driver.maintenance.marker().storeID
        var consumers: [HistoryConsumer] = []
        try driver.select(
            Selection(
                entity: .historyConsumer,
                columns: ["name", "era", "sequence", "digest"].map { .attribute($0) }, condition: condition,
                order: [SortKey("name")])
        ) { row in
            consumers.append(
                HistoryConsumer(
                    name: try String(from: &row),
                    token: try HistoryToken(storeID: storeID, scope: scopes.first, from: &row)))
            return true
        }
        return consumers
    }
}

extension WriteTransaction {
    /// Notes up to where a consumer has followed the store's history, and registers it if it is new.
    ///
    /// Do it in the write of what the consumer makes of the history, if that is in the same store: either both are kept
    /// or neither. The history itself is unchanged, and the store's followers are not told.
    ///
    /// ```swift
    /// try await store.write { tx in
    ///     let news = try tx.history(after: try tx.historyToken(ofConsumer: "index"))
    ///     try updateIndex(news, in: tx)
    ///     if let last = news.last { try tx.setHistoryToken(last.token, ofConsumer: "index") }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - token: A place in the history of this store; also one before that noted last.
    ///   - name: The consumer's name, at most 2,048 bytes.
    /// - Throws: `historyForeign`, `historyPruned` and `historyAhead` as `history(after:where:limit:)` for its token;
    ///   `invalidArgument` for an empty name; `valueNotRepresentable` for one that is too long; `unsupported` if the store
    ///   never kept a history.
    public func setHistoryToken(_ token: HistoryToken, ofConsumer name: String) throws {
        guard !name.isEmpty else {
            throw StoreError(.invalidArgument, "The name of a history's consumer is empty.")
        }
        let head = try historyToken()
        try perform {
            try require(token, before: head)
            for entry in RowCheck(.historyConsumer).indexEntries {
                try entry.requireFit(bytes: name.utf8.count)
            }
            let values: [StoredValue] = [
                .uuid(UUIDv7.next()), .text(name), .int(token.era), .int(token.sequence),
                .blob(token.digest),
            ]
            try unrecordedDriver.insert(
                into: .historyConsumer, [values],
                onConflict: .update(key: ["name"], set: ["era", "sequence", "digest"]))
        }
    }

    /// Notes, among the consumers of the history, up to where this copy of another store has followed that store's history,
    /// in the scope of the transaction.
    ///
    /// The copy has no history of its own yet, and may have no other key than the id.
    ///
    /// - Parameters:
    ///   - token: A place in the history of the other store.
    ///   - id: By which the place is found again.
    ///   - name: The consumer's name.
    /// - Throws: As any other operation.
    package func setFollowedToken(_ token: HistoryToken, _ id: UUID, ofConsumer name: String) throws {
        try perform {
            let values: [StoredValue] = [
                .uuid(id), .text(name), .int(token.era), .int(token.sequence), .blob(token.digest),
            ]
            try unrecordedDriver.insert(
                into: .historyConsumer, [values],
                onConflict: .update(key: ["id"], set: ["era", "sequence", "digest"]))
        }
    }

    /// Forgets a consumer of the store's history, so that pruning does not wait for it any more.
    ///
    /// - Returns: Whether it was registered.
    /// - Throws: As any other operation.
    @discardableResult
    public func removeHistoryConsumer(_ name: String) throws -> Bool {
        try perform {
            let condition = try Condition.isConsumer(name).validated(in: .historyConsumer, schema: schema)
            return try unrecordedDriver.delete(from: .historyConsumer, where: condition) > 0
        }
    }

    /// The place of the consumer that is furthest behind.
    ///
    /// - Parameters:
    ///   - head: The end of the history.
    ///   - first: The number of the first transaction that is kept.
    ///   - name: The only consumer that counts; nil for all of them.
    /// - Returns: The place; nil if pruning waits for no consumer: one that cannot read the first transaction that
    ///   is kept must begin again in any case.
    /// - Throws: As a read.
    func slowestConsumer(
        in head: HistoryToken, from first: Int64, named name: String? = nil
    ) throws -> Int64? {
        try historyConsumers(where: .constant(true)).filter { name == nil || $0.name == name }.map(\.token)
            .filter { $0.era == head.era && $0.sequence >= first - 1 }.map(\.sequence).min()
    }

    /// The driver beneath the one that records: what is done to the history is no part of it.
    package var unrecordedDriver: any TransactionDriver {
        driver.capability(RecordingDriver.self)?.base ?? driver
    }
}

extension Condition {
    fileprivate static func isConsumer(_ name: String) -> Condition {
        .compare(.attribute("name"), .equal, .value(.text(name)))
    }
}
