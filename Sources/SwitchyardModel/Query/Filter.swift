public import Foundation

/// A condition that is put together at run time, such as by what is chosen on a screen.
///
/// ```swift
/// var filters: [Filter<Film>] = [.where(\.year, .greaterOrEqual, 1960)]
/// if !words.isEmpty { filters.append(.any(words.map { .where(\.title, .contains, $0) })) }
/// let films = try tx.fetch(Film.matching(.all(filters)))
/// ```
///
/// `#Predicate` says more, and is checked by the compiler as a whole; a filter can be kept, counted and combined. Both become the
/// same `Condition`. Its errors are thrown by the transaction that uses it.
public struct Filter<Element: Model>: Sendable {
    /// The condition, or the error in it.
    public let condition: Result<Condition, StoreError>

    /// Creates a filter from a condition.
    public init(_ condition: Condition) { self.condition = .success(condition) }

    init(_ condition: Result<Condition, StoreError>) { self.condition = condition }
}

extension Filter {
    /// Whether an attribute compares with a value; nil equals nil, and is neither less nor greater than anything.
    public static func `where`<Value>(
        _ keyPath: KeyPath<Element, Value>, _ comparison: Comparison, _ value: Value
    ) -> Self {
        filter(keyPath) { .compare($0, comparison, .value(try StoredValue.compared(value).get())) }
    }

    /// Whether a text matches another by its bytes.
    public static func `where`(
        _ keyPath: KeyPath<Element, String>, _ match: TextMatch, _ text: String
    ) -> Self {
        filter(keyPath) { .match($0, match, .value(.text(text))) }
    }

    /// Whether a text matches another by its bytes; false for nil.
    public static func `where`(
        _ keyPath: KeyPath<Element, String?>, _ match: TextMatch, _ text: String
    ) -> Self {
        filter(keyPath) { .match($0, match, .value(.text(text))) }
    }

    /// Whether an attribute is one of some values.
    public static func `where`<Value>(
        _ keyPath: KeyPath<Element, Value>, in values: some Sequence<Value>
    ) -> Self {
        filter(keyPath) { .isIn($0, try values.map { try StoredValue.compared($0).get() }) }
    }

    /// The condition of a predicate.
    public static func predicate(_ predicate: Predicate<Element>) -> Self {
        Filter(Condition.lowering(predicate))
    }

    private static func filter(
        _ keyPath: PartialKeyPath<Element>, _ condition: (Operand) throws -> Condition
    ) -> Self {
        Filter(
            Element.attribute(at: keyPath).flatMap { name in
                Lowering.result { try condition(.attribute(name)) }
            })
    }
}

extension Filter {
    /// Whether all filters hold; true if there are none.
    public static func all(_ filters: [Filter]) -> Self {
        Filter(Lowering.result { .all(try filters.map { try $0.condition.get() }) })
    }

    /// Whether any filter holds; false if there are none.
    public static func any(_ filters: [Filter]) -> Self {
        Filter(Lowering.result { .any(of: try filters.map { try $0.condition.get() }) })
    }

    /// Whether a filter does not hold.
    public static func not(_ filter: Filter) -> Self { Filter(filter.condition.map { !$0 }) }

    /// Whether the row that a reference points to passes a filter.
    public static func over<Target: Model>(
        _ reference: KeyPath<Element, Identifier<Target>>, _ filter: Filter<Target>
    ) -> Self {
        exists(reference, filter)
    }

    /// Whether the row that an optional reference points to passes a filter; false where the reference is nil.
    public static func over<Target: Model>(
        _ reference: KeyPath<Element, Identifier<Target>?>, _ filter: Filter<Target>
    ) -> Self {
        exists(reference, filter)
    }

    /// Whether a row of a to-many relationship passes a filter; by default, whether there is one.
    public static func has<Target: Model>(
        _ relationship: KeyPath<Element, ToMany<Target>>, _ filter: Filter<Target> = .all([])
    ) -> Self {
        exists(relationship, filter)
    }

    private static func exists<Target: Model>(
        _ relationship: PartialKeyPath<Element>, _ filter: Filter<Target>
    ) -> Self {
        Filter(
            filter.condition.flatMap { condition in
                guard let name = Element.storedName(at: relationship) else {
                    return .failure(
                        StoreError(
                            .unsupported,
                            "\(relationship.subject) is no relationship of the model, by the model's own name.",
                            entity: Element.entityName))
                }
                return .success(.exists(relationship: name, condition))
            })
    }
}

extension Query {
    /// Returns the rows of this query that also pass a filter; before a limit and an offset, as `where(_:)`.
    public func matching(_ filter: Filter<Element>) -> Self { narrowed(by: filter.condition) }

    /// Returns the rows of this query whose attribute compares with a value, as `Filter.where` does.
    public func `where`<Value>(
        _ keyPath: KeyPath<Element, Value>, _ comparison: Comparison, _ value: Value
    ) -> Self {
        matching(Filter.where(keyPath, comparison, value))
    }
}

extension Model {
    /// Returns the rows that pass a filter.
    public static func matching(_ filter: Filter<Self>) -> Query<Self> { all.matching(filter) }

    /// Returns the rows whose attribute compares with a value, as `Filter.where` does.
    public static func `where`<Value>(
        _ keyPath: KeyPath<Self, Value>, _ comparison: Comparison, _ value: Value
    ) -> Query<Self> {
        all.where(keyPath, comparison, value)
    }
}
