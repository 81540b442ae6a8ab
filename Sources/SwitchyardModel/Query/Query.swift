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
    ///
    /// A condition belongs before the limit and the offset: after them, the query is refused with `invalidArgument` when
    /// it runs.
    public func `where`(_ predicate: Predicate<Element>) -> Self {
        narrowed(by: Condition.lowering(predicate))
    }

    /// Returns the same rows with an attribute appended to their sort keys.
    ///
    /// Text sorts by its UTF-8 bytes. Nil sorts first ascending and last descending. An order belongs before the limit
    /// and the offset: after them, the query is refused with `invalidArgument` when it runs.
    public func sorted<Value>(
        by keyPath: KeyPath<Element, Value>, _ direction: SortDirection = .ascending
    ) -> Self {
        ordered(by: Element.attribute(at: keyPath).map { SortKey($0, direction) })
    }

    /// Returns the same rows with an optional attribute appended to their sort keys, nil before or after all values.
    public func sorted<Value>(
        by keyPath: KeyPath<Element, Value?>, _ direction: SortDirection = .ascending, nils: NilOrder
    ) -> Self {
        ordered(by: Element.attribute(at: keyPath).map { SortKey($0, direction, nils: nils) })
    }

    /// Returns the same rows with a value that is calculated for each row appended to their sort keys.
    ///
    /// ```swift
    /// let fullest = Screening.sorted(by: #Expression { $0.seats - $0.sold })
    /// let byTitle = Film.sorted(by: #Expression { $0.title[\.folded] })
    /// let unratedLast = Film.sorted(by: #Expression { $0.rating == nil }).sorted(by: \.title)
    /// ```
    ///
    /// It takes what a `#Predicate` does: attributes, also of rows that references lead to, calculations, counts, and the
    /// folded form of a searchable attribute, which sorts regardless of case and diacritics. False sorts before true.
    ///
    /// - Parameters:
    ///   - expression: The value.
    ///   - direction: The direction.
    ///   - nils: Where nil comes; by default first ascending and last descending.
    /// - Returns: The sorted query.
    /// - Complexity: No index serves a calculated value: all rows of the query are read and sorted.
    public func sorted<Value>(
        by expression: Expression<Element, Value>, _ direction: SortDirection = .ascending,
        nils: NilOrder? = nil
    ) -> Self {
        ordered(by: SortKey.lowering(expression, direction, nils))
    }

    /// Returns the same rows with an attribute of the row that a reference points to appended to their sort keys.
    ///
    /// ```swift
    /// let feeds = try tx.fetch(Feed.sorted(by: \.baby, \.name).sorted(by: \.start))
    /// ```
    ///
    /// A nil reference sorts as a nil attribute does.
    public func sorted<Target: Model, Value>(
        by reference: KeyPath<Element, Identifier<Target>>, _ keyPath: KeyPath<Target, Value>,
        _ direction: SortDirection = .ascending
    ) -> Self {
        sorted(over: reference, by: keyPath, direction)
    }

    /// Returns the same rows with an attribute of the row that an optional reference points to appended to their sort
    /// keys.
    ///
    /// A nil reference sorts as a nil attribute does.
    public func sorted<Target: Model, Value>(
        by reference: KeyPath<Element, Identifier<Target>?>, _ keyPath: KeyPath<Target, Value>,
        _ direction: SortDirection = .ascending
    ) -> Self {
        sorted(over: reference, by: keyPath, direction)
    }

    private func sorted<Target: Model>(
        over reference: PartialKeyPath<Element>, by keyPath: PartialKeyPath<Target>,
        _ direction: SortDirection
    ) -> Self {
        ordered(
            by: Element.attribute(at: reference).flatMap { reference in
                Target.attribute(at: keyPath).map { SortKey($0, over: [reference], direction) }
            })
    }

    /// Returns only the first rows of this query.
    ///
    /// - Parameter count: The maximum number of rows; a negative number is refused with `invalidArgument`.
    /// - Returns: The narrower query. Of two limits, the smaller one holds.
    public func limit(_ count: Int) -> Self {
        var copy = self
        copy.limit = limit.map { min($0, count) } ?? count
        return copy
    }

    /// Skips the first rows of this query.
    ///
    /// - Parameter count: The number of rows to skip; a negative number is refused with `invalidArgument`.
    /// - Returns: The narrower query. After a limit, so many fewer rows are left; two offsets are added.
    public func offset(_ count: Int) -> Self {
        var copy = self
        guard count >= 0, offset >= 0 else {
            copy.offset = min(count, offset)
            return copy
        }
        let (sum, overflow) = offset.addingReportingOverflow(count)
        copy.offset = overflow ? .max : sum
        copy.limit = limit.map { $0 < 0 ? $0 : max(0, $0 - count) }
        return copy
    }
}

