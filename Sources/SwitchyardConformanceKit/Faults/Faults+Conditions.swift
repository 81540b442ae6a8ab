internal import Foundation
internal import Switchyard
internal import SwitchyardCore

extension Fault {
    /// Faults in comparisons, lists and nil.
    static let conditions: [Fault] =
        [
            rewrites("not-equal-three-valued", "A nil is not unequal to a value, as in SQL.") {
                condition, _, _ in
                guard case .compare(let lhs, .notEqual, let rhs) = condition, rhs != .value(.null),
                    lhs != .value(.null)
                else { return condition }
                return .all([condition, lhs.isPresent, rhs.isPresent])
            },
            rewrites("not-three-valued", "The opposite of a comparison with nil is not true, as in SQL.") {
                condition, _, _ in
                guard case .not(.compare(let lhs, let comparison, let rhs)) = condition,
                    ![.equal, .notEqual].contains(comparison)
                else { return condition }
                return .all([condition, lhs.isPresent, rhs.isPresent])
            },
            rewrites("equal-nil", "Nothing equals nil, as in SQL.") { condition, _, _ in
                if case .compare(_, .equal, .value(.null)) = condition { .constant(false) } else { condition }
            },
            rewrites("in-nil", "A nil in a list finds no row.") { condition, _, _ in
                guard case .isIn(let operand, let values) = condition else { return condition }
                return .isIn(operand, values.filter { !$0.isNull })
            },
            rewrites("not-in-nil", "No row is outside a list that holds nil, as in SQL.") { condition, _, _ in
                guard case .not(.isIn(_, let values)) = condition, values.contains(.null) else {
                    return condition
                }
                return .constant(false)
            },
            rewrites("not-in-absent", "A nil is not outside a list, as in SQL.") { condition, _, _ in
                guard case .not(.isIn(let operand, let values)) = condition, !values.isEmpty else {
                    return condition
                }
                return .all([condition, operand.isPresent])
            },
            rewrites("in-empty", "Every row is in an empty list.") { condition, _, _ in
                if case .isIn(_, let values) = condition, values.isEmpty {
                    .constant(true)
                } else {
                    condition
                }
            },
            rewrites("integer-compared-as-double", "Integers are compared as doubles.") {
                condition, entity, driver in
                guard
                    case .compare(.attribute(let name), let comparison, .value(.int(let value))) = condition,
                    value.magnitude >= UInt64(1) << 53, let column = entity.column(name)
                else { return condition }
                return try driver.rows(of: entity) { row in
                    guard case .int(let found) = row[column] else {
                        return comparison.holds(row[column], .int(value))
                    }
                    return comparison.holds(.double(Double(found)), .double(Double(value)))
                }
            },
            rewrites("decimal-compared-as-double", "Decimals are compared as doubles.") {
                condition, entity, driver in
                guard
                    case .compare(.attribute(let name), let comparison, .value(.decimal(let value))) =
                        condition,
                    let column = entity.column(name)
                else { return condition }
                return try driver.rows(of: entity) { row in
                    guard case .decimal(let found) = row[column] else {
                        return comparison.holds(row[column], .decimal(value))
                    }
                    return comparison.holds(
                        .double((found as NSDecimalNumber).doubleValue),
                        .double((value as NSDecimalNumber).doubleValue))
                }
            },
            rewrites("time-compared-clamped", "A time before year 1 is compared as the first of year 1.") {
                condition, _, _ in
                guard case .compare(let operand, let comparison, .value(.timestamp(let time))) = condition,
                    !Timestamp.range.contains(time)
                else { return condition }
                let range = Timestamp.range
                return .compare(
                    operand, comparison,
                    .value(.timestamp(min(max(time, range.lowerBound), range.upperBound))))
            },
            rewrites("exists-any", "A to-many is asked whether it has a row at all.") { condition, _, _ in
                guard case .exists(let name, _) = condition else { return condition }
                return .exists(relationship: name, .constant(true))
            },
            rewrites("not-related-absent", "A nil reference is not outside the rows that fulfil a condition.")
            {
                condition, entity, _ in
                guard case .not(.exists(let name, _)) = condition, entity.attribute(name) != nil else {
                    return condition
                }
                return .all([condition, Operand.attribute(name).isPresent])
            },
            rewrites("related-any", "A reference is asked whether it points at a row at all.") {
                condition, entity, _ in
                guard case .exists(let name, _) = condition, entity.attribute(name) != nil else {
                    return condition
                }
                return Operand.attribute(name).isPresent
            },
            rewrites("count-distinct", "Of the rows of a to-many one is counted.") { condition, _, _ in
                guard
                    case .compare(
                        .figure(.count, of: let name, where: .constant(true)), let comparison,
                        .value(.int(let number))) = condition
                else { return condition }
                let exists = Condition.exists(relationship: name, .constant(true))
                return .any([
                    .all([exists, .constant(comparison.holds(.int(1), .int(number)))]),
                    .all([!exists, .constant(comparison.holds(.int(0), .int(number)))]),
                ])
            },
            rewrites("figure-condition", "A figure in a condition is over all related rows.") {
                condition, _, _ in
                guard
                    case .compare(.figure(let function, of: let name, where: _), let comparison, let value) =
                        condition
                else { return condition }
                return .compare(
                    .figure(function, of: name, where: .constant(true)), comparison, value)
            },
            rewrites("any-1000", "Of a list of alternatives the first 1,000 count.") { condition, _, _ in
                if case .any(let terms) = condition { .any(Array(terms.prefix(1_000))) } else { condition }
            },
        ]
        + [999, 32_766, 65_535].map { count in
            rewrites("in-\(count)", "Of a list of values the first \(count) count.") { condition, _, _ in
                guard case .isIn(let operand, let values) = condition else { return condition }
                return .isIn(operand, Array(values.prefix(count)))
            }
        }
}

extension Operand {
    /// Whether the operand has a value.
    fileprivate var isPresent: Condition { .compare(self, .notEqual, .value(.null)) }
}
