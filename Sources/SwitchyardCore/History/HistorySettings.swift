/// Whether a store keeps a history of its changes.
public struct HistorySettings: Sendable, Hashable, Codable {
    /// Whether changes are recorded.
    public internal(set) var isKept: Bool
    /// Counts how often the history was begun: changes that were not recorded lie between one era and the next.
    public internal(set) var era: Int64

    /// The era that a write must record its changes in; 0 if it need not.
    var currentEra: Int64 { isKept ? era : 0 }
}
