public import Foundation

/// A figure over the rows of a group, for `ReadTransaction.aggregate`.
///
/// Nil counts in no figure but the number of rows. Sums of integers, decimals and doubles are exact before they are
/// rounded once, so they depend neither on the backend nor on the order of rows.
public struct Aggregate<Element: Model, Value>: Sendable {
    let figure: Figure
    /// The attribute; nil for the number of rows.
    let attribute: Result<String, StoreError>?

    private init(_ figure: Figure, _ keyPath: PartialKeyPath<Element>) {
        self.figure = figure
        attribute = Element.attribute(at: keyPath)
    }

    private init(counting: Void) {
        figure = .count
        attribute = nil
    }
}

extension Aggregate where Value == Int {
    /// The number of rows.
    public static var count: Self { Aggregate(counting: ()) }

    /// The number of rows that have a value.
    public static func count<Wrapped>(of keyPath: KeyPath<Element, Wrapped?>) -> Self {
        Aggregate(.countOf, keyPath)
    }

    /// The sum of integers, 0 if there are none; `arithmetic` if it leaves 64 bits.
    public static func sum<Number: IntegerAttributeValue>(_ keyPath: KeyPath<Element, Number>) -> Self {
        Aggregate(.sum(.int), keyPath)
    }

    /// The sum of integers, 0 if there are none; `arithmetic` if it leaves 64 bits.
    public static func sum<Number: IntegerAttributeValue>(_ keyPath: KeyPath<Element, Number?>) -> Self {
        Aggregate(.sum(.int), keyPath)
    }
}

extension Aggregate where Value == Decimal {
    /// The sum of decimals, 0 if there are none; `arithmetic` if it has more than 38 digits.
    public static func sum(_ keyPath: KeyPath<Element, Decimal>) -> Self { Aggregate(.sum(.decimal), keyPath) }

    /// The sum of decimals, 0 if there are none; `arithmetic` if it has more than 38 digits.
    public static func sum(_ keyPath: KeyPath<Element, Decimal?>) -> Self { Aggregate(.sum(.decimal), keyPath) }
}

extension Aggregate where Value == Decimal? {
    /// The average of decimals, to 38 digits; nil if there are none.
    public static func average(_ keyPath: KeyPath<Element, Decimal>) -> Self { Aggregate(.average(.decimal), keyPath) }

    /// The average of decimals, to 38 digits; nil if there are none.
    public static func average(_ keyPath: KeyPath<Element, Decimal?>) -> Self { Aggregate(.average(.decimal), keyPath) }
}

extension Aggregate where Value == Double? {
    /// The sum of doubles, 0 if there are none.
    ///
    /// It is nil for ∞ − ∞, and `arithmetic` where finite doubles have a sum that no double can hold.
    public static func sum(_ keyPath: KeyPath<Element, Double>) -> Self { Aggregate(.sum(.double), keyPath) }

    /// The sum of doubles, under the same terms.
    public static func sum(_ keyPath: KeyPath<Element, Double?>) -> Self { Aggregate(.sum(.double), keyPath) }

    /// The average of doubles: the exact sum rounded, divided by the count; nil if there are none, or for ∞ − ∞.
    public static func average(_ keyPath: KeyPath<Element, Double>) -> Self { Aggregate(.average(.double), keyPath) }

    /// The average of doubles, under the same terms.
    public static func average(_ keyPath: KeyPath<Element, Double?>) -> Self { Aggregate(.average(.double), keyPath) }

    /// The average of integers: the exact sum divided by the count; nil if there are none.
    public static func average<Number: IntegerAttributeValue>(_ keyPath: KeyPath<Element, Number>) -> Self {
        Aggregate(.average(.int), keyPath)
    }

    /// The average of integers: the exact sum divided by the count; nil if there are none.
    public static func average<Number: IntegerAttributeValue>(_ keyPath: KeyPath<Element, Number?>) -> Self {
        Aggregate(.average(.int), keyPath)
    }
}

extension Aggregate {
    /// The smallest value; nil if there is none.
    public static func minimum<Wrapped>(_ keyPath: KeyPath<Element, Wrapped>) -> Self where Value == Wrapped? {
        Aggregate(.minimum, keyPath)
    }

    /// The smallest value; nil if there is none.
    public static func minimum<Wrapped>(_ keyPath: KeyPath<Element, Wrapped?>) -> Self where Value == Wrapped? {
        Aggregate(.minimum, keyPath)
    }

    /// The greatest value; nil if there is none.
    public static func maximum<Wrapped>(_ keyPath: KeyPath<Element, Wrapped>) -> Self where Value == Wrapped? {
        Aggregate(.maximum, keyPath)
    }

    /// The greatest value; nil if there is none.
    public static func maximum<Wrapped>(_ keyPath: KeyPath<Element, Wrapped?>) -> Self where Value == Wrapped? {
        Aggregate(.maximum, keyPath)
    }
}
