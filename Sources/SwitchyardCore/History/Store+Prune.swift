public import Foundation

extension Store {
    /// Deletes the oldest transactions of the history, in steps that hold up other writers only for a moment.
    ///
    /// The rows of the store are not touched. The last transaction is kept in any case, so that the numbers go on.
    ///
    /// - Parameters:
    ///   - count: How many of the last transactions are kept; nil if only their age decides.
    ///   - date: The time since when they are kept, by the clocks of the devices that wrote; nil if only their number
    ///     decides. The first one that is not older ends it, so that one with a wrong clock deletes nothing before it.
    ///   - scope: The scope whose history is pruned; nil for the one that the store was opened with.
    /// - Returns: The number of transactions deleted.
    /// - Throws: `invalidArgument` if neither is given, or the count is negative; `unsupported` if the store never kept a
    ///   history; as `write(_:_:)`. Steps that were done before stay done.
    @discardableResult
    public func pruneHistory(
        keepingLast count: Int? = nil, since date: Date? = nil, in scope: StoreScope? = nil
    ) async throws -> Int {
        guard count ?? 0 >= 0, count != nil || date != nil else {
            throw StoreError(
                .invalidArgument, "Say how many transactions are kept, or since when; not less than none.")
        }
        let time = try date.map { try Timestamp.requireComparable($0) }
        var deleted = 0
        while true {
            let step = try await write(WriteOptions(scope: scope)) { tx in
                try tx.pruneHistory(keepingLast: count, since: time)
            }
            deleted += step
            if step < mostPruned { return deleted }
        }
    }
}

/// The maximum number of transactions that one write deletes.
private let mostPruned = 500

extension WriteTransaction {
    /// Deletes the oldest transactions of the history, as many as one step may.
    fileprivate func pruneHistory(keepingLast count: Int?, since time: Int64?) throws -> Int {
        let head = try historyToken()
        return try perform {
            // What is done to the history is no part of it.
            let driver = (driver as? any RecordedDriver)?.recorder?.base ?? driver
            let last = head.sequence - Int64(max(count ?? 1, 1))
            let end = UUID(era: head.era, sequence: max(last, 0) + 1)
            var old: [UUID] = []
            try driver.select(
                Selection(
                    entity: .historyTransaction, columns: [.attribute("id"), .attribute("time")],
                    condition: .compare(.attribute("id"), .less, .value(.uuid(end))),
                    order: [SortKey("id")], limit: mostPruned)
            ) { row in
                let id = try UUID(from: &row)
                if let time, try row.microseconds() >= time { return false }
                old.append(id)
                return true
            }
            guard let youngest = old.last else { return 0 }
            for (entity, bound) in [
                (Entity.historyTransaction, youngest), (.historyBlock, youngest.lastHistoryBlock),
            ] {
                _ = try driver.delete(
                    from: entity,
                    where: .compare(.attribute("id"), .lessOrEqual, .value(.uuid(bound))))
            }
            return old.count
        }
    }
}
