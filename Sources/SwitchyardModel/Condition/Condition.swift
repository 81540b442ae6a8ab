internal import Foundation

/// A condition on a row, in a small closed language that every backend evaluates in the same way.
///
/// Comparison is two-valued, as in Swift: nil equals only nil, and an order comparison with nil is false. Plugins only
/// receive conditions that `validated(in:schema:)` has accepted; a time in one lies in `Timestamp.comparable`, which
/// extends one microsecond beyond the times that a row can store.
public indirect enum Condition: Sendable, Hashable, Codable {
    /// True for all rows, or for none.
    case constant(Bool)
    /// True if all terms are true; also if there are none.
    case all([Condition])
    /// True if any term is true; false if there are none.
    case any([Condition])
    /// True if the condition is false.
    case not(Condition)
    /// A comparison of two operands of one type.
    case compare(Operand, Comparison, Operand)
    /// Whether the operand's value is one of these. A nil operand only is if the list contains null.
    case isIn(Operand, [StoredValue])
    /// A text match by bytes; false if either operand is nil.
    case match(Operand, TextMatch, Operand)
    /// A match of a searchable attribute that ignores case and diacritics; `text` is already folded.
    case search(attribute: String, TextMatch, text: String)
    /// Whether a row of the to-many relationship, or the row that the reference with this name points at, fulfils a
    /// condition on the other entity's attributes; false for a reference that is nil.
    case exists(relationship: String, Condition)
}

/// How two values are compared.
public enum Comparison: String, Sendable, Hashable, Codable, CaseIterable {
    /// The same value, or both nil.
    case equal
    /// Not the same value; true if exactly one is nil.
    case notEqual
    /// Both have a value and the first sorts before the second.
    case less
    /// Both have a value and the first does not sort after the second.
    case lessOrEqual
    /// Both have a value and the first sorts after the second.
    case greater
    /// Both have a value and the first does not sort before the second.
    case greaterOrEqual
}

/// How text is matched.
public enum TextMatch: String, Sendable, Hashable, Codable, CaseIterable {
    /// The second text occurs in the first.
    case contains
    /// The first text begins with the second.
    case hasPrefix
    /// The first text ends with the second.
    case hasSuffix
    /// The texts are the same.
    case equals
}

/// A value calculated for each row; nil if an input is nil, except where noted.
public indirect enum Operand: Sendable, Hashable, Codable {
    /// The value of an attribute.
    case attribute(String)
    /// A constant.
    case value(StoredValue)
    /// A calculation with two integers or two doubles.
    case arithmetic(Operand, ArithmeticOperator, Operand)
    /// The negated number.
    case negated(Operand)
    /// The first operand, or the second if the first is nil.
    case coalesce(Operand, Operand)
    /// The first operand if the condition is true, else the second.
    case conditional(Condition, Operand, Operand)
    /// The text of a searchable attribute without case and diacritics.
    case folded(String)
    /// A figure over the rows of the to-many relationship that fulfil a condition.
    case figure(AggregateFunction, of: String, where: Condition)
    /// A value of the row that the reference points at; nil for a reference that is nil.
    case referenced(String, Operand)
    /// A figure over all rows of the entity with this name that fulfil a condition.
    ///
    /// Core calculates it first; no driver receives it. An integer compares with it as numbers do, even if it is a double.
    case overall(AggregateFunction, of: String, where: Condition)

    /// The number of rows of a to-many relationship.
    public static func count(relationship: String) -> Operand {
        .figure(.count, of: relationship, where: .constant(true))
    }
}

/// A calculation with two numbers of one type, or with times.
///
/// A driver calculates with integers and with doubles. `ReadTransaction` itself calculates with decimals (sums are exact,
/// products and quotients are rounded to 38 digits) and with times: a time and seconds, rounded to microseconds, give a
/// time. A sum of more than 38 digits and a time outside the years 1 to 9999 are
/// no result.
///
/// Integer division truncates towards zero, and the remainder has the sign of the dividend (0 for the divisor −1,
/// whatever the dividend). A double of −0 counts as 0, and one that is not a number (∞ − ∞, 0 × ∞, ∞ ÷ ∞) as nil. If
/// either side is nil, so is the result, and no error is raised.
///
/// An integer that overflows 64 bits and a division by zero, of integers or doubles, have no result:
/// `CalculationContext` says what happens then. If finite doubles give a result beyond the range of doubles, or a
/// product or quotient that underflows to 0, the error is `arithmetic` in every context.
public enum ArithmeticOperator: String, Sendable, Hashable, Codable, CaseIterable {
    /// The sum.
    case add
    /// The difference.
    case subtract
    /// The product.
    case multiply
    /// The quotient.
    case divide
    /// The remainder, for integers only.
    case remainder

    /// Whether stores calculate with the values of a type exactly as Swift does.
    ///
    /// Stores calculate with narrower numbers as 64-bit integers and doubles, which do not overflow or round where
    /// Swift does.
    package static func takes(_ number: Any.Type) -> Bool {
        number == Int.self || number == Int64.self || number == Double.self || number == Decimal.self
    }
}

/// Where a calculation is used, which decides what happens if it has no result.
public enum CalculationContext: Sendable {
    /// In a condition, where it gives nil, so that a condition is true or false for every row, whichever rows and terms
    /// a database evaluates, and in which order.
    case condition
    /// In the value that an update assigns, where it throws `arithmetic`: a nil would be written unnoticed.
    case assignment
}

extension Condition {
    /// The conjunction of two conditions, without needless nesting of lists.
    public static func && (lhs: Condition, rhs: Condition) -> Condition {
        switch (lhs, rhs) {
        case (.constant(true), let other), (let other, .constant(true)): other
        case (.all(let a), .all(let b)): .all(a + b)
        case (.all(let a), let b): .all(a + [b])
        case (let a, .all(let b)): .all([a] + b)
        default: .all([lhs, rhs])
        }
    }

    /// The disjunction of two conditions, without needless nesting of lists.
    public static func || (lhs: Condition, rhs: Condition) -> Condition {
        switch (lhs, rhs) {
        case (.constant(false), let other), (let other, .constant(false)): other
        case (.any(let a), .any(let b)): .any(a + b)
        case (.any(let a), let b): .any(a + [b])
        case (let a, .any(let b)): .any([a] + b)
        default: .any([lhs, rhs])
        }
    }

    /// The negation of a condition.
    public static prefix func ! (condition: Condition) -> Condition {
        switch condition {
        case .constant(let value): .constant(!value)
        case .not(let inner): inner
        // Comparison with == is two-valued, so its negation is !=, without a NOT around it.
        case .compare(let lhs, .equal, let rhs): .compare(lhs, .notEqual, rhs)
        case .compare(let lhs, .notEqual, let rhs): .compare(lhs, .equal, rhs)
        default: .not(condition)
        }
    }
}
