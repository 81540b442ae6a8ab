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
    /// What happens to a row whose key is taken: a matter of a mirror's server, and not of the schema's structure.
    public var merge: UniqueKeyPolicy { ownMerge ?? .reject }
    private let ownMerge: UniqueKeyPolicy?

    /// Creates a unique constraint.
    public init(
        _ attributes: [String], where filter: Condition? = nil, nilsAreDistinct: Bool = true,
        merge: UniqueKeyPolicy = .reject
    ) {
        self.attributes = attributes
        self.filter = filter
        self.nilsAreDistinct = nilsAreDistinct
        ownMerge = merge == .reject ? nil : merge
    }

    private enum CodingKeys: String, CodingKey {
        case attributes, filter, nilsAreDistinct
        // Omitted if it is rejected.
        case ownMerge = "merge"
    }

    /// The constraint without the policy, which is no part of the schema's structure.
    package var plain: UniqueConstraint {
        UniqueConstraint(attributes, where: filter, nilsAreDistinct: nilsAreDistinct)
    }
}
