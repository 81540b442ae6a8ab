/// A scope that a store holds something of.
public struct HeldScope: Sendable, Hashable {
    /// The scope.
    public let scope: StoreScope
    /// The greatest id in the table of its history, which grows with every change; nil if it is empty.
    public let lastOfHistory: Int64?

    /// Creates an entry.
    public init(_ scope: StoreScope, lastOfHistory: Int64?) {
        self.scope = scope
        self.lastOfHistory = lastOfHistory
    }

    /// The number of transactions after a place in the scope's history.
    package func transactions(after token: HistoryToken) -> Int64 {
        guard let lastOfHistory else { return 0 }
        let (last, place) = (
            HistoryRowID(rawValue: lastOfHistory), HistoryRowID(era: token.era, sequence: token.sequence)
        )
        return last > place ? max(last.sequence - token.sequence, 1) : 0
    }
}
