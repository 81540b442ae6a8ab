/// An index over attributes, in their order.
///
/// Where one of them is searchable, a second index with the folded copies in its place serves searches for
/// text that begins with another or is the same.
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

    /// Whether an attribute is searchable, so that a second index is over the folded copies.
    public func hasFoldedCopies(in entity: Entity) -> Bool {
        attributes.contains { entity.attribute($0)?.isSearchable == true }
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
