/// What a row must fulfil: the small closed language that every backend evaluates alike.
///
/// Comparison is two-valued, as in Swift: nil equals nil and nothing else, and an order comparison with nil
/// is false. Plugins see conditions only after `validated(in:schema:)` has accepted them; a time in one lies in
/// `Timestamp.comparable`, a microsecond beyond what a row can hold.
public indirect enum Condition: Sendable, Hashable, Codable {
    /// True for every row, or for none.
    case constant(Bool)
    /// True if all are; true if there are none.
    case all([Condition])
    /// True if any is; false if there are none.
    case any([Condition])
    /// True if the other is false.
    case not(Condition)
    /// A comparison of two operands of one type.
    case compare(Operand, Comparison, Operand)
    /// Whether the operand's value is one of these. Nil is in the list only if the list holds null.
    case isIn(Operand, [StoredValue])
    /// A match of text by its bytes; false if either operand is nil.
    case match(Operand, TextMatch, Operand)
    /// A match without regard to case and diacritics of a searchable attribute; `text` is already folded.
    case search(attribute: String, TextMatch, text: String)
    /// Whether a row of the to-many relationship, or the row that the reference of this name points at, fulfils
    /// a condition over the other entity's attributes; false for a reference that is nil.
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

/// A value worked out for each row; nil if anything it needs is nil.
public indirect enum Operand: Sendable, Hashable, Codable {
    /// The value of an attribute.
    case attribute(String)
    /// A constant.
    case value(StoredValue)
    /// A calculation with two integers or two doubles.
    case arithmetic(Operand, ArithmeticOperator, Operand)
    /// The number with its sign turned.
    case negated(Operand)
    /// The first operand, or the second where the first is nil.
    case coalesce(Operand, Operand)
    /// The first operand where the condition is true, else the second.
    case conditional(Condition, Operand, Operand)
    /// The number of rows of the to-many relationship, an integer.
    case count(relationship: String)
}

/// A calculation.
///
/// Integers divide towards zero, and give a remainder with the sign of the dividend (0 for the divisor −1, whatever
/// the dividend). A double of −0 counts as 0, and one that is not a number (∞ − ∞, 0 × ∞, ∞ ÷ ∞) as nil. Where
/// either side is nil, so is the result, and nothing is an error.
///
/// An integer beyond 64 bits and a division by zero, of integers or doubles, have no result: `CalculationContext`
/// says what they give. Where finite doubles give a result beyond the range of doubles, or a product or quotient too
/// small for any but 0, the error is `arithmetic` in every context.
public enum ArithmeticOperator: String, Sendable, Hashable, Codable, CaseIterable {
    /// The sum.
    case add
    /// The difference.
    case subtract
    /// The product.
    case multiply
    /// The quotient.
    case divide
    /// The remainder; of integers only.
    case remainder

    /// Whether stores calculate with the values of a type exactly as Swift does.
    ///
    /// Narrower numbers are calculated with as integers of 64 bits and as doubles: what overflows or is
    /// rounded in Swift would not be.
    static func takes(_ number: Any.Type) -> Bool {
        number == Int.self || number == Int64.self || number == Double.self
    }
}

/// Where a calculation stands, which decides what it gives where it has no result.
public enum CalculationContext: Sendable {
    /// In a condition, where it gives nil, so that a condition says yes or no of every row, whatever rows and terms a
    /// database looks at, and in which order.
    case condition
    /// In the value that an update assigns, where it is the error `arithmetic`: nil would be written unnoticed.
    case assignment
}

extension Condition {
    /// Both conditions, without nesting lists needlessly.
    public static func && (lhs: Condition, rhs: Condition) -> Condition {
        switch (lhs, rhs) {
        case (.constant(true), let other), (let other, .constant(true)): other
        case (.all(let a), .all(let b)): .all(a + b)
        case (.all(let a), let b): .all(a + [b])
        case (let a, .all(let b)): .all([a] + b)
        default: .all([lhs, rhs])
        }
    }

    /// Either condition, without nesting lists needlessly.
    public static func || (lhs: Condition, rhs: Condition) -> Condition {
        switch (lhs, rhs) {
        case (.constant(false), let other), (let other, .constant(false)): other
        case (.any(let a), .any(let b)): .any(a + b)
        case (.any(let a), let b): .any(a + [b])
        case (let a, .any(let b)): .any([a] + b)
        default: .any([lhs, rhs])
        }
    }

    /// The opposite.
    public static prefix func ! (condition: Condition) -> Condition {
        switch condition {
        case .constant(let value): .constant(!value)
        case .not(let inner): inner
        // Comparison with == is two-valued, so that its opposite is != and needs no NOT around it.
        case .compare(let lhs, .equal, let rhs): .compare(lhs, .notEqual, rhs)
        case .compare(let lhs, .notEqual, let rhs): .compare(lhs, .equal, rhs)
        default: .not(condition)
        }
    }
}
