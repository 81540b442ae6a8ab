/// Accumulates a figure from one value of each row.
package struct Accumulator {
    private let function: AggregateFunction
    private var count: Int64 = 0
    private var integers: Int128 = 0
    private var doubles: DoubleSum?
    private var decimals: DecimalSum?
    private var extreme = StoredValue.null
    private var values: Set<StoredValue> = []

    /// Starts a figure over values of a type.
    package init(_ function: AggregateFunction, of type: AttributeType?) {
        self.function = function
        switch (function, type) {
        case (.sum, .double), (.average, .double): doubles = DoubleSum()
        case (.sum, .decimal), (.average, .decimal): decimals = DecimalSum()
        default: break
        }
    }

    mutating func add(_ value: StoredValue) {
        if function == .count {
            count += 1
            return
        }
        guard !value.isNull else { return }
        count += 1
        switch function {
        case .count, .countOf: break
        case .countDistinct: values.insert(value)
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

    /// Adds the figure of other rows; not an average or a number of different values, which do not tell their rows' values.
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
        case .count, .countOf: return .int(count)
        case .countDistinct: return .int(Int64(values.count))
        case .minimum, .maximum: return extreme
        case .sum: return try sum()
        case .average: return try average()
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
