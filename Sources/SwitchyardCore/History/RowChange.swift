package import Foundation

/// What a transaction has done to a row, all of its operations taken together.
package struct RowChange: Sendable, Hashable {
    /// What was done to a row.
    package enum Kind: UInt8, Sendable, Hashable { case insert, update, delete }

    /// The entity's name.
    package let entity: String
    /// The row.
    package let id: UUID
    /// What was done to it.
    package let kind: Kind
    /// The positions of the attributes whose values `before` holds: those that an update changed, all of a deleted
    /// row, none of an inserted one.
    package let attributes: [Int]
    /// The values before the transaction.
    package let before: [StoredValue]

    /// Describes a change.
    package init(
        entity: String, id: UUID, kind: Kind, attributes: [Int] = [], before: [StoredValue] = []
    ) {
        self.entity = entity
        self.id = id
        self.kind = kind
        self.attributes = attributes
        self.before = before
    }
}
