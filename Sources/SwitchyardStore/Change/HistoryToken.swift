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
    package let digest: Data

    package init(storeID: UUID, scope: StoreScope?, era: Int64, _ position: HistoryPosition) {
        self.storeID = storeID
        self.scope = scope
        self.era = era
        sequence = position.sequence
        digest = position.digest.data
    }

    /// Reads the era, the number and the digest that a consumer has noted.
    ///
    /// - Throws: `corrupted`.
    package init(storeID: UUID, scope: StoreScope?, from row: inout RowReader) throws {
        let era = try Int64(from: &row)
        let position = HistoryPosition(
            sequence: try Int64(from: &row), digest: try HistoryDigest(from: &row))
        self.init(storeID: storeID, scope: scope, era: era, position)
        guard isPossible else { throw StoreError.damagedHistory() }
    }

    /// Whether a history can have the place.
    var isPossible: Bool {
        (0...HistorySettings.greatest.era).contains(era)
            && (0...HistorySettings.greatest.sequence).contains(sequence)
    }

    /// The position, without its history; nil if no history can have the token.
    package var position: HistoryPosition? {
        HistoryDigest(digest).map { HistoryPosition(sequence: sequence, digest: $0) }
    }
}