extension Query {
    /// Returns the query with one more condition, or its error.
    func narrowed(by other: Result<Condition, StoreError>) -> Self {
        var copy = self
        copy.condition = unlimited("A condition", "where(…)").flatMap { present in
            other.map { present && $0 }
        }
        return copy
    }

    /// Returns the query with one more sort key, or its error.
    func ordered(by key: Result<SortKey, StoreError>) -> Self {
        var copy = self
        copy.condition = unlimited("An order", "sorted(by: …)")
        copy.order = order.flatMap { keys in key.map { keys + [$0] } }
        return copy
    }

    /// The condition, or an error if the query has a limit or an offset: a condition or an order after them would choose
    /// other rows, and not among those of the query.
    private func unlimited(_ subject: String, _ call: String) -> Result<Condition, StoreError> {
        guard limit != nil || offset != 0 else { return condition }
        return condition.flatMap { _ in
            .failure(
                StoreError(
                    .invalidArgument,
                    "\(subject) stands after a limit or an offset, whose rows it would change. Write the limit last, as in "
                        + "`\(Element.entityName).\(call).limit(…)`; to choose among the first rows, fetch them and use "
                        + "Swift. Nothing was read or changed.", entity: Element.entityName))
        }
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

    /// Returns all rows, sorted by an optional attribute, nil before or after all values.
    public static func sorted<Value>(
        by keyPath: KeyPath<Self, Value?>, _ direction: SortDirection = .ascending, nils: NilOrder
    ) -> Query<Self> {
        all.sorted(by: keyPath, direction, nils: nils)
    }

    /// Returns all rows, sorted by a value that is calculated for each row.
    public static func sorted<Value>(
        by expression: Expression<Self, Value>, _ direction: SortDirection = .ascending,
        nils: NilOrder? = nil
    ) -> Query<Self> {
        all.sorted(by: expression, direction, nils: nils)
    }

    /// Returns all rows, sorted by an attribute of the row that a reference points to.
    public static func sorted<Target: Model, Value>(
        by reference: KeyPath<Self, Identifier<Target>>, _ keyPath: KeyPath<Target, Value>,
        _ direction: SortDirection = .ascending
    ) -> Query<Self> {
        all.sorted(by: reference, keyPath, direction)
    }

    /// Returns all rows, sorted by an attribute of the row that an optional reference points to.
    public static func sorted<Target: Model, Value>(
        by reference: KeyPath<Self, Identifier<Target>?>, _ keyPath: KeyPath<Target, Value>,
        _ direction: SortDirection = .ascending
    ) -> Query<Self> {
        all.sorted(by: reference, keyPath, direction)
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
    package static func storedName(at keyPath: PartialKeyPath<Self>) -> String? {
        attributeName(of: keyPath) ?? (keyPath == \Self.id ? "id" : nil)
    }
}

extension AnyKeyPath {
    /// The property as the subject of a message.
    ///
    /// For a property that is not stored, Swift knows no name and would show an address, so its types are shown
    /// instead.
    package var subject: String {
        let name = "\(self)"
        return name.contains("<computed")
            ? "A property of \(Self.rootType) of type \(Self.valueType)" : "`\(name)`"
    }
}
