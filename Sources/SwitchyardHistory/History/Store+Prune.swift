public import Foundation

extension Store {
    /// Deletes the oldest transactions of the history, in steps that hold up other writers only for a moment.
    ///
    /// The rows of the store are not touched. The last transaction is kept in any case, so that the numbers go on, and
    /// so is what a consumer of the history has yet to read (`WriteTransaction.setHistoryToken(_:ofConsumer:)`).
    ///
    /// ```swift
    /// try await store.pruneHistory()
    /// ```
    ///
    /// While a store with scopes is switched to another place, nothing is deleted: the switch follows all of them. Nor is
    /// what a mirrored device has yet to send, in any case: it is nowhere else.
    ///
    /// - Parameters:
    ///   - count: How many of the last transactions are kept; nil if only their age decides.
    ///   - date: The time since when they are kept, by the clocks of the devices that wrote; nil if only their number
    ///     decides. The first one that is not older ends it, so that one with a wrong clock deletes nothing before it. If
    ///     neither is given, the store's own retention decides (`keepHistory(retention:)`).
    ///   - scope: The scope whose history is pruned; nil for the one that the store was opened with.
    ///   - leavesConsumersBehind: Whether to delete what a consumer has yet to read, too: its next read throws
    ///     `historyPruned`.
    /// - Returns: The number of transactions deleted.
    /// - Throws: `invalidArgument` for a negative number; `unsupported` if the store never kept a history; as `write(_:_:)`.
    ///   Steps that were done before stay done.
    @discardableResult
    public func pruneHistory(
        keepingLast count: Int? = nil, since date: Date? = nil, in scope: StoreScope? = nil,
        leavingConsumersBehind leavesConsumersBehind: Bool = false
    ) async throws -> Int {
        guard count ?? 0 >= 0 else {
            throw StoreError(.invalidArgument, "The number of transactions to keep cannot be negative.")
        }
        let limits =
            count == nil && date == nil
            ? nil : PruningLimits(count: count, time: try date.map { try Timestamp.requireComparable($0) })
        var deleted = 0
        while true {
            let step = try await write(WriteOptions(scope: scope)) { tx in
                try tx.pruneHistory(limits, leavingConsumersBehind: leavesConsumersBehind)
            }
            deleted += step
            if step < mostPruned { return deleted }
        }
    }
}

/// The maximum number of transactions that one write deletes.
private let mostPruned = 500

/// Which transactions are kept: what one of the two keeps.
private struct PruningLimits {
    /// How many of the last ones.
    let count: Int?
    /// Since when, in microseconds since 1970.
    let time: Int64?

    init(count: Int?, time: Int64?) {
        self.count = count
        self.time = time
    }

    /// The limits of a store's retention now; nil if it has none.
    ///
    /// - Throws: `invalidArgument` for a negative retention.
    init?(_ retention: HistoryRetention) throws {
        try retention.requireValid()
        guard retention != .unlimited else { return nil }
        count = retention.transactions
        time = try retention.seconds.map {
            try Timestamp.requireComparable(Date(timeIntervalSinceNow: -Double($0)))
        }
    }
}

extension StoreMarker {
    /// Whether a switch has yet to read the history of every scope.
    ///
    /// It is no consumer of each: there may be many, and others come meanwhile.
    fileprivate var isFollowedInAllScopes: Bool {
        scopeColumn != nil && switching?.isUnderWay == true
    }
}

extension WriteTransaction {
    /// Deletes the oldest transactions of the history, as many as one step may.
    ///
    /// - Parameters:
    ///   - limits: Which ones are kept; nil to go by the store's retention.
    ///   - leavesConsumersBehind: Whether those that a consumer has yet to read are deleted, too.
    /// - Returns: The number deleted.
    /// - Throws: As any other operation.
    fileprivate func pruneHistory(
        _ limits: PruningLimits?, leavingConsumersBehind leavesConsumersBehind: Bool
    ) throws -> Int {
        let head = try historyToken()
        return try perform {
            let marker = try driver.maintenance.marker()
            guard let limits = try limits ?? PruningLimits(marker.history?.retention ?? .unlimited),
                leavesConsumersBehind || !marker.isFollowedInAllScopes
            else { return 0 }
            var last = head.sequence - Int64(max(limits.count ?? 1, 1))
            let mustWait =
                leavesConsumersBehind ? marker.mirror?.server.map { _ in MirrorRole.consumer } : nil
            if !leavesConsumersBehind || mustWait != nil, let first = try firstInHistory(head.era),
                let slowest = try slowestConsumer(in: head, from: first, named: mustWait)
            {
                last = min(last, slowest)
            }
            let old = try transactions(
                before: HistoryRowID(era: head.era, sequence: max(last, 0) + 1), olderThan: limits.time)
            guard let youngest = old.last else { return 0 }
            for (entity, bound) in [
                (Entity.historyTransaction, youngest.value), (.historyBlock, .uuid(youngest.block(.max))),
            ] {
                _ = try unrecordedDriver.delete(
                    from: entity,
                    where: .compare(.attribute("id"), .lessOrEqual, .value(bound)))
            }
            return old.count
        }
    }

    /// The number of the first transaction that is kept; nil if none is.
    private func firstInHistory(_ era: Int64) throws -> Int64? {
        var first: Int64?
        try driver.select(
            Selection(
                entity: .historyTransaction, columns: [.attribute("id")],
                condition: .compare(
                    .attribute("id"), .greater, .value(HistoryRowID(era: era, sequence: 0).value)),
                order: [SortKey("id")], limit: 1)
        ) { row in
            first = try HistoryRowID(from: &row).sequence
            return true
        }
        return first
    }

    /// The ids of the oldest transactions, up to the first one that is not old enough.
    private func transactions(
        before end: HistoryRowID, olderThan time: Int64?
    ) throws -> [HistoryRowID] {
        var old: [HistoryRowID] = []
        try driver.select(
            Selection(
                entity: .historyTransaction, columns: [.attribute("id"), .attribute("time")],
                condition: .compare(.attribute("id"), .less, .value(end.value)),
                order: [SortKey("id")], limit: mostPruned)
        ) { row in
            let id = try HistoryRowID(from: &row)
            if let time, try row.microseconds() >= time { return false }
            old.append(id)
            return true
        }
        return old
    }
}
