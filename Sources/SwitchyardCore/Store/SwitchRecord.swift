public import Foundation

/// What a store's marker says of a switch to another store, or from one.
///
/// Both stores have one, with the same id, so that whoever finds either knows the other, and how far the switch has come.
public struct SwitchRecord: Sendable, Hashable, Codable {
    /// The identity of the switch.
    public let id: UUID
    /// How far it has come.
    public var state: State
    /// The location of the other store; never a password.
    public internal(set) var peer: String
    /// In the old store, whether a history is kept only for the switch.
    package var startedHistory = false
    /// In the old store, whether the switch is to stay before the fence until it is said otherwise.
    package var isRehearsal = false
    /// In the old store, whether it may have taken writes again after the new one had taken over.
    package var hasLostFence: Bool?
    /// In the new store, the rows of the old one that it has.
    package var copied: Copied?
    /// The digests of the old store's rows that the new one was compared with, by the name of the entity: in the new store
    /// once it is the one to use, and in the old one once it is a backup.
    package var compared: [String: String]?
    /// In the new store, what the reads of a rehearsal have found.
    package var findings: RehearsalFindings?

    /// How far a switch has come.
    public enum State: String, Sendable, Hashable, Codable, CaseIterable {
        /// Rows are being copied; the old store is written and read as before.
        case copying
        /// The new store is complete, was found equal, and follows the old one, which is written and read as before.
        case rehearsing
        /// The old store takes no more writes, and the last of them are being copied.
        case fenced
        /// The new store is the one to use; the old one is kept as a backup.
        case committed
        /// The switch was given up. The old store is the one to use, and the new one an incomplete copy.
        case aborted
    }

    /// Which rows of the old store the new one has: those that the old one had at a place in its history, of some
    /// entities all, and of the next one those up to an id.
    ///
    /// In a store with scopes, this is said of one scope, which the token names: the one that was copied or followed last. All
    /// that were copied before are there up to places of their own, which the new store keeps in each of them
    /// (`WriteTransaction.setFollowedToken`).
    package struct Copied: Sendable, Hashable, Codable {
        /// The place in the history of the old store.
        package var token: HistoryToken
        /// The number of entities, in the order of the schema, all of whose rows are there.
        package var entities: Int
        /// Of the next entity, the id of the last row that is there; nil if none is.
        package var last: UUID?
        /// The id of the last recorded operation that is there; nil if none is.
        package var lastOperation: OperationID?
        /// Whether all recorded operations are there.
        package var hasOperations = false
        /// Whether all scopes that the old store has were copied once; nil for a store without scopes.
        package var hasAllScopes: Bool?
        /// The number of rows copied so far, of all scopes.
        package var rows: Int
        /// Whether the new store has its indexes and foreign keys.
        package var hasConstraints = false
        /// Who is copying: the last one to take that up, before whom an earlier one gives way.
        package var runner: UUID?

        package init(token: HistoryToken) {
            self.token = token
            (entities, last, rows) = (0, nil, 0)
        }

        /// What is there when another scope has nothing yet, or everything up to a place in its history.
        package func beginning(_ token: HistoryToken, with schema: Schema? = nil) -> Copied {
            var copied = self
            copied.token = token
            (copied.last, copied.lastOperation) = (nil, nil)
            (copied.entities, copied.hasOperations) = (schema?.entities.count ?? 0, schema != nil)
            return copied
        }

        /// Whether there is nothing left to copy, of the store or of the scope, but what is changed from now on.
        package func isComplete(for schema: Schema) -> Bool {
            entities == schema.entities.count && hasOperations
        }
    }

    /// Whether the switch is neither complete nor given up.
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
    /// Its history is a new one, since that of the other store stays there.
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
        history = other.history.map { old in
            HistorySettings(isKept: keepsHistory, era: old.era + 1, retention: old.retention)
        }
    }
}
