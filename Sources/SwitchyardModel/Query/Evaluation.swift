internal import Foundation

/// The semantics of the operators of conditions, implemented once: for constants, for rows in memory, and as the model
/// that every other backend is tested against.
extension Comparison {
    /// Returns whether the comparison holds between two values; null equals null and has no order.
    public func holds(_ lhs: StoredValue, _ rhs: StoredValue) -> Bool {
        switch self {
        case .equal: lhs == rhs
        case .notEqual: lhs != rhs
        case .less: !lhs.isNull && StoredValue.precedes(lhs, rhs)
        case .greater: !rhs.isNull && StoredValue.precedes(rhs, lhs)
        case .lessOrEqual: !lhs.isNull && !rhs.isNull && !StoredValue.precedes(rhs, lhs)
        case .greaterOrEqual: !lhs.isNull && !rhs.isNull && !StoredValue.precedes(lhs, rhs)
        }
    }

    /// The negated comparison of two values that are not nil.
    package var opposite: Comparison {
        switch self {
        case .equal: .notEqual
        case .notEqual: .equal
        case .less: .greaterOrEqual
        case .lessOrEqual: .greater
        case .greater: .lessOrEqual
        case .greaterOrEqual: .less
        }
    }

    /// The same comparison with its sides exchanged.
    var flipped: Comparison {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}

extension TextMatch {
    /// Returns whether a text matches another by bytes.
    public func holds(_ text: String, _ other: String) -> Bool {
        switch self {
        case .contains: text.utf8.contains(other.utf8)
        case .hasPrefix: text.utf8.starts(with: other.utf8)
        case .hasSuffix: text.utf8.reversed().starts(with: other.utf8.reversed())
        case .equals: text.utf8.elementsEqual(other.utf8)
        }
    }
}

extension ArithmeticOperator {
    /// Returns the result of a calculation; null if either side is null, or if the result is not a number.
    ///
    /// - Throws: `arithmetic` in an assignment if there is no result, and in every context if doubles leave their
    ///   range.
    public func result(
        _ lhs: StoredValue, _ rhs: StoredValue, in context: CalculationContext
    ) throws -> StoredValue {
        switch (lhs, rhs) {
        case (.int(let left), .int(let right)): try integer(left, right, context)
        case (.double(let left), .double(let right)): try double(left, right, context)
        case (.decimal(let left), .decimal(let right)): try decimal(left, right, context)
        case (.timestamp(let left), .double(let right)): try time(left, right, context)
        default: .null
        }
    }

    private func integer(_ lhs: Int64, _ rhs: Int64, _ context: CalculationContext) throws -> StoredValue {
        if self == .remainder, rhs == -1 { return .int(0) }
        let (value, hasOverflowed) =
            switch self {
            case .add: lhs.addingReportingOverflow(rhs)
            case .subtract: lhs.subtractingReportingOverflow(rhs)
            case .multiply: lhs.multipliedReportingOverflow(by: rhs)
            case .divide: lhs.dividedReportingOverflow(by: rhs)
            case .remainder: lhs.remainderReportingOverflow(dividingBy: rhs)
            }
        if hasOverflowed { return try context.nothing(or: rhs == 0 ? .divisionByZero : .overflow) }
        return .int(value)
    }

    private func double(_ lhs: Double, _ rhs: Double, _ context: CalculationContext) throws -> StoredValue {
        if self == .divide, rhs == 0 { return try context.nothing(or: .divisionByZero) }
        let value =
            switch self {
            case .add: lhs + rhs
            case .subtract: lhs - rhs
            case .multiply: lhs * rhs
            case .divide: lhs / rhs
            case .remainder: Double.nan
            }
        if value.isNaN { return .null }
        if lhs.isFinite, rhs.isFinite {
            let isTooSmall = value == 0 && lhs != 0 && rhs != 0 && (self == .multiply || self == .divide)
            guard value.isFinite, !isTooSmall else { throw StoreError.overflow }
        }
        return .double(value == 0 ? 0 : value)
    }

    /// Sums are exact; products and quotients are rounded to 38 digits.
    private func decimal(_ lhs: Decimal, _ rhs: Decimal, _ context: CalculationContext) throws -> StoredValue
    {
        if self == .divide, rhs.isZero { return try context.nothing(or: .divisionByZero) }
        let value: Decimal
        switch self {
        case .add, .subtract:
            var sum = DecimalSum()
            sum.add(lhs)
            sum.add(self == .add ? rhs : -rhs)
            guard let exact = try? sum.value() else { return try context.nothing(or: .overflow) }
            value = exact
        case .multiply: value = lhs * rhs
        case .divide: value = lhs / rhs
        case .remainder: return .null
        }
        let isTooSmall = value.isZero && !lhs.isZero && !rhs.isZero && (self == .multiply || self == .divide)
        guard !isTooSmall, let stored = CanonicalDecimal.rounded(value) else {
            return try context.nothing(or: .overflow)
        }
        return .decimal(stored)
    }

    /// Moves a time by seconds, which are rounded to microseconds.
    private func time(_ time: Int64, _ seconds: Double, _ context: CalculationContext) throws -> StoredValue {
        let microseconds = (seconds * 1_000_000).rounded(.toNearestOrAwayFromZero)
        // Twice the years 1 to 9999, within which the sum cannot overflow.
        guard abs(microseconds) < 1e18 else { return try context.nothing(or: .overflow) }
        let moved = self == .subtract ? time - Int64(microseconds) : time + Int64(microseconds)
        guard Timestamp.range.contains(moved) else { return try context.nothing(or: .overflow) }
        return .timestamp(moved)
    }
}

extension StoredValue {
    /// Returns the negated number; null for null.
    ///
    /// - Throws: `arithmetic` in an assignment for the smallest integer, whose negation overflows.
    public func negated(in context: CalculationContext) throws -> StoredValue {
        switch self {
        case .int(.min): return try context.nothing(or: .overflow)
        case .int(let value): return .int(-value)
        case .double(let value): return .double(value == 0 ? 0 : -value)
        case .decimal(let value): return .decimal(-value)
        default: return .null
        }
    }
}

extension CalculationContext {
    /// The outcome of a calculation without a result.
    fileprivate func nothing(or error: StoreError) throws -> StoredValue {
        switch self {
        case .condition: .null
        case .assignment: throw error
        }
    }
}

extension StoreError {
    /// The error of a calculation that leaves the range of its type.
    public static var overflow: StoreError {
        StoreError(.arithmetic, "The result of a calculation is out of range.")
    }

    /// The error of a division by zero.
    public static var divisionByZero: StoreError {
        StoreError(.arithmetic, "A calculation divides by zero.")
    }
}
