public import Foundation

/// A place in the history of a store: after which transaction.
///
/// It can be kept for months, as JSON for example, and be used by another process or on another device. It remembers
/// which history it was taken from: one of another store, or of a backup that has gone another way since, is refused.
public struct HistoryToken: Sendable, Hashable, Codable {
    /// The identity of the store.
    public let storeID: UUID
    /// The scope whose history it is; nil in a store without scopes.
    public let scope: StoreScope?
    /// Counts how often the store's history was begun.
    public let era: Int64
    /// The number of the transaction; 0 for the place before the first.
    public let sequence: Int64
    /// 16 bytes that depend on all transactions up to there.
    let digest: Data

    init(storeID: UUID, scope: StoreScope?, era: Int64, _ position: HistoryPosition) {
        self.storeID = storeID
        self.scope = scope
        self.era = era
        sequence = position.sequence
        digest = position.digest
    }

    var position: HistoryPosition { HistoryPosition(sequence: sequence, digest: digest) }
}
