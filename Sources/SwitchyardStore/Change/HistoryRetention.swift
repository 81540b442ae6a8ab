/// Whether a store keeps a history of its changes, and how much of it.
public struct HistorySettings: Sendable, Hashable, Codable {
    /// Whether changes are recorded.
    public package(set) var isKept: Bool
    /// Counts how often the history was begun: changes that were not recorded lie between one era and the next.
    public package(set) var era: Int64
    /// The part of the history that `Store.pruneHistory()` keeps.
    public package(set) var retention: HistoryRetention

    package init(isKept: Bool, era: Int64, retention: HistoryRetention) {
        self.isKept = isKept
        self.era = era
        self.retention = retention
    }

    /// The era that a write must record its changes in; 0 if it need not.
    var currentEra: Int64 { isKept ? era : 0 }
}

/// The transactions of a store's history to keep: the last ones, the youngest ones, or both.
///
/// It is a setting of the store, shared by all that open it. Nothing is deleted before a call of
/// `Store.pruneHistory()`.
public struct HistoryRetention: Sendable, Hashable, Codable {
    /// The number of last transactions to keep; nil if only their age decides.
    public let transactions: Int?
    /// For how many seconds a transaction is kept, by the clock of the device that wrote it; nil if only their number
    /// decides.
    public let seconds: Int?

    /// Everything is kept.
    public static let unlimited = HistoryRetention()

    /// Keeps the last transactions and the youngest ones; everything if neither number is given.
    public init(transactions: Int? = nil, seconds: Int? = nil) {
        self.transactions = transactions
        self.seconds = seconds
    }

    /// Refuses negative numbers.
    ///
    /// - Throws: `invalidArgument`.
    package func requireValid() throws {
        guard transactions ?? 0 >= 0, seconds ?? 0 >= 0 else {
            throw StoreError(
                .invalidArgument, "A history's retention cannot be negative. Leave a limit out to have none.")
        }
    }
}
