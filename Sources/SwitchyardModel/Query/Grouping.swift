/// A key to group rows by, for `ReadTransaction.aggregate`.
public struct Grouping<Element: Model, Value>: Sendable {
    package let key: Result<GroupingKey, StoreError>
}

/// What rows are grouped by: an attribute of the row or of one that references lead to, or a part of its time.
package struct GroupingKey: Sendable, Hashable {
    package var references: [String] = []
    package let attribute: String
    package var part: CalendarPart?

    /// Whether it is an attribute of the row itself, as it is.
    package var isAttribute: Bool { references.isEmpty && part == nil }

    package init(_ attribute: String, part: CalendarPart? = nil) {
        (self.attribute, self.part) = (attribute, part)
    }
}

extension Grouping {
    /// The value of an attribute; nil is a group of its own.
    public static func attribute(_ keyPath: KeyPath<Element, Value>) -> Self {
        Grouping(key: Element.attribute(at: keyPath).map { GroupingKey($0) })
    }

    /// A key of the row that a reference points to.
    ///
    /// ```swift
    /// let directors = try tx.aggregate(Film.all, by: .over(\.director, .attribute(\.name)), figures: .count)
    /// ```
    ///
    /// - Complexity: The store groups the rows by the reference; the groups with one key are merged here.
    public static func over<Target: Model>(
        _ reference: KeyPath<Element, Identifier<Target>>, _ grouping: Grouping<Target, Value>
    ) -> Self {
        Grouping(key: grouping.key(over: reference))
    }

    /// A key of the row that an optional reference points to; nil where the reference is.
    ///
    /// - Complexity: As over a reference that is never nil.
    public static func over<Target: Model, Wrapped>(
        _ reference: KeyPath<Element, Identifier<Target>?>, _ grouping: Grouping<Target, Wrapped>
    ) -> Self where Value == Wrapped? {
        Grouping(key: grouping.key(over: reference))
    }

    /// A key of the row that an optional reference points to; nil where the reference or the key is.
    ///
    /// - Complexity: As over a reference that is never nil.
    public static func over<Target: Model, Wrapped>(
        _ reference: KeyPath<Element, Identifier<Target>?>, _ grouping: Grouping<Target, Wrapped?>
    ) -> Self where Value == Wrapped? {
        Grouping(key: grouping.key(over: reference))
    }

    private func key<Source: Model>(over reference: PartialKeyPath<Source>) -> Result<GroupingKey, StoreError>
    {
        Source.attribute(at: reference).flatMap { name in
            key.map { key in
                var key = key
                key.references.insert(name, at: 0)
                return key
            }
        }
    }
}
