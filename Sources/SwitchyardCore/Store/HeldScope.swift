/// A scope of which a store holds something.
public struct HeldScope: Sendable, Hashable {
    /// The scope.
    public let scope: StoreScope
    /// The greatest id in the table of its history, which tells of every change; nil if it has none.
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
