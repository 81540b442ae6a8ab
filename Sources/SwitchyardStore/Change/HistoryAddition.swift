package import Foundation

/// A transaction that is added to the history, but for its place.
///
/// A driver with the capability `HistoryAppending` finds the last row of the history, and inserts the one that follows:
///
/// ```swift
/// func append(_ addition: HistoryAddition) throws -> Bool {
///     // The last row of the table, if its id is greater than `addition.idBefore`.
///     let last = try lastRow(of: HistoryAddition.entity, after: addition.idBefore)
///     try put(try addition.row(after: last), into: HistoryAddition.entity)
///     return true
/// }
/// ```
public struct HistoryAddition: Sendable {
    let era: Int64
    /// The transaction's id.
    package let transaction: UUID
    /// Microseconds since 1970; the row gets the time of the transaction before, if that is later.
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
    /// The identity of the store that the transaction comes from; nil for one that was made in this one.
    let origin: UUID?

    /// The table that it becomes a row of.
    public static var entity: Entity { .historyTransaction }

    /// The id before that of the era's first transaction.
    package var start: HistoryRowID { HistoryRowID(era: era, sequence: 0) }

    /// Every transaction of the same history has a greater id; those of earlier ones have lesser ids.
    public var idBefore: Int64 { start.rawValue }

    /// The values of the transaction's row, in the order of the entity's attributes.
    ///
    /// - Parameter last: The values of the row with the greatest id above `idBefore`; nil without such a row.
    /// - Returns: The values; the first one is the id.
    /// - Throws: `corrupted` if the last row has no id, no digest or no time.
    public func row(after last: [StoredValue]?) throws -> [StoredValue] {
        let end = end(after: try last.map { try HistoryEndpoint($0) } ?? .start)
        return [
            HistoryRowID(era: era, sequence: end.position.sequence).value, .uuid(transaction),
            .blob(end.position.digest.data), .timestamp(end.time),
        ] + values.dropFirst()
    }

    /// The end of the history with the transaction after the last one.
    package func end(after last: HistoryEndpoint) -> HistoryEndpoint { last.next(transaction, at: time) }

    /// The values of the columns after the digest.
    ///
    /// The first is the time, unless the transaction before has a later one.
    package var values: [StoredValue] {
        [
            .timestamp(time), author.map { .text($0) } ?? .null, device.map { .text($0) } ?? .null,
            operation.map { .uuid($0) } ?? .null, undone.map { .uuid($0) } ?? .null, .blob(fingerprint),
            .int(Int64(count)), .int(Int64(furtherBlocks)), .blob(Data(firstBlock)),
            origin.map { .uuid($0) } ?? .null,
        ]
    }

    /// Writes the transaction's row, for an end of the history, the one after the last.
    func write(into row: inout RowWriter, at end: HistoryEndpoint) throws {
        row.write(integer: HistoryRowID(era: era, sequence: end.position.sequence).rawValue)
        transaction.write(into: &row)
        end.position.digest.write(into: &row)
        row.write(integer: end.time)
        try author.write(into: &row)
        try device.write(into: &row)
        try operation.write(into: &row)
        try undone.write(into: &row)
        try fingerprint.write(into: &row)
        row.write(integer: Int64(count))
        row.write(integer: Int64(furtherBlocks))
        firstBlock.withUnsafeBytes { row.write(.blob, bytes: $0) }
        try origin.write(into: &row)
    }
}
