/// A figure over the rows of a to-many relationship, to sort by or to compare with.
///
/// ```swift
/// let prolific = Director.where(.count(\.films), .greaterOrEqual, 3)
/// let latest = Director.sorted(by: .figure(\.films, .maximum(\.year)), .descending)
/// ```
public struct RelatedFigure<Base: Model, Value>: Sendable {
    let operand: Result<Operand, StoreError>
}

extension RelatedFigure {
    /// The number of rows of a to-many relationship.
    ///
    /// - Parameters:
    ///   - relationship: The relationship.
    ///   - refine: Narrows the rows down; a limit or an offset is refused.
    /// - Returns: The figure.
    public static func count<Target: Model>(
        _ relationship: KeyPath<Base, ToMany<Target>>, _ refine: (Query<Target>) -> Query<Target> = { $0 }
    ) -> Self where Value == Int {
        figure(relationship, .count, refine)
    }

    /// A figure over the rows of a to-many relationship.
    ///
    /// - Parameters:
    ///   - relationship: The relationship.
    ///   - figure: The figure; of no rows it is what `ReadTransaction.aggregate` says.
    ///   - refine: Narrows the rows down; a limit or an offset is refused.
    /// - Returns: The figure.
    /// - Complexity: Databases calculate counts, extremes and sums of integers for each row. For an average, or a sum of
    ///   doubles or decimals, the values of all related rows are read first.
    public static func figure<Target: Model>(
        _ relationship: KeyPath<Base, ToMany<Target>>, _ figure: Aggregate<Target, Value>,
        _ refine: (Query<Target>) -> Query<Target> = { $0 }
    ) -> Self {
        let query = refine(.init())
        return RelatedFigure(
            operand: Lowering.result {
                guard let name = Base.storedName(at: relationship) else {
                    throw StoreError(
                        .unsupported,
                        "\(relationship.subject) is no relationship of the model, by the model's own name.",
                        entity: Base.entityName)
                }
                return .figure(
                    try figure.function.get(), of: name, where: try query.unlimitedCondition())
            })
    }
}

extension Filter {
    /// Whether a figure over related rows compares with a value.
    public static func `where`<Value>(
        _ figure: RelatedFigure<Element, Value>, _ comparison: Comparison, _ value: Value
    ) -> Self {
        Filter(
            figure.operand.flatMap { operand in
                StoredValue.compared(value).map { .compare(operand, comparison, .value($0)) }
            })
    }
}

extension Filter {
    /// Whether an attribute compares with a figure over all rows, such as the average.
    ///
    /// ```swift
    /// let long = Track.where(\.milliseconds, .greater, overall: .average(\.milliseconds))
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The attribute.
    ///   - comparison: How it compares; an integer compares with a fraction as numbers do.
    ///   - figure: The figure, of the attribute's type.
    ///   - query: The rows that the figure is over; a limit or an offset is refused.
    /// - Returns: The filter. The figure is calculated when it is used, in the same transaction.
    public static func `where`<Value, Figure>(
        _ keyPath: KeyPath<Element, Value>, _ comparison: Comparison,
        overall figure: Aggregate<Element, Figure>, of query: Query<Element> = Query()
    ) -> Self {
        Filter(
            Lowering.result {
                .compare(
                    .attribute(try Element.attribute(at: keyPath).get()), comparison,
                    .overall(
                        try figure.function.get(), of: Element.entityName,
                        where: try query.unlimitedCondition()))
            })
    }
}

extension Query {
    /// The condition of the rows that a figure is over.
    fileprivate func unlimitedCondition() throws -> Condition {
        guard limit == nil, offset == 0 else {
            throw StoreError(
                .invalidArgument,
                "Figures are calculated over all rows. Remove the query's limit and offset.",
                entity: Element.entityName)
        }
        return try condition.get()
    }

    /// Returns the rows of this query whose attribute compares with a figure over all rows, as `Filter.where` does.
    public func `where`<Value, Figure>(
        _ keyPath: KeyPath<Element, Value>, _ comparison: Comparison,
        overall figure: Aggregate<Element, Figure>, of query: Query<Element> = Query()
    ) -> Self {
        matching(Filter.where(keyPath, comparison, overall: figure, of: query))
    }

    /// Returns the rows of this query whose figure over related rows compares with a value.
    public func `where`<Value>(
        _ figure: RelatedFigure<Element, Value>, _ comparison: Comparison, _ value: Value
    ) -> Self {
        matching(Filter.where(figure, comparison, value))
    }

    /// Returns the same rows with a figure over related rows appended to their sort keys.
    public func sorted<Value>(
        by figure: RelatedFigure<Element, Value>, _ direction: SortDirection = .ascending,
        nils: NilOrder? = nil
    ) -> Self {
        ordered(by: figure.operand.map { SortKey($0, direction, nils: nils) })
    }
}

extension Model {
    /// Returns the rows whose attribute compares with a figure over all rows, as `Filter.where` does.
    public static func `where`<Value, Figure>(
        _ keyPath: KeyPath<Self, Value>, _ comparison: Comparison,
        overall figure: Aggregate<Self, Figure>, of query: Query<Self> = Query()
    ) -> Query<Self> {
        all.where(keyPath, comparison, overall: figure, of: query)
    }

    /// Returns the rows whose figure over related rows compares with a value.
    public static func `where`<Value>(
        _ figure: RelatedFigure<Self, Value>, _ comparison: Comparison, _ value: Value
    ) -> Query<Self> {
        all.where(figure, comparison, value)
    }

    /// Returns all rows, sorted by a figure over related rows.
    public static func sorted<Value>(
        by figure: RelatedFigure<Self, Value>, _ direction: SortDirection = .ascending,
        nils: NilOrder? = nil
    ) -> Query<Self> {
        all.sorted(by: figure, direction, nils: nils)
    }
}
