public import Foundation
public import SwitchyardCore

/// Values that a merge on the server did not keep, so that somebody can restore them.
public struct MirrorConflict: Sendable, Hashable, Identifiable {
    /// An attribute's two values.
    public struct Value: Sendable, Hashable {
        /// The attribute's name.
        public let attribute: String
        /// The value that was not kept.
        public let losing: StoredValue
        /// The value that was kept; nil if the row is gone.
        public let winning: StoredValue?
    }

    /// The entry's id.
    public let id: UUID
    /// When it was logged, by the server's clock.
    public let date: Date
    /// The name of the device whose write met the conflict, which is not always the one that lost.
    public let device: String?
    /// Why the values were not kept.
    public let reason: ConflictReason
    /// The name of the row's entity.
    public let entity: String
    /// The row's id.
    public let row: UUID
    /// The values.
    public let values: [Value]

    init(_ entry: LoggedConflict, _ schema: Schema) throws {
        let conflict = entry.conflict
        let entity = try schema.require(conflict.key.entity)
        id = entry.id
        date = Date(timeIntervalSince1970: Double(entry.time) / 1_000_000)
        device = entry.device
        reason = conflict.reason
        (self.entity, row) = (entity.name, conflict.key.id)
        values = conflict.values.map {
            Value(attribute: entity.attributes[$0.attribute].name, losing: $0.losing, winning: $0.winning)
        }
    }
}

/// A local write that the server has rejected, and that is kept until somebody decides.
public struct RejectedWrite: Sendable, Hashable, Identifiable {
    /// What it does to a row.
    public struct Change: Sendable, Hashable {
        /// The kind of the change.
        public let kind: HistoryChange.Kind
        /// The name of the row's entity.
        public let entity: String
        /// The row's id.
        public let row: UUID
        /// The new values, by attribute; empty for a delete.
        public let values: [String: StoredValue]
    }

    /// The id of the write in the store's history.
    public let id: UUID
    /// When it was made, by the device's clock.
    public let date: Date
    /// Its author; nil if it named none.
    public let author: String?
    /// Why it was rejected.
    public let reason: RejectionReason
    /// The name of the entity concerned.
    public let entity: String
    /// The name of the attribute concerned, if one is known.
    public let attribute: String?
    /// The changes.
    public let changes: [Change]

    init(_ mutation: Mutation, _ rejection: Rejection, _ schema: Schema) throws {
        id = mutation.id
        date = Date(timeIntervalSince1970: Double(mutation.time) / 1_000_000)
        author = mutation.author
        reason = rejection.code
        (entity, attribute) = (rejection.entity, rejection.attribute)
        changes = try mutation.changes.compactMap { change in
            let attributes = try schema.require(change.key.entity).attributes.map(\.name)
            func made(_ kind: HistoryChange.Kind, _ values: [String: StoredValue]) -> Change {
                Change(kind: kind, entity: change.key.entity, row: change.key.id, values: values)
            }
            switch change {
            case .insert(_, let values):
                return made(.insert, Dictionary(uniqueKeysWithValues: zip(attributes, values)))
            case .update(_, let edits):
                return made(
                    .update,
                    Dictionary(edits.map { (attributes[$0.attribute], $0.after) }, uniquingKeysWith: { $1 }))
            case .delete: return made(.delete, [:])
            // The server was given what it had lost; no write was made.
            case .offer: return nil
            }
        }
    }
}
