/// How far a switch has come, as both stores say.
public struct SwitchStatus: Sendable, Hashable {
    /// What the stores are waiting for.
    public let phase: Phase
    /// The location of the new store; nil if no switch was ever begun.
    public let target: String?
    /// The number of rows copied so far; nil unless the switch is under way.
    public let rows: Int?
    /// The number of committed writes that the new store does not have yet; nil unless the switch is under way.
    ///
    /// In a store with scopes it is the sum over those that were copied.
    public let lag: Int64?

    /// Whether a switch was begun that is neither complete nor given up.
    public var isUnderWay: Bool { [.copying, .catchingUp, .verifying, .fenced].contains(phase) }

    /// The states of a switch, in their order.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// No switch was begun.
        case none
        /// Rows are being copied; the old store is written and read as before.
        case copying
        /// All rows are there, and what is written meanwhile is being followed.
        case catchingUp
        /// The new store is complete, and is being compared.
        case verifying
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
