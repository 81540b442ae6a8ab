public import SwitchyardCore

/// The status of a switch, according to both stores.
public struct SwitchStatus: Sendable, Hashable {
    /// The current phase.
    public internal(set) var phase: Phase
    /// The location of the new store; nil if no switch was ever begun.
    public internal(set) var target: String?
    /// Where the data came from by the last switch, which brought it to this store; nil unless the phase is `none`.
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
        isToBeTidiedUp || ![.none, .retained, .retired, .aborted].contains(phase)
    }

    /// The states of a switch, in their order.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// No switch was begun.
        case none
        /// The old store knows of the switch, and the new one has no rows yet.
        case planned
        /// Rows are being copied; the old store is written and read as before.
        case copying
        /// All rows are copied, and later writes are being copied.
        case catchingUp
        /// The new store is complete, and is being compared.
        case verifying
        /// The new store equals the old one, and follows it during the rehearsal.
        case rehearsing
        /// The old store is fenced, and the last writes are being copied.
        case fenced
        /// The new store is active; the old one is kept as a backup.
        case retained
        /// The new store is active; the backup is no longer needed.
        case retired
        /// The switch was aborted; the old store is active.
        case aborted
    }
}
