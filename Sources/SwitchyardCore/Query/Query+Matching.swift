public import Foundation

// Not called `where`: the compiler would take a mistake inside a `#Predicate` for a wrong choice between
// several of them, and not say what it is.

extension Query {
    /// The rows of this query that fulfil a condition as well.
    public func matching(_ other: Condition) -> Self {
        var copy = self
        copy.condition = condition.map { $0 && other }
        return copy
    }

    /// The rows of this query that fulfil at least one of several predicates as well.
    ///
    /// It says what one `#Predicate` would say with `||` between its parts. The compiler gives up on long
    /// ones, three searches of optional text among them, and takes any number of short ones:
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
    /// Called after one another, `where` and `matching` narrow the query down, as `&&` does.
    public func matching(anyOf predicates: Predicate<Element>...) -> Self { matching(anyOf: predicates) }

    /// The rows of this query that fulfil at least one of the predicates of a list as well.
    ///
    /// ```swift
    /// let words = ["kiwi", "fig"]
    /// let found = try tx.fetch(Note.matching(anyOf: words.map { word in #Predicate { $0.name.contains(word) } }))
    /// ```
    ///
    /// - Parameter predicates: The predicates; no row fulfils one of none.
    /// - Returns: The narrower query.
    public func matching(anyOf predicates: [Predicate<Element>]) -> Self {
        var copy = self
        copy.condition = condition.flatMap { present in
            Lowering.result {
                present && .any(of: try predicates.map { try Condition.lowering($0).get() })
            }
        }
        return copy
    }
}

extension Model {
    /// The rows that fulfil a condition.
    public static func matching(_ condition: Condition) -> Query<Self> { all.matching(condition) }

    /// The rows that fulfil at least one of several predicates, as `Query.matching(anyOf:)` says.
    public static func matching(anyOf predicates: Predicate<Self>...) -> Query<Self> {
        all.matching(anyOf: predicates)
    }

    /// The rows that fulfil at least one of the predicates of a list, as `Query.matching(anyOf:)` says.
    public static func matching(anyOf predicates: [Predicate<Self>]) -> Query<Self> {
        all.matching(anyOf: predicates)
    }
}
