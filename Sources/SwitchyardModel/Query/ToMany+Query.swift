public import Foundation

extension ToMany {
    /// The elements, as a query that can be refined.
    public var query: Query<Element> {
        Query(condition: .compare(.attribute(inverse), .equal, .value(owner)))
    }

    /// Returns the elements that match a predicate.
    public func `where`(_ predicate: Predicate<Element>) -> Query<Element> { query.where(predicate) }

    /// Returns the elements sorted by an attribute.
    public func sorted<Value>(
        by keyPath: KeyPath<Element, Value>, _ direction: SortDirection = .ascending
    ) -> Query<Element> {
        query.sorted(by: keyPath, direction)
    }
}
