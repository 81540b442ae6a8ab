internal import Foundation

extension PredicateExpressions.SequenceContains: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        let sequence = try lowering.lower(sequence)
        let element = try lowering.lower(element)
        switch sequence {
        case .captured(let value as any BoundedRange):
            return try value.loweredRange.contains(element, of: RHS.Output.self)
        case .range(let range): return try range.contains(element, of: RHS.Output.self)
        case .captured(let value as LHS.Output):
            return try element.map { element in
                .condition(.guarded(element.guards, .isIn(try element.operand(), try value.storedValues())))
            }
        default:
            throw StoreError.unsupportedExpression(
                "contains(_:) is not supported on a stored collection; store the elements as rows of their own."
            )
        }
    }
}

extension Sequence {
    /// The elements as stored values.
    fileprivate func storedValues() throws -> [StoredValue] {
        if let type = Element.self as? any AttributeValue.Type { return try storedValues(as: type) }
        return try map { try StoredValue.of($0).get() }
    }

    /// The fast path, for lists of a hundred thousand ids.
    private func storedValues<Value: AttributeValue>(as _: Value.Type) throws -> [StoredValue] {
        try map { element in
            guard let value = element as? Value else { return try StoredValue.of(element).get() }
            return try value.storedValue()
        }
    }
}

extension PredicateExpressions.RangeExpressionContains: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        let element = try lowering.lower(element)
        switch try lowering.lower(range) {
        case .range(let range): return try range.contains(element, of: Element.Output.self)
        case .captured(let value as any BoundedRange):
            return try value.loweredRange.contains(element, of: Element.Output.self)
        default:
            throw StoreError.unsupportedExpression(
                "contains(_:) is not supported on a \(RangeExpression.Output.self).")
        }
    }
}

extension PredicateExpressions.Range: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        .range(
            LoweredRange(
                lower: try lowering.lower(lower), upper: try lowering.lower(upper), includesUpper: false))
    }
}

extension PredicateExpressions.ClosedRange: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        .range(
            LoweredRange(
                lower: try lowering.lower(lower), upper: try lowering.lower(upper), includesUpper: true))
    }
}

extension LoweredRange {
    fileprivate func contains(_ element: Lowered, of type: Any.Type) throws -> Lowered {
        try Condition.requireStoredOrder(of: type)
        var bounds: [(comparison: Comparison, value: Lowered)] = []
        if let lower { bounds.append((.greaterOrEqual, lower)) }
        if let upper { bounds.append((includesUpper ? .lessOrEqual : .less, upper)) }
        return try .combining([element] + bounds.map(\.value)) { values in
            .condition(
                .all(
                    of: try zip(bounds, values.dropFirst()).map { bound, value in
                        try .ordering(values[0], bound.comparison, value)
                    }))
        }
    }
}

/// The standard library's ranges, with the type of their bounds erased.
protocol BoundedRange {
    var loweredRange: LoweredRange { get }
}

extension Range: BoundedRange {
    var loweredRange: LoweredRange {
        LoweredRange(lower: .captured(lowerBound), upper: .captured(upperBound), includesUpper: false)
    }
}

extension ClosedRange: BoundedRange {
    var loweredRange: LoweredRange {
        LoweredRange(lower: .captured(lowerBound), upper: .captured(upperBound), includesUpper: true)
    }
}

extension PartialRangeFrom: BoundedRange {
    var loweredRange: LoweredRange {
        LoweredRange(lower: .captured(lowerBound), upper: nil, includesUpper: false)
    }
}

extension PartialRangeThrough: BoundedRange {
    var loweredRange: LoweredRange {
        LoweredRange(lower: nil, upper: .captured(upperBound), includesUpper: true)
    }
}

extension PartialRangeUpTo: BoundedRange {
    var loweredRange: LoweredRange {
        LoweredRange(lower: nil, upper: .captured(upperBound), includesUpper: false)
    }
}
