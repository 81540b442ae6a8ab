/// The to-many side of a relationship: not stored values, but a query of the rows that refer to this one.
///
/// Fetch it in a transaction like any other query, or use it in a predicate:
///
/// ```swift
/// let feeds = try tx.fetch(mia.feedSessions.sorted(by: \.startTime, .descending).limit(3))
/// let feeding = try tx.fetch(BabyProfile.where(#Predicate { $0.feedSessions.contains { $0.endTime == nil }
/// }))
/// ```
public struct ToMany<Element: Model>: Sendable, Hashable {
    /// The id of the row that has the relationship.
    public let owner: StoredValue
    /// The to-one attribute of the element that refers back.
    public let inverse: String

    /// Creates the relationship of a row; `@Relationship` generates this call.
    public init<Owner: Model>(of owner: Owner, inverse: String) {
        self.owner = .uuid(owner.id.uuid)
        self.inverse = inverse
    }
}
