public import Foundation

/// A figure over the rows of a group, for `ReadTransaction.aggregate`.
///
/// Nil counts in no figure but the number of rows. Sums of integers, decimals and doubles are exact before
/// they are rounded once, so they depend neither on the backend nor on the order of rows.
public struct Aggregate<Element: Model, Value>: Sendable {
    let function: Result<AggregateFunction, StoreError>

    private init(_ function: (String) -> AggregateFunction, _ keyPath: PartialKeyPath<Element>) {
        self.function = Element.attribute(at: keyPath).map(function)
    }

    fileprivate init(_ function: AggregateFunction) { self.function = .success(function) }
}

extension Aggregate where Value == Int {
    /// The number of rows.
    public static var count: Self { Aggregate(.count) }

    /// The number of rows that have a value.
    public static func count<Wrapped>(of keyPath: KeyPath<Element, Wrapped?>) -> Self {
        Aggregate(AggregateFunction.countOf, keyPath)
    }
}

extension Aggregate {
    /// The sum, 0 if there is nothing to add.
    ///
    /// A sum of integers, or of decimals, that leaves its type is `arithmetic`. A sum of doubles is nil for ∞
    /// − ∞, and `arithmetic` where finite doubles have a sum that no double can hold.
    public static func sum<Number: SummableAttribute>(_ keyPath: KeyPath<Element, Number>) -> Self
    where Value == Number.Sum {
        Aggregate(AggregateFunction.sum, keyPath)
    }

    /// The average: the exact sum, rounded, divided by the count; nil if there is nothing to divide.
    ///
    /// Decimals are rounded to 38 digits, half away from zero. Errors are those of the sum.
    public static func average<Number: SummableAttribute>(_ keyPath: KeyPath<Element, Number>) -> Self
    where Value == Number.Average {
        Aggregate(AggregateFunction.average, keyPath)
    }

    /// The smallest value; nil if there is none.
    public static func minimum<Wrapped>(_ keyPath: KeyPath<Element, Wrapped>) -> Self
    where Value == Wrapped? {
        Aggregate(AggregateFunction.minimum, keyPath)
    }

    /// The smallest value; nil if there is none.
    public static func minimum<Wrapped>(_ keyPath: KeyPath<Element, Wrapped?>) -> Self
    where Value == Wrapped? {
        Aggregate(AggregateFunction.minimum, keyPath)
    }

    /// The greatest value; nil if there is none.
    public static func maximum<Wrapped>(_ keyPath: KeyPath<Element, Wrapped>) -> Self
    where Value == Wrapped? {
        Aggregate(AggregateFunction.maximum, keyPath)
    }

    /// The greatest value; nil if there is none.
    public static func maximum<Wrapped>(_ keyPath: KeyPath<Element, Wrapped?>) -> Self
    where Value == Wrapped? {
        Aggregate(AggregateFunction.maximum, keyPath)
    }
}

/// The numbers that can be added up, and optionals of them.
///
/// A protocol rather than an overload for each type, because the compiler tries all combinations of overloads
/// when several figures are asked for at once.
public protocol SummableAttribute: AttributeValue {
    /// The type of a sum.
    associatedtype Sum
    /// The type of an average.
    associatedtype Average
}

extension IntegerAttributeValue {
    /// Integers add up to an integer of 64 bits.
    public typealias Sum = Int
    /// Integers have an average among the doubles; nil for none.
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
    /// Doubles add up to a double; nil for ∞ − ∞.
    public typealias Sum = Double?
    /// Doubles have a double as their average; nil for none.
    public typealias Average = Double?
}

extension Float: SummableAttribute {
    /// Floats add up to a double; nil for ∞ − ∞.
    public typealias Sum = Double?
    /// Floats have a double as their average; nil for none.
    public typealias Average = Double?
}

extension Decimal: SummableAttribute {
    /// Decimals add up to a decimal.
    public typealias Sum = Decimal
    /// Decimals have a decimal as their average; nil for none.
    public typealias Average = Decimal?
}

extension Optional: SummableAttribute where Wrapped: SummableAttribute {
    /// Nil counts for nothing.
    public typealias Sum = Wrapped.Sum
    /// Nil counts for nothing.
    public typealias Average = Wrapped.Average
}
