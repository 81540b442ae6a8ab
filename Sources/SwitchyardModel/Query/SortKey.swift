/// An attribute to sort by, and the direction.
public struct SortKey: Sendable, Hashable, Codable {
    /// The attribute's name.
    public let attribute: String
    /// The direction.
    ///
    /// Nil comes first ascending and last descending.
    public let direction: SortDirection

    /// Creates a sort key.
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
