/// An index over attributes, in their order.
///
/// If one of them is searchable, a second index over the folded copies serves searches for equal text and for prefixes.
public struct Index: Sendable, Hashable, Codable {
    /// The attributes' names.
    public let attributes: [String]
    /// The condition of the rows in the index; nil for all rows.
    public let filter: Condition?

    /// Creates an index.
    public init(_ attributes: [String], where filter: Condition? = nil) {
        self.attributes = attributes
        self.filter = filter
    }

    /// Whether an attribute is searchable, so that there is a second index over the folded copies.
    public func hasFoldedCopies(in entity: Entity) -> Bool {
        attributes.contains { entity.attribute($0)?.isSearchable == true }
    }
}

/// A constraint that no two rows have the same values in all of the named attributes.
public struct UniqueConstraint: Sendable, Hashable, Codable {
    /// The attributes' names.
    public let attributes: [String]
    /// The condition of the rows that the constraint covers; nil for all rows.
    public let filter: Condition?
    /// Whether two nils count as different, so that any number of rows may have nil.
    ///
    /// True by default.
    public let nilsAreDistinct: Bool

    /// Creates a unique constraint.
    public init(_ attributes: [String], where filter: Condition? = nil, nilsAreDistinct: Bool = true) {
        self.attributes = attributes
        self.filter = filter
        self.nilsAreDistinct = nilsAreDistinct
    }
}
