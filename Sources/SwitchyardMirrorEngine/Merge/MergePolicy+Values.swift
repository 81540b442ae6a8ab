internal import SwitchyardCore

internal import struct Foundation.Decimal

extension MergePolicy {
    /// The value of two edits, by a policy that goes by values.
    ///
    /// - Returns: Nil for a policy that goes by time, and for values that the policy has no rule for or whose result the
    ///   attribute does not allow.
    func value(
        current: StoredValue, edit: AttributeEdit, of attribute: Attribute, _ functions: MergeFunctions
    ) -> StoredValue? {
        let value: StoredValue? =
            switch self {
            case .lastEdit, .serverOrder: nil
            case .maximum: Self.farther(current, edit.after) { StoredValue.precedes($0, $1) }
            case .minimum: Self.farther(current, edit.after) { StoredValue.precedes($1, $0) }
            case .counter:
                edit.before.flatMap { Self.sum(current, edit.after, minus: $0, of: attribute.type) }
            case .union: JSONList.union(current, edit.after, base: edit.before ?? .null)
            case .custom(let name): functions[name]?(edit.before, current, edit.after)
            }
        guard let value, attribute.allows(value),
            value.isNull ? attribute.isOptional : value.type == attribute.type
        else { return nil }
        return value
    }

    /// Whether the values alone decide, however old they are.
    var goesByValues: Bool { self != .lastEdit && self != .serverOrder }

    /// The value that is farther in some order; one that is not null beats null.
    private static func farther(
        _ current: StoredValue, _ edit: StoredValue, _ precedes: (StoredValue, StoredValue) -> Bool
    ) -> StoredValue {
        if current.isNull { return edit }
        return !edit.isNull && precedes(current, edit) ? edit : current
    }

    /// `a + b − c`, where null counts as 0; nil if the type cannot hold it.
    private static func sum(
        _ a: StoredValue, _ b: StoredValue, minus c: StoredValue, of type: AttributeType
    ) -> StoredValue? {
        switch type {
        case .int:
            guard let a = integer(a), let b = integer(b), let c = integer(c) else { return nil }
            let (difference, tooFar) = b.subtractingReportingOverflow(c)
            let (sum, tooMuch) = a.addingReportingOverflow(difference)
            return tooFar || tooMuch ? nil : .int(sum)
        case .double:
            guard let a = double(a), let b = double(b), let c = double(c) else { return nil }
            let sum = a + (b - c)
            // Neither NaN nor −0 is a value.
            return sum.isNaN ? nil : .double(sum == 0 ? 0 : sum)
        case .decimal:
            guard let a = decimal(a), let b = decimal(b), let c = decimal(c) else { return nil }
            let (difference, sum) = (b - c, a + (b - c))
            // Foundation rounds beyond 38 digits.
            guard !sum.isNaN, difference + c == b, sum - difference == a else { return nil }
            return .decimal(sum)
        default: return nil
        }
    }

    private static func integer(_ value: StoredValue) -> Int64? {
        if case .int(let number) = value { number } else { value.isNull ? 0 : nil }
    }

    private static func double(_ value: StoredValue) -> Double? {
        if case .double(let number) = value { number } else { value.isNull ? 0 : nil }
    }

    private static func decimal(_ value: StoredValue) -> Decimal? {
        if case .decimal(let number) = value { number } else { value.isNull ? 0 : nil }
    }
}
