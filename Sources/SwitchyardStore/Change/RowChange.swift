package import Foundation

/// The combined effect of a transaction on one row.
package struct RowChange: Sendable, Hashable {
    /// The entity's name.
    package let entity: String
    /// The row.
    package let id: UUID
    /// The kind of change.
    package let kind: HistoryChange.Kind
    /// The positions of the attributes whose values `before` holds: those that an update changed, all of a
    /// deleted row, none of an inserted one; never attributes that are left out of the history.
    package let attributes: [Int]
    /// The values before the transaction.
    package let before: [StoredValue]

    /// Describes a change.
    package init(
        entity: String, id: UUID, kind: HistoryChange.Kind, attributes: [Int] = [], before: [StoredValue] = []
    ) {
        self.entity = entity
        self.id = id
        self.kind = kind
        self.attributes = attributes
        self.before = before
    }
}
