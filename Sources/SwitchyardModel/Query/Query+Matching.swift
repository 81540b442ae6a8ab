public import Foundation

// Not called `where`: with several overloads, the compiler would report a mistake inside a `#Predicate` as a failed
// overload choice, and not say what the mistake is.

extension Query {
    /// Returns the rows of this query that also match a condition; before a limit and an offset, as `where(_:)`.
    public func matching(_ other: Condition) -> Self {
        narrowed(by: .success(other))
    }

    /// Returns the rows of this query that also match at least one of several predicates.
    ///
    /// It is equivalent to one `#Predicate` with `||` between its parts. The compiler gives up on long predicates, such
    /// as three searches of optional text, but takes any number of short ones:
    ///
    /// ```swift
    /// let text = "kiwi"
    /// let found = try tx.fetch(
    ///     Note.matching(
    ///         anyOf: #Predicate { $0.title?.localizedStandardContains(text) == true },
    ///         #Predicate { $0.memo?.localizedStandardContains(text) == true },
    ///         #Predicate { $0.place?.localizedStandardContains(text) == true }))
    /// ```
    ///
    /// Successive calls of `where` and `matching` narrow the query down, as `&&` does.
    public func matching(anyOf predicates: Predicate<Element>...) -> Self { matching(anyOf: predicates) }

    /// Returns the rows of this query that also match at least one predicate of a list.
    ///
    /// ```swift
    /// let words = ["kiwi", "fig"]
    /// let found = try tx.fetch(Note.matching(anyOf: words.map { word in #Predicate { $0.name.contains(word) } }))
    /// ```
    ///
    /// - Parameter predicates: The predicates; no row matches an empty list.
    /// - Returns: The narrower query.
    public func matching(anyOf predicates: [Predicate<Element>]) -> Self {
        narrowed(
            by: Lowering.result { .any(of: try predicates.map { try Condition.lowering($0).get() }) })
    }
}

extension Model {
    /// Returns the rows that match a condition.
    public static func matching(_ condition: Condition) -> Query<Self> { all.matching(condition) }

    /// Returns the rows that match at least one of several predicates, as `Query.matching(anyOf:)` does.
    public static func matching(anyOf predicates: Predicate<Self>...) -> Query<Self> {
        all.matching(anyOf: predicates)
    }

    /// Returns the rows that match at least one predicate of a list, as `Query.matching(anyOf:)` does.
    public static func matching(anyOf predicates: [Predicate<Self>]) -> Query<Self> {
        all.matching(anyOf: predicates)
    }
}
