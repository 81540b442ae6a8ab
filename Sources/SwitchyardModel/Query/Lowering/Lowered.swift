internal import Foundation

/// The result of lowering a part of a predicate.
indirect enum Lowered {
    /// The row that a condition is about.
    case row(any Model.Type)
    /// A to-many relationship of the row.
    case toMany(String)
    /// A Swift value that the predicate captured.
    case captured(Any)
    /// A value calculated for each row. A comparison with it is false unless all guards, those of `!`, hold.
    case operand(Operand, guards: [Condition] = [])
    /// True or false.
    case condition(Condition)
    /// True, false or nil; nil if `present` is false.
    case optionalCondition(present: Condition, Condition)
    /// A range whose bounds may depend on the row.
    case range(LoweredRange)
    /// A value of the row that references lead to.
    case related(RelatedValue)
    /// How a searchable attribute compares with text, ignoring case and diacritics; it can only be tested for equality.
    case search(attribute: String, text: String, guards: [Condition])
    /// A searchable attribute without case and diacritics; it can only be searched for a constant.
    case folded(attribute: String, guards: [Condition])

    var isCaptured: Bool {
        if case .captured = self { true } else { false }
    }
}

/// The bounds of a range; nil where the range is unbounded.
struct LoweredRange {
    var lower: Lowered?
    var upper: Lowered?
    var includesUpper: Bool
}

extension Lowered {
    /// Returns this as a value.
    func operand() throws -> Operand {
        switch self {
        case .operand(let operand, _): operand
        case .captured(let value): .value(try StoredValue.compared(value).get())
        case .condition(.constant(let value)): .value(.bool(value))
        case .condition(let condition): .conditional(condition, .value(.bool(true)), .value(.bool(false)))
        case .optionalCondition(let present, let condition):
            .conditional(present, try Lowered.condition(condition).operand(), .value(.null))
        case .row(let model):
            throw StoreError.unsupportedExpression(
                "A whole \(model.entityName) cannot be compared; compare its id or another attribute.")
        case .toMany(let name):
            throw StoreError.unsupportedExpression(
                "The to-many relationship `\(name)` has no value; ask about its rows with contains(where:).")
        case .range:
            throw StoreError.unsupportedExpression("A range has no stored value; use its contains(_:).")
        case .related(let value): try value.ofTheRow().operand()
        case .search:
            throw StoreError.unsupportedExpression(
                "A case-insensitive comparison of text can only be tested with == or != .orderedSame.")
        case .folded:
            throw StoreError.unsupportedExpression(
                "Folded text can only be compared with a constant text, by ==, !=, contains or starts(with:)."
            )
        }
    }

    /// Returns this as a condition.
    func condition() throws -> Condition {
        switch self {
        case .condition(let condition): condition
        case .captured(let value as Bool): .constant(value)
        case .related(let value): try value.condition()
        default: Condition.guarded(guards, .compare(try operand(), .equal, .value(.bool(true))))
        }
    }

    /// The conditions that must hold for a comparison with this to be true.
    var guards: [Condition] {
        switch self {
        case .operand(_, let guards), .search(_, _, let guards), .folded(_, let guards): guards
        default: []
        }
    }
}

extension Condition {
    /// A condition that is false unless the guards hold.
    static func guarded(_ guards: [Condition], _ condition: Condition) -> Condition {
        guards.isEmpty ? condition : all(guards) && condition
    }

    /// Whether an operand has a value.
    static func isPresent(_ operand: Operand) -> Condition { .compare(operand, .notEqual, .value(.null)) }
}
