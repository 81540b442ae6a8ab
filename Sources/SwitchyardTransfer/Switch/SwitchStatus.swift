public import SwitchyardCore

/// The status of a switch, according to both stores.
public struct SwitchStatus: Sendable, Hashable {
    /// What the stores are waiting for; nil if no switch was begun.
    public internal(set) var phase: SwitchPhase?
    /// The location of the new store; nil if no switch was ever begun.
    public internal(set) var target: String?
    /// Where the data came from by the last switch, which brought it to this store; nil if a switch was begun from this store.
    public internal(set) var origin: String?
    /// The number of rows copied so far; nil unless the switch is under way.
    public internal(set) var rows: Int?
    /// The number of committed writes that the new store does not have yet; nil unless the switch is under way.
    ///
    /// In a store with scopes it is the sum over those that were copied.
    public internal(set) var lag: Int64?
    /// Whether the switch stays before the fence, because it is rehearsed.
    public internal(set) var isRehearsal = false
    /// The findings of an app's compared reads; nil if none were compared.
    public internal(set) var findings: RehearsalFindings?

    /// Whether the new store has taken over without the old one having been told.
    var isToBeTidiedUp = false

    /// Whether a switch was begun and is neither complete nor aborted.
    public var isUnderWay: Bool {
        isToBeTidiedUp || ![nil, .committed, .retired, .aborted].contains(phase)
    }
}
