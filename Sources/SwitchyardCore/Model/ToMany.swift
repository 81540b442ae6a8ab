/// The to-many side of a relationship: not storage, but the question which rows point here.
///
/// Fetch it in a transaction, where it is a query like any other, or ask about it in a predicate:
///
/// ```swift
/// let feeds = try tx.fetch(mia.feedSessions.sorted(by: \.startTime, .descending).limit(3))
/// let feeding = try tx.fetch(BabyProfile.where(#Predicate { $0.feedSessions.contains { $0.endTime == nil }
/// }))
/// ```
public struct ToMany<Element: Model>: Sendable, Hashable {
    /// The row whose relationship it is.
    public let owner: StoredValue
    /// The to-one attribute of the element that points back.
    public let inverse: String

    /// Names the relationship of a row; `@Relationship` writes this.
    public init<Owner: Model>(of owner: Owner, inverse: String) {
        self.owner = .uuid(owner.id.uuid)
        self.inverse = inverse
    }

    /// The elements, as a query to refine.
    public var query: Query<Element> {
        Query(condition: .compare(.attribute(inverse), .equal, .value(owner)))
    }
}
