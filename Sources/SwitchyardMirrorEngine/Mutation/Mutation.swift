package import Foundation
package import SwitchyardCore

/// A local transaction on its way to the server.
///
/// Its id becomes the id of the server's transaction, so that carrying it out a second time is noticed, whichever
/// device, clone or backup sends it.
package struct Mutation: Sendable, Hashable {
    /// The id, unchanged however often the mutation is sent.
    package let id: UUID
    /// When the edit was made, by the device's clock, in microseconds since 1970.
    package var time: Int64
    /// The author of the write; nil if it named none.
    package var author: String?
    /// The mutation that this one has undone, if it is an undo.
    package var undone: UUID?
    /// The number of the last transaction of the server that the device had applied when the edit was made.
    package var cursor: Int64
    /// The changed rows, each one once.
    package var changes: [MutationChange]

    package init(
        id: UUID, time: Int64, author: String? = nil, undone: UUID? = nil, cursor: Int64,
        changes: [MutationChange]
    ) {
        self.id = id
        self.time = time
        self.author = author
        self.undone = undone
        self.cursor = cursor
        self.changes = changes
    }

    /// Whether it offers rows that a restored server has lost, instead of edits.
    package var isOffer: Bool {
        changes.contains { if case .offer = $0 { true } else { false } }
    }
}

/// The place of a row: its entity and its id.
package struct RowKey: Sendable, Hashable, Comparable {
    package let entity: String
    package let id: UUID

    package init(_ entity: String, _ id: UUID) {
        self.entity = entity
        self.id = id
    }

    package static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.entity == rhs.entity ? lhs.id < rhs.id : lhs.entity < rhs.entity
    }
}

/// What a mutation does to one row.
///
/// Values are in the order of the entity's attributes; the first is the id.
package enum MutationChange: Sendable, Hashable {
    case insert(RowKey, [StoredValue])
    case update(RowKey, [AttributeEdit])
    /// A nil stands for a value that the history does not keep.
    case delete(RowKey, before: [StoredValue?])
    /// What the device has received of a row from a server that has lost it since: the row, or nil if it was deleted, and
    /// the number of the lost transaction.
    case offer(RowKey, [StoredValue]?, received: Int64)

    /// The row.
    package var key: RowKey {
        switch self {
        case .insert(let key, _), .update(let key, _), .delete(let key, _), .offer(let key, _, _): key
        }
    }
}

/// An edit of one attribute: what three-way merging needs.
package struct AttributeEdit: Sendable, Hashable {
    /// The attribute's position in its entity.
    package let attribute: Int
    /// The value that the edit saw; nil if the history does not keep it.
    package let before: StoredValue?
    package let after: StoredValue

    package init(_ attribute: Int, before: StoredValue?, after: StoredValue) {
        self.attribute = attribute
        self.before = before
        self.after = after
    }
}

/// The current state of a row on the server, whole or the attributes that have changed.
package struct RowPatch: Sendable, Hashable {
    package let key: RowKey
    /// The values, nil where one is left out; nil altogether if there is no such row.
    package let values: [StoredValue?]?
    /// The device that has inserted the row, in a patch that tells of its insert; nil if it is not known.
    package var inserter: UUID?

    package init(_ key: RowKey, _ values: [StoredValue?]?, inserter: UUID? = nil) {
        self.key = key
        self.values = values
        self.inserter = inserter
    }

    /// Whether values are left out.
    package var isPart: Bool { values?.contains { $0 == nil } ?? false }

    /// The row with the patch applied to it.
    ///
    /// - Returns: Nil for a deleted row.
    /// - Throws: `corrupted` if the patch leaves out values, and there is no row to have them.
    package func applied(to row: [StoredValue]?) throws -> [StoredValue]? {
        guard let values else { return nil }
        guard let row else {
            return try values.map {
                guard let value = $0 else {
                    throw StoreError(
                        .corrupted, "The server sent a part of a row that this device does not have.",
                        entity: key.entity)
                }
                return value
            }
        }
        return values.enumerated().map { $1 ?? row[$0] }
    }
}

extension MutationChange {
    /// Its row with the change on top: what the device shows until it knows the verdict.
    package func overlay(on row: [StoredValue]?) -> [StoredValue]? {
        var row = row
        switch self {
        case .insert(_, let values): row = values
        case .update(_, let edits): for edit in edits { row?[edit.attribute] = edit.after }
        case .delete: row = nil
        // It is what the server told, not an edit.
        case .offer: break
        }
        return row
    }
}
