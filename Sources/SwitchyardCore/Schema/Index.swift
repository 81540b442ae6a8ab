/// An index over attributes, in their order.
public struct Index: Sendable, Hashable, Codable {
    /// The attributes' names.
    public let attributes: [String]
    /// The rows that the index holds; nil for all.
    public let filter: Condition?

    /// Describes an index.
    public init(_ attributes: [String], where filter: Condition? = nil) {
        self.attributes = attributes
        self.filter = filter
    }
}

/// A promise that no two rows agree in all of the named attributes.
public struct UniqueConstraint: Sendable, Hashable, Codable {
    /// The attributes' names.
    public let attributes: [String]
    /// The rows that the promise covers; nil for all.
    public let filter: Condition?
    /// Whether two nils count as different, so that any number of rows may have none.
    ///
    /// It is so by default.
    public let nilsAreDistinct: Bool

    /// Describes a unique constraint.
    public init(_ attributes: [String], where filter: Condition? = nil, nilsAreDistinct: Bool = true) {
        self.attributes = attributes
        self.filter = filter
        self.nilsAreDistinct = nilsAreDistinct
    }
}
