/// What a member of a household may do.
public enum HouseholdRole: String, Sendable, Hashable, Codable, CaseIterable {
    /// Reads and writes, invites others and ends their membership.
    case owner
    /// Reads and writes.
    case member
    /// Reads.
    case reader

    /// Whether the member's changes of rows are carried out.
    public var mayWrite: Bool { self != .reader }
    /// Whether the member decides on who else belongs to the household.
    public var mayManage: Bool { self == .owner }
}
