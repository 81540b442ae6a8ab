/// The phases of a switch, in their order: what both stores say of it, what `StoreSwitch.run` tells, and what the command
/// prints.
public enum SwitchPhase: String, Sendable, Hashable, CaseIterable {
    /// The old store knows of the switch, and the new one has no rows yet.
    case planned
    /// Rows are being copied; the old store is written and read as before.
    case copying
    /// All rows are there; indexes and foreign keys are being made in the new store, and later writes copied.
    case indexing
    /// The new store is complete, and is being compared.
    case verifying
    /// The new store has been found equal, and follows the old one for as long as the switch is rehearsed.
    case rehearsing
    /// The old store is being told to take no more writes; until it has been, the stores say `verifying`.
    case fencing
    /// The old store takes no more writes, and the last of them are being copied and compared.
    case fenced
    /// The new store is the one to use; the old one is kept as a backup.
    case committed
    /// The new store is the one to use; the old one is not needed any more.
    case retired
    /// The switch was given up; the old store is the one to use.
    case aborted
}
