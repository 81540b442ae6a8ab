package import Foundation

/// A transaction that is added to the history, but for its place.
package struct HistoryAddition {
    let era: Int64
    /// The transaction's id.
    package let transaction: UUID
    /// Microseconds since 1970.
    let time: Int64
    let author: String?
    let device: String?
    let operation: UUID?
    let undone: UUID?
    let fingerprint: Data
    /// The number of changes.
    let count: Int
    /// The first block of changes.
    let firstBlock: [UInt8]
    /// The number of blocks after the first, which have rows of their own.
    let furtherBlocks: Int

    /// The table of which it becomes a row.
    package static var entity: Entity { .historyTransaction }

    /// The id before that of the era's first transaction.
    package var start: HistoryRowID { HistoryRowID(era: era, sequence: 0) }

    /// The place of the transaction after the last one.
    package func place(after last: HistoryPosition) -> HistoryPosition { last.next(transaction) }

    /// The values of the columns after the digest.
    package var values: [StoredValue] {
        [
            .timestamp(time), author.map { .text($0) } ?? .null, device.map { .text($0) } ?? .null,
            operation.map { .uuid($0) } ?? .null, undone.map { .uuid($0) } ?? .null, .blob(fingerprint),
            .int(Int64(count)), .int(Int64(furtherBlocks)), .blob(Data(firstBlock)),
        ]
    }

    /// Inserts the transaction's row at a place, the one after the last.
    ///
    /// - Throws: `unique` if another transaction is there.
    package func insert(at place: HistoryPosition, by driver: some TransactionDriver) throws {
        var isWritten = false
        _ = try driver.insert(into: Self.entity, onConflict: .fail) { row in
            guard !isWritten else { return false }
            isWritten = true
            row.reset()
            try write(into: &row, at: place)
            return true
        }
    }

    private func write(into row: inout RowWriter, at place: HistoryPosition) throws {
        row.write(integer: HistoryRowID(era: era, sequence: place.sequence).rawValue)
        transaction.write(into: &row)
        place.digest.write(into: &row)
        row.write(integer: time)
        try author.write(into: &row)
        try device.write(into: &row)
        try operation.write(into: &row)
        try undone.write(into: &row)
        try fingerprint.write(into: &row)
        row.write(integer: Int64(count))
        row.write(integer: Int64(furtherBlocks))
        firstBlock.withUnsafeBytes { row.write(.blob, bytes: $0) }
    }
}

/// A driver that can find the end of the history and add a transaction there at once.
package protocol HistoryAppendingDriver: TransactionDriver {
    /// Adds a transaction after the last one.
    ///
    /// - Returns: False if it cannot.
    func append(_ addition: HistoryAddition) throws -> Bool
}
