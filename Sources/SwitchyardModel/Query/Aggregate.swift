public import Foundation

/// A figure over the rows of a group, for `ReadTransaction.aggregate`.
///
/// Nil values only count in the number of rows. Sums of integers, decimals and doubles are exact until they are rounded
/// once, so they depend neither on the backend nor on the order of rows.
public struct Aggregate<Element: Model, Value>: Sendable {
    /// The figure, and the groups that it spans.
    package let figure: Result<GroupFigure, StoreError>

    /// The function over one set of rows; an error for a figure over several groups.
    package var function: Result<AggregateFunction, StoreError> {
        figure.flatMap { figure in
            guard figure.span == .group else {
                return .failure(
                    StoreError(
                        .unsupported,
                        "A running or an overall figure is one of the figures of groups, in `aggregate(_:by:figures:)`. To "
                            + "include it with rows, use `.running(…)` of `including:`.",
                        entity: Element.entityName))
            }
            return .success(figure.function)
        }
    }

    private init(_ function: Result<AggregateFunction, StoreError>, over span: GroupSpan = .group) {
        figure = function.map { GroupFigure($0, over: span) }
    }

    private init(_ function: (String) -> AggregateFunction, _ keyPath: PartialKeyPath<Element>) {
        self.init(Element.attribute(at: keyPath).map(function))
    }

    fileprivate init<Number>(
        _ function: (String) -> AggregateFunction, _ expression: Expression<Element, Number>
    ) {
        let function = function("id")
        self.init(Operand.lowering(expression).map { .calculated(function, of: $0) })
    }

    fileprivate init(_ function: AggregateFunction) { self.init(.success(function)) }

    private init(failing error: StoreError) { figure = .failure(error) }
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

    /// The number of rows that match a predicate.
    ///
    /// ```swift
    /// let (all, done) = try tx.aggregate(Task.all, .count, .count(where: #Predicate { $0.isDone }))
    /// ```
    ///
    /// - Complexity: The needed attributes of all rows are read.
    public static func count(where predicate: Predicate<Element>) -> Self {
        Aggregate(
            Condition.lowering(predicate).map { condition in
                .calculated(
                    .countOf("id"), of: .conditional(condition, .value(.bool(true)), .value(.null)))
            })
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
        guard let refusal = refusal(of: fraction) else {
            return Aggregate({ .percentile($0, fraction) }, keyPath)
        }
        return Aggregate(failing: refusal)
    }

    private static func refusal(of fraction: Double) -> StoreError? {
        (0...1).contains(fraction)
            ? nil
            : StoreError(
                .invalidArgument, "The fraction of a percentile is a number from 0 to 1, such as 0.9.",
                entity: Element.entityName)
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

/// Figures of what is calculated for each row, also from the rows that references lead to.
///
/// ```swift
/// let sales = try tx.aggregate(Line.all, .sum(#Expression { $0.quantity * $0.unitPrice }))
/// let lists = try tx.fetch(
///     Playlist.all,
///     including: .figure(\.entries, .sum(#Expression { $0.track[\.milliseconds] })))
/// ```
///
/// Decimals are exact, as in every calculation. One without a result, such as a division by zero, is the error `arithmetic`.
/// The needed attributes of all rows are read and held in memory.
extension Aggregate {
    /// The sum of what is calculated for each row; 0 if there are no values.
    public static func sum<Number: SummableAttribute>(_ expression: Expression<Element, Number>) -> Self
    where Value == Number.Sum {
        Aggregate(AggregateFunction.sum, expression)
    }

    /// The average of what is calculated for each row; nil if there are no values.
    public static func average<Number: SummableAttribute>(_ expression: Expression<Element, Number>) -> Self
    where Value == Number.Average {
        Aggregate(AggregateFunction.average, expression)
    }

    /// The number in the middle of what is calculated for each row; nil if there are no values.
    public static func median<Number: SummableAttribute>(_ expression: Expression<Element, Number>) -> Self
    where Value == Number.Average {
        percentile(0.5, of: expression)
    }

    /// The number below which a fraction of what is calculated lies, as for an attribute; nil if there are no values.
    public static func percentile<Number: SummableAttribute>(
        _ fraction: Double, of expression: Expression<Element, Number>
    ) -> Self where Value == Number.Average {
        guard let refusal = refusal(of: fraction) else {
            return Aggregate({ .percentile($0, fraction) }, expression)
        }
        return Aggregate(failing: refusal)
    }

    /// The smallest of what is calculated for each row, if any.
    public static func minimum<Wrapped>(_ expression: Expression<Element, Wrapped>) -> Self
    where Value == Wrapped? {
        Aggregate(AggregateFunction.minimum, expression)
    }

    /// The smallest of what is calculated for each row, if any.
    public static func minimum<Wrapped>(_ expression: Expression<Element, Wrapped?>) -> Self
    where Value == Wrapped? {
        Aggregate(AggregateFunction.minimum, expression)
    }

    /// The greatest of what is calculated for each row, if any.
    public static func maximum<Wrapped>(_ expression: Expression<Element, Wrapped>) -> Self
    where Value == Wrapped? {
        Aggregate(AggregateFunction.maximum, expression)
    }

    /// The greatest of what is calculated for each row, if any.
    public static func maximum<Wrapped>(_ expression: Expression<Element, Wrapped?>) -> Self
    where Value == Wrapped? {
        Aggregate(AggregateFunction.maximum, expression)
    }
}

/// Figures over several groups, for `aggregate(_:by:figures:)`.
///
/// ```swift
/// let months = try tx.aggregate(
///     Invoice.all, by: .month(of: \.date, in: zone),
///     figures: .sum(\.total), .running(.sum(\.total)), .overall(.sum(\.total)))
/// ```
///
/// They are over all groups, in the order of their keys, before some are chosen and sorted. Sums are exact, as for one group.
extension Aggregate {
    /// The figure over the rows of a group and of all groups before it.
    public static func running(_ figure: Self) -> Self { Aggregate(figure.function, over: .running) }

    /// The figure over the rows of all groups, such as the sum that a group's is a share of.
    public static func overall(_ figure: Self) -> Self { Aggregate(figure.function, over: .overall) }
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
