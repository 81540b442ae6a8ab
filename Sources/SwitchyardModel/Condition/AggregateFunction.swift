/// An aggregate function over the rows of a group.
///
/// Drivers only calculate sums of integers, and no averages or percentiles. Core calculates averages, percentiles, and sums
/// of doubles and decimals, exactly and independently of the order of rows, so that all backends agree in every bit.
public indirect enum AggregateFunction: Sendable, Hashable, Codable {
    /// The number of rows.
    case count
    /// The number of rows in which the attribute is not nil.
    case countOf(String)
    /// The number of different values of the attribute that are not nil.
    case countDistinct(String)
    /// The exact sum of the numbers that are not nil, 0 if there are none; overflow throws `arithmetic`.
    case sum(String)
    /// The sum, rounded, divided by the count; nil if all values are nil.
    case average(String)
    /// The smallest value, if any.
    case minimum(String)
    /// The greatest value, if any.
    case maximum(String)
    /// The number below which a fraction of the numbers lies, from 0 to 1; nil if all values are nil.
    case percentile(String, Double)
    /// A function of what is calculated for each row, instead of the attribute that the function names.
    ///
    /// Core calculates it; no driver receives it.
    case calculated(AggregateFunction, of: Operand)

    /// The attribute that is aggregated; nil for `count` and for what is calculated.
    public var attribute: String? {
        switch self {
        case .count, .calculated: nil
        case .countOf(let name), .countDistinct(let name), .sum(let name), .average(let name),
            .minimum(let name), .maximum(let name), .percentile(let name, _):
            name
        }
    }

    /// The function without what it is a function of.
    package var plain: AggregateFunction {
        if case .calculated(let function, _) = self { function } else { self }
    }

    /// What is calculated for each row; nil for a function of an attribute.
    package var calculated: Operand? {
        if case .calculated(_, let operand) = self { operand } else { nil }
    }

    /// The function's word in descriptions and in queries as text.
    package var word: String {
        switch self {
        case .count, .countOf: "count"
        case .countDistinct: "distinct"
        case .sum: "sum"
        case .average: "average"
        case .minimum: "minimum"
        case .maximum: "maximum"
        case .percentile(_, let fraction): fraction == 0.5 ? "median" : "percentile"
        case .calculated(let function, _): function.word
        }
    }
}
