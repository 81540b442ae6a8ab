public import Foundation

extension ToMany {
    /// The elements that fulfil a predicate.
    public func `where`(_ predicate: Predicate<Element>) -> Query<Element> { query.where(predicate) }

    /// The elements sorted by an attribute.
    public func sorted<Value>(
        by keyPath: KeyPath<Element, Value>, _ direction: SortDirection = .ascending
    ) -> Query<Element> {
        query.sorted(by: keyPath, direction)
    }
}

extension ReadTransaction {
    /// Fetches the elements of a to-many relationship.
    ///
    /// - Throws: As `fetch(_:)` of a query.
    public func fetch<Element: Model>(_ relationship: ToMany<Element>) throws -> [Element] {
        try fetch(relationship.query)
    }

    /// The number of elements of a to-many relationship.
    ///
    /// - Throws: As `fetch(_:)` of a query.
    public func count<Element: Model>(_ relationship: ToMany<Element>) throws -> Int {
        try count(relationship.query)
    }

    /// Whether a to-many relationship has any element.
    ///
    /// - Throws: As `fetch(_:)` of a query.
    public func exists<Element: Model>(_ relationship: ToMany<Element>) throws -> Bool {
        try exists(relationship.query)
    }
}
