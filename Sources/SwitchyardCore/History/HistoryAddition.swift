package import Foundation

/// A transaction that is added to the history, but for its place.
package struct HistoryAddition {
    let era: Int64
    /// The transaction's id.
    package let transaction: UUID
    /// The values of the columns after the digest.
    package let values: [StoredValue]

    /// The table of which it becomes a row.
    package static var entity: Entity { .historyTransaction }

    /// The id before that of the era's first transaction.
    package var start: HistoryRowID { HistoryRowID(era: era, sequence: 0) }

    /// The place of the transaction after the last one.
    package func place(after last: HistoryPosition) -> HistoryPosition { last.next(transaction) }

    /// The row of the transaction at a place, the one after the last.
    func row(at place: HistoryPosition) -> [StoredValue] {
        [id(at: place).value, .uuid(transaction), .blob(place.digest)] + values
    }

    /// The id of that row.
    package func id(at place: HistoryPosition) -> HistoryRowID {
        HistoryRowID(era: era, sequence: place.sequence)
    }
}

/// A driver that can find the end of the history and add a transaction there at once.
package protocol HistoryAppendingDriver: TransactionDriver {
    /// Adds a transaction after the last one.
    ///
    /// - Returns: False if it cannot.
    func append(_ addition: HistoryAddition) throws -> Bool
}
