extension ReadTransaction {
    /// Fetches the elements of a to-many relationship.
    ///
    /// - Throws: As `fetch(_:)` of a query.
    public func fetch<Element: Model>(_ relationship: ToMany<Element>) throws -> [Element] {
        try fetch(relationship.query)
    }

    /// Returns the number of elements of a to-many relationship.
    ///
    /// - Throws: As `fetch(_:)` of a query.
    public func count<Element: Model>(_ relationship: ToMany<Element>) throws -> Int {
        try count(relationship.query)
    }

    /// Returns whether a to-many relationship has any elements.
    ///
    /// - Throws: As `fetch(_:)` of a query.
    public func exists<Element: Model>(_ relationship: ToMany<Element>) throws -> Bool {
        try exists(relationship.query)
    }
}
