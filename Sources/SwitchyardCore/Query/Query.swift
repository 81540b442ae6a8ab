public import Foundation

/// A query for rows of one model: which rows, in what order, and how many.
///
/// Building a query does not throw. Its errors, such as a predicate that cannot be lowered or a negative limit, are
/// thrown by the transaction that runs it, the same on every backend.
public struct Query<Element: Model>: Sendable {
    /// The condition of the rows, or the error in the predicate.
    public var condition: Result<Condition, StoreError>
    /// The sort keys, or the error in them.
    ///
    /// The id breaks ties, and is the order if no other is given.
    public var order: Result<[SortKey], StoreError>
    /// The maximum number of rows; nil for all.
    public var limit: Int?
    /// The number of rows to skip first.
    public var offset: Int

    /// Creates a query of all rows that match a condition.
    public init(condition: Condition = .constant(true)) {
        self.condition = .success(condition)
        order = .success([])
        limit = nil
        offset = 0
    }

    /// Returns the rows of this query that also match a predicate.
    public func `where`(_ predicate: Predicate<Element>) -> Self {
        var copy = self
        copy.condition = condition.flatMap { present in
            Condition.lowering(predicate).map { present && $0 }
        }
        return copy
    }

    /// Returns the same rows with an attribute appended to their sort keys.
    ///
    /// Text sorts by its UTF-8 bytes. Nil sorts first ascending and last descending.
    public func sorted<Value>(
        by keyPath: KeyPath<Element, Value>, _ direction: SortDirection = .ascending
    ) -> Self {
        var copy = self
        copy.order = order.flatMap { keys in
            Element.attribute(at: keyPath).map { keys + [SortKey($0, direction)] }
        }
        return copy
    }

    /// Returns only the first rows.
    ///
    /// - Parameter count: The maximum number of rows; a negative number is refused with `invalidArgument`.
    /// - Returns: The narrower query.
    public func limit(_ count: Int) -> Self {
        var copy = self
        copy.limit = count
        return copy
    }

    /// Skips the first rows.
    ///
    /// - Parameter count: The number of rows to skip; a negative number is refused with `invalidArgument`.
    /// - Returns: The narrower query.
    public func offset(_ count: Int) -> Self {
        var copy = self
        copy.offset = count
        return copy
    }
}

extension Model {
    /// All rows.
    public static var all: Query<Self> { Query() }

    /// Returns the rows that match a predicate.
    public static func `where`(_ predicate: Predicate<Self>) -> Query<Self> { all.where(predicate) }

    /// Returns all rows, sorted by an attribute.
    public static func sorted<Value>(
        by keyPath: KeyPath<Self, Value>, _ direction: SortDirection = .ascending
    ) -> Query<Self> {
        all.sorted(by: keyPath, direction)
    }

    /// The name of the stored attribute at a key path, or the error if it is not one.
    public static func attribute(at keyPath: PartialKeyPath<Self>) -> Result<String, StoreError> {
        guard let name = storedName(at: keyPath),
            (try? entity.get())?.attribute(name) != nil
        else {
            return .failure(
                StoreError(
                    .unsupported,
                    "\(keyPath.subject) is not a stored attribute; only those can be used in a query, by the "
                        + "model's own name and not by a protocol's.", entity: entityName))
        }
        return .success(name)
    }

    /// The name of the attribute or relationship at a key path, including the protocol's `id`; nil for a property that
    /// is not stored.
    ///
    /// In code that is generic over models, Swift's key path `\.id` differs from that of the model itself.
    static func storedName(at keyPath: PartialKeyPath<Self>) -> String? {
        attributeName(of: keyPath) ?? (keyPath == \Self.id ? "id" : nil)
    }
}

extension AnyKeyPath {
    /// The property as the subject of a message.
    ///
    /// For a property that is not stored, Swift knows no name and would show an address, so its types are shown
    /// instead.
    var subject: String {
        let name = "\(self)"
        return name.contains("<computed")
            ? "A property of \(Self.rootType) of type \(Self.valueType)" : "`\(name)`"
    }
}
