/// One attribute to sort by.
public struct SortKey: Sendable, Hashable, Codable {
    /// The attribute's name.
    public let attribute: String
    /// The direction.
    ///
    /// Nil comes first ascending and last descending.
    public let direction: SortDirection

    /// Names an attribute and a direction.
    public init(_ attribute: String, _ direction: SortDirection = .ascending) {
        self.attribute = attribute
        self.direction = direction
    }
}

/// The direction of a sort.
public enum SortDirection: String, Sendable, Hashable, Codable {
    /// Smallest first.
    case ascending
    /// Greatest first.
    case descending
}
