package import Foundation
package import SwitchyardCore

/// The rows that mutations are merged into: the server's, in one transaction.
package protocol MergeTarget {
    /// The whole row of a key; nil if it does not exist.
    func row(_ key: RowKey) throws -> [StoredValue]?

    /// Inserts, replaces or deletes rows, and nothing else: delete rules are the merge's task.
    ///
    /// - Parameter rows: Each row's key, the row before, and the row after.
    /// - Throws: `Rejection` with the code `unique` or `value`.
    func write(_ rows: [RowWrite]) throws

    /// The rows of an entity with some values, by the positions of their attributes.
    func keys(of entity: Entity, holding values: [Int: StoredValue]) throws -> [RowKey]

    /// The row that another one was merged into, since they had the same unique key; nil if it was not.
    func alias(of key: RowKey) throws -> RowKey?

    /// Notes that a row was merged into another, as long as devices may name it; nil if it is a row of its own again.
    func setAlias(of key: RowKey, to other: RowKey?) throws

    /// How rows were offered last, of those that were.
    func offers(of keys: some Collection<RowKey>) throws -> [RowKey: RowOffer]

    /// Notes how rows are offered.
    func noteOffers(_ offers: [RowKey: RowOffer]) throws

    /// The number of the transaction that is being made, or of the next one if that changes nothing.
    func nextSequence() throws -> Int64

    /// The edits of a row by transactions after a place that are still kept, the oldest first.
    func edits(of key: RowKey, after sequence: Int64) throws -> [RowEdit]

    /// Whether transactions after a place are not kept any more.
    func isPruned(after sequence: Int64) throws -> Bool

    /// A time that no pruned transaction is later than; the least of all numbers if none was pruned.
    func horizon() throws -> Int64

    /// Adds to the conflict log.
    func log(_ conflict: Conflict) throws
}

/// A row before and after a write.
package struct RowWrite: Sendable, Hashable {
    package let key: RowKey
    package let before: [StoredValue]?
    package let after: [StoredValue]?

    package init(_ key: RowKey, before: [StoredValue]?, after: [StoredValue]?) {
        self.key = key
        self.before = before
        self.after = after
    }
}

/// How a row was offered to a restored server.
package struct RowOffer: Sendable, Hashable {
    /// The number of the lost transaction that the row was received with.
    package let received: Int64
    /// The number of the transaction that the offer was carried out with, or of the one after it if it changed nothing.
    package let sequence: Int64

    package init(received: Int64, sequence: Int64) { (self.received, self.sequence) = (received, sequence) }
}

/// What a transaction of the server did to a row.
package struct RowEdit: Sendable, Hashable {
    package let sequence: Int64
    /// When the edit was made, and its transaction, which decides between two of the same time.
    package let stamp: EditStamp
    /// The positions of the changed attributes; nil for all of them, by an insert or a delete.
    package let attributes: [Int]?
    /// The values before, as far as the edit has changed them; nil where one is not known.
    package let before: [StoredValue?]
    package let isDeletion: Bool
    /// The number of the lost transaction that the row was received with, if it was offered.
    package let offered: Int64?

    package init(
        sequence: Int64, stamp: EditStamp, attributes: [Int]?, before: [StoredValue?],
        isDeletion: Bool, offered: Int64? = nil
    ) {
        self.sequence = sequence
        self.stamp = stamp
        self.attributes = attributes
        (self.before, self.isDeletion) = (before, isDeletion)
        self.offered = offered
    }

    func concerns(_ attribute: Int) -> Bool { attributes?.contains(attribute) ?? true }
}

/// The order of edits: by time, then by the transaction's id.
package struct EditStamp: Sendable, Hashable, Comparable {
    package let time: Int64
    package let id: UUID

    package init(time: Int64, id: UUID) {
        self.time = time
        self.id = id
    }

    package static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.time == rhs.time ? lhs.id < rhs.id : lhs.time < rhs.time
    }
}
