public import Foundation

/// A figure over the rows of a group, for `ReadTransaction.aggregate`.
///
/// Nil values only count in the number of rows. Sums of integers, decimals and doubles are exact until they are rounded
/// once, so they depend neither on the backend nor on the order of rows.
public struct Aggregate<Element: Model, Value>: Sendable {
    package let function: Result<AggregateFunction, StoreError>

    private init(_ function: (String) -> AggregateFunction, _ keyPath: PartialKeyPath<Element>) {
        self.function = Element.attribute(at: keyPath).map(function)
    }

    fileprivate init(_ function: AggregateFunction) { self.function = .success(function) }

    private init(failing error: StoreError) { function = .failure(error) }
}

extension Aggregate where Value == Int {
    /// The number of rows.
    public static var count: Self { Aggregate(.count) }

    /// The number of rows in which the attribute is not nil.
    public static func count<Wrapped>(of keyPath: KeyPath<Element, Wrapped?>) -> Self {
        Aggregate(AggregateFunction.countOf, keyPath)
    }

    /// The number of different values of an attribute, nil not counted.
    public static func count<Wrapped>(distinct keyPath: KeyPath<Element, Wrapped>) -> Self {
        Aggregate(AggregateFunction.countDistinct, keyPath)
    }
}

extension Aggregate {
    /// The sum; 0 if there are no values.
    ///
    /// If a sum of integers or decimals overflows, the error is `arithmetic`. A sum of doubles is nil for ∞ − ∞, and
    /// `arithmetic` if finite doubles have a sum that is too large for a double.
    public static func sum<Number: SummableAttribute>(_ keyPath: KeyPath<Element, Number>) -> Self
    where Value == Number.Sum {
        Aggregate(AggregateFunction.sum, keyPath)
    }

    /// The average: the exact sum, rounded, divided by the count; nil if there are no values.
    ///
    /// Decimals are rounded to 38 digits, half away from zero. The errors are those of the sum.
    public static func average<Number: SummableAttribute>(_ keyPath: KeyPath<Element, Number>) -> Self
    where Value == Number.Average {
        Aggregate(AggregateFunction.average, keyPath)
    }

    /// The number in the middle, or between the two in the middle; nil if there are no values.
    ///
    /// - Complexity: The values of all rows are read and held in memory.
    public static func median<Number: SummableAttribute>(_ keyPath: KeyPath<Element, Number>) -> Self
    where Value == Number.Average {
        percentile(0.5, of: keyPath)
    }

    /// The number below which a fraction of the numbers lies, from 0 (the smallest) to 1 (the greatest); nil if there are
    /// no values.
    ///
    /// Between two numbers it is by as much of the way as the fraction says, as SQL's `percentile_cont`. A fraction beyond 0
    /// and 1 is `invalidArgument`.
    ///
    /// - Complexity: The values of all rows are read and held in memory.
    public static func percentile<Number: SummableAttribute>(
        _ fraction: Double, of keyPath: KeyPath<Element, Number>
    ) -> Self where Value == Number.Average {
        guard (0...1).contains(fraction) else {
            return Aggregate(
                failing: StoreError(
                    .invalidArgument, "The fraction of a percentile is a number from 0 to 1, such as 0.9.",
                    entity: Element.entityName))
        }
        return Aggregate({ .percentile($0, fraction) }, keyPath)
    }

    /// The smallest value, if any.
    public static func minimum<Wrapped>(_ keyPath: KeyPath<Element, Wrapped>) -> Self
    where Value == Wrapped? {
        Aggregate(AggregateFunction.minimum, keyPath)
    }

    /// The smallest value, if any.
    public static func minimum<Wrapped>(_ keyPath: KeyPath<Element, Wrapped?>) -> Self
    where Value == Wrapped? {
        Aggregate(AggregateFunction.minimum, keyPath)
    }

    /// The greatest value, if any.
    public static func maximum<Wrapped>(_ keyPath: KeyPath<Element, Wrapped>) -> Self
    where Value == Wrapped? {
        Aggregate(AggregateFunction.maximum, keyPath)
    }

    /// The greatest value, if any.
    public static func maximum<Wrapped>(_ keyPath: KeyPath<Element, Wrapped?>) -> Self
    where Value == Wrapped? {
        Aggregate(AggregateFunction.maximum, keyPath)
    }
}

/// The types that can be summed: numbers and optional numbers.
///
/// It is a protocol rather than an overload for each type, because the compiler tries all combinations of overloads
/// when a call has several figures.
public protocol SummableAttribute: AttributeValue {
    /// The type of a sum.
    associatedtype Sum
    /// The type of an average.
    associatedtype Average
}

extension IntegerAttributeValue {
    /// The sum of integers is a 64-bit integer.
    public typealias Sum = Int
    /// The average of integers is a double; nil if there are no values.
    public typealias Average = Double?
}

extension Int: SummableAttribute {}
extension Int8: SummableAttribute {}
extension Int16: SummableAttribute {}
extension Int32: SummableAttribute {}
extension Int64: SummableAttribute {}
extension UInt8: SummableAttribute {}
extension UInt16: SummableAttribute {}
extension UInt32: SummableAttribute {}

extension Double: SummableAttribute {
    /// The sum of doubles is a double; nil for ∞ − ∞.
    public typealias Sum = Double?
    /// The average of doubles is a double; nil if there are no values.
    public typealias Average = Double?
}

extension Float: SummableAttribute {
    /// The sum of floats is a double; nil for ∞ − ∞.
    public typealias Sum = Double?
    /// The average of floats is a double; nil if there are no values.
    public typealias Average = Double?
}

extension Decimal: SummableAttribute {
    /// The sum of decimals is a decimal.
    public typealias Sum = Decimal
    /// The average of decimals is a decimal; nil if there are no values.
    public typealias Average = Decimal?
}

extension Optional: SummableAttribute where Wrapped: SummableAttribute {
    /// Nil values are ignored.
    public typealias Sum = Wrapped.Sum
    /// Nil values are ignored.
    public typealias Average = Wrapped.Average
}
