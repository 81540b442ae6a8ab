internal import Foundation

/// Accumulates a figure from one value of each row.
package struct Accumulator {
    private let function: AggregateFunction
    private var count: Int64 = 0
    private var integers: Int128 = 0
    private var doubles: DoubleSum?
    private var decimals: DecimalSum?
    private var extreme = StoredValue.null
    private var values: Set<StoredValue> = []
    private var all: [StoredValue] = []

    /// Starts a figure over values of a type.
    package init(_ function: AggregateFunction, of type: AttributeType?) {
        self.function = function.plain
        switch (self.function, type) {
        case (.sum, .double), (.average, .double): doubles = DoubleSum()
        case (.sum, .decimal), (.average, .decimal): decimals = DecimalSum()
        default: break
        }
    }

    /// Adds the value of a row.
    package mutating func add(_ value: StoredValue) {
        if function == .count {
            count += 1
            return
        }
        guard !value.isNull else { return }
        count += 1
        switch function {
        case .count, .countOf, .calculated: break
        case .countDistinct: values.insert(value)
        case .percentile: all.append(value)
        case .sum, .average:
            switch value {
            case .int(let integer): integers += Int128(integer)
            case .double(let double): doubles?.add(double)
            case .decimal(let decimal): decimals?.add(decimal)
            default: break
            }
        case .minimum: if extreme.isNull || StoredValue.precedes(value, extreme) { extreme = value }
        case .maximum: if extreme.isNull || StoredValue.precedes(extreme, value) { extreme = value }
        }
    }

    /// Adds the figure of other rows; not an average, a percentile or a number of different values, which do not tell their
    /// rows' values.
    mutating func add(figure: StoredValue) {
        switch (function, figure) {
        case (.count, .int(let count)), (.countOf, .int(let count)): self.count += count
        case (.sum, .int(let sum)): integers += Int128(sum)
        default: add(figure)
        }
    }

    /// Adds the rows of another figure of the same kind.
    mutating func merge(_ other: Accumulator) {
        count += other.count
        integers += other.integers
        values.formUnion(other.values)
        all += other.all
        if let sum = other.doubles { doubles?.add(sum) }
        if let sum = other.decimals { decimals?.add(sum) }
        guard !other.extreme.isNull else { return }
        let isNext =
            if case .minimum = function { StoredValue.precedes(other.extreme, extreme) } else {
                StoredValue.precedes(extreme, other.extreme)
            }
        if extreme.isNull || isNext { extreme = other.extreme }
    }

    /// Returns the figure.
    ///
    /// - Throws: `arithmetic` if a sum leaves the range of its type.
    package func value() throws -> StoredValue {
        switch function {
        case .count, .countOf, .calculated: return .int(count)
        case .countDistinct: return .int(Int64(values.count))
        case .minimum, .maximum: return extreme
        case .sum: return try sum()
        case .average: return try average()
        case .percentile(_, let fraction): return try percentile(fraction)
        }
    }

    /// Between the two numbers around the place, by its distance from them, as SQL's `percentile_cont`.
    private func percentile(_ fraction: Double) throws -> StoredValue {
        guard !all.isEmpty else { return .null }
        let sorted = all.sorted { StoredValue.precedes($0, $1) }
        let place = fraction * Double(sorted.count - 1)
        let lower = sorted[Int(place)]
        let upper = sorted[min(Int(place) + 1, sorted.count - 1)]
        let distance = place - place.rounded(.down)
        switch (lower, upper) {
        case (.int(let lower), .int(let upper)):
            return .double(Double(lower) * (1 - distance) + Double(upper) * distance)
        case (.double(let lower), .double(let upper)):
            // Neither ∞ × 0 nor ∞ − ∞ is a number.
            if distance == 0 || lower == upper { return .double(lower) }
            let value = lower * (1 - distance) + upper * distance
            return value.isNaN ? .null : .double(value == 0 ? 0 : value)
        case (.decimal(let lower), .decimal(let upper)):
            if distance == 0 { return .decimal(lower) }
            let value = lower + (upper - lower) * Decimal(distance)
            guard let stored = CanonicalDecimal.rounded(value) else { throw StoreError.overflow }
            return .decimal(stored)
        default: return .null
        }
    }

    private func sum() throws -> StoredValue {
        if let doubles { return try doubles.value().map { .double($0) } ?? .null }
        if let decimals { return .decimal(try decimals.value()) }
        guard let integer = Int64(exactly: integers) else { throw StoreError.overflow }
        return .int(integer)
    }

    private func average() throws -> StoredValue {
        guard count > 0 else { return .null }
        if let doubles { return try doubles.value().map { .double($0 / Double(count)) } ?? .null }
        if let decimals { return .decimal(try decimals.average(of: count)) }
        return .double(Double(integers) / Double(count))
    }
}
