public import Foundation

/// The record of a switch to or from another store, in a store's marker.
///
/// Both stores have one, with the same id, so that either leads to the other and shows the state of the
/// switch.
public struct SwitchRecord: Sendable, Hashable, Codable {
    /// The identity of the switch.
    public let id: UUID
    /// Its state.
    public var state: State
    /// The location of the other store; never a password.
    public internal(set) var peer: String
    /// In the old store, whether a history is kept only for the switch.
    package var startedHistory = false
    /// In the old store, whether the switch stays before the fence until told otherwise.
    package var isRehearsal = false
    /// In the old store, whether it may have accepted writes again after the new one had taken over.
    package var hasLostFence: Bool?
    /// In the new store, the rows of the old one that it has.
    package var copied: Copied?
    /// The digests of the old store's rows that the new one was compared with, by entity: in the new store
    /// once it is active, and in the old one once it is a backup.
    package var compared: [String: String]?
    /// In the new store, the findings of a rehearsal.
    package var findings: RehearsalFindings?

    /// The state of a switch.
    public enum State: String, Sendable, Hashable, Codable, CaseIterable {
        /// Rows are being copied; the old store is written and read as before.
        case copying
        /// The new store is complete, was found equal, and follows the old one, which is written and read as before.
        case rehearsing
        /// The old store is fenced, and the last writes are being copied.
        case fenced
        /// The new store is active; the old one is kept as a backup.
        case committed
        /// The switch was aborted. The old store is active, and the new one an incomplete copy.
        case aborted
    }

    /// The rows of the old store that the new one has, as of a position in the old store's history: all rows
    /// of some entities, and those of the next one up to an id.
    ///
    /// In a store with scopes, this concerns the scope that the token names: the one that was copied or
    /// followed last. Earlier scopes are copied up to positions of their own, which the new store keeps in
    /// each of them (`WriteTransaction.setFollowedToken`).
    package struct Copied: Sendable, Hashable, Codable {
        /// The position in the history of the old store.
        package var token: HistoryToken
        /// The number of entities, in the order of the schema, whose rows are all copied.
        package var entities: Int
        /// The id of the last copied row of the next entity; nil if none is copied.
        package var last: UUID?
        /// The id of the last copied operation; nil if none is copied.
        package var lastOperation: OperationID?
        /// Whether all recorded operations are copied.
        package var hasOperations = false
        /// Whether all scopes that the old store has were copied once; nil for a store without scopes.
        package var hasAllScopes: Bool?
        /// The number of rows copied so far, of all scopes.
        package var rows: Int
        /// Whether the new store has its indexes and foreign keys.
        package var hasConstraints = false
        /// The process that copies: the last one to begin; an earlier one gives way to it.
        package var runner: UUID?

        package init(token: HistoryToken) {
            self.token = token
            (entities, last, rows) = (0, nil, 0)
        }

        /// The content when another scope has nothing yet, or everything up to a position in its history.
        package func beginning(_ token: HistoryToken, with schema: Schema? = nil) -> Copied {
            var copied = self
            copied.token = token
            (copied.last, copied.lastOperation) = (nil, nil)
            (copied.entities, copied.hasOperations) = (schema?.entities.count ?? 0, schema != nil)
            return copied
        }

        /// Whether only future changes of the store or the scope remain to be copied.
        package func isComplete(for schema: Schema) -> Bool {
            entities == schema.entities.count && hasOperations
        }
    }

    /// Whether the switch is neither complete nor aborted.
    package var isUnderWay: Bool { [.copying, .rehearsing, .fenced].contains(state) }

    package init(id: UUID, state: State, peer: String) {
        self.id = id
        self.state = state
        self.peer = peer
    }
}

extension StoreMarker {
    /// Records no more changes.
    package mutating func stopHistory() { history?.isKept = false }

    /// Makes this the marker of the store that takes over from another one: with the identity and the settings of that,
    /// and one generation later.
    ///
    /// Its history is a new one, since that of the other store stays there; that of a mirrored store goes on, and was copied.
    ///
    /// - Throws: `unsupported` if there can be no later generation, or no later history.
    package mutating func takeOver(from other: StoreMarker, keepingHistory keepsHistory: Bool) throws {
        guard other.generation < Int64.max - 1, other.history?.era ?? 0 < HistorySettings.greatest.era else {
            throw StoreError(.unsupported, "The store was switched, or its history was begun, too often.")
        }
        storeID = other.storeID
        generation = other.generation + 1
        role = .active
        successor = nil
        mirror = other.mirror
        history = other.history.map { old in
            HistorySettings(
                isKept: keepsHistory, era: mirror == nil ? old.era + 1 : old.era, retention: old.retention)
        }
    }
}
