public import SwitchyardCore

/// How far a switch has come, as both stores say.
public struct SwitchStatus: Sendable, Hashable {
    /// What the stores are waiting for.
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
    /// Whether the switch is to stay before the fence, because it is rehearsed.
    public internal(set) var isRehearsal = false
    /// What an app's reads have found that were asked of both stores; nil if none were.
    public internal(set) var findings: RehearsalFindings?

    /// Whether the new store has taken over without the old one having been told.
    var isToBeTidiedUp = false

    /// Whether a switch was begun that is neither complete nor given up.
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
        /// All rows are there, and what is written meanwhile is being followed.
        case catchingUp
        /// The new store is complete, and is being compared.
        case verifying
        /// The new store has been found equal, and follows the old one for as long as the switch is rehearsed.
        case rehearsing
        /// The old store takes no more writes, and the last of them are being copied.
        case fenced
        /// The new store is the one to use; the old one is kept as a backup.
        case retained
        /// The new store is the one to use; the old one is not needed any more.
        case retired
        /// The switch was given up; the old store is the one to use.
        case aborted
    }
}
