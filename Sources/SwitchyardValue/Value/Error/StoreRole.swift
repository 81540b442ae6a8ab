/// What a store is for at present.
public enum StoreRole: String, Sendable, Hashable, Codable, CaseIterable {
    /// The store to use.
    case active
    /// The target of a copy that is not yet complete.
    case copying
    /// Being migrated: its tables have their new form, and rows are still being filled.
    case migrating
    /// Replaced by another store; kept as a backup.
    case superseded
    /// Taken out of service, with nothing in its place.
    case retired
}
