/// The phases of a switch, in their order: what both stores say of it, what `StoreSwitch.run` tells, and what the command
/// prints.
public enum SwitchPhase: String, Sendable, Hashable, CaseIterable {
    /// The old store knows of the switch, and the new one has no rows yet.
    case planned
    /// Rows are being copied; the old store is written and read as before.
    case copying
    /// All rows are copied; the new store gets its indexes and foreign keys, and later writes are being copied.
    case indexing
    /// The new store is complete, and is being compared.
    case verifying
    /// The new store equals the old one, and follows it during the rehearsal.
    case rehearsing
    /// The old store is being fenced; the stores still say `verifying`.
    case fencing
    /// The old store takes no more writes; the last ones are being copied and compared.
    case fenced
    /// The new store is active; the old one is kept as a backup.
    case committed
    /// The new store is active; the backup is no longer needed.
    case retired
    /// The switch was aborted; the old store is active.
    case aborted
}
