public import Foundation

/// A value of a row without its Swift type, as stores, conditions and transfers use it.
///
/// Equality and hashing follow the contract: text and JSON compare by their UTF-8 bytes, never by canonical
/// equivalence; decimals compare by number.
public enum StoredValue: Sendable {
    /// No value.
    case null
    /// True or false.
    case bool(Bool)
    /// An integer of 64 bits.
    case int(Int64)
    /// A finite or infinite double, never NaN and never −0.
    case double(Double)
    /// An exact decimal of at most 38 digits.
    case decimal(Decimal)
    /// Text without U+0000.
    case text(String)
    /// Bytes.
    case blob(Data)
    /// A UUID.
    case uuid(UUID)
    /// Microseconds since 1970-01-01 00:00 UTC.
    case timestamp(Int64)
    /// A calendar day.
    case day(CalendarDay)
    /// Canonical JSON text: keys sorted, no spaces.
    case json(String)
}

extension StoredValue {
    /// Whether the value is null.
    @inlinable
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The attribute type of the value; nil for null.
    public var type: AttributeType? {
        switch self {
        case .null: nil
        case .bool: .bool
        case .int: .int
        case .double: .double
        case .decimal: .decimal
        case .text: .text
        case .blob: .blob
        case .uuid: .uuid
        case .timestamp: .timestamp
        case .day: .day
        case .json: .json
        }
    }
}

extension StoredValue: Hashable {
    /// Whether two values are equal by the contract's rules.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        switch (lhs, rhs) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.int(let a), .int(let b)): a == b
        case (.double(let a), .double(let b)): a == b
        case (.decimal(let a), .decimal(let b)): a == b
        case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
        case (.blob(let a), .blob(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.timestamp(let a), .timestamp(let b)): a == b
        case (.day(let a), .day(let b)): a == b
        case (.json(let a), .json(let b)): a.utf8.elementsEqual(b.utf8)
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .decimal(let value): hasher.combine(value)
        case .text(let value), .json(let value):
            for byte in value.utf8 { hasher.combine(byte) }
        case .blob(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .timestamp(let value): hasher.combine(value)
        case .day(let value): hasher.combine(value)
        }
    }
}

extension StoredValue {
    /// Orders two values of the same type as every backend does; null comes first.
    ///
    /// - Returns: Whether `lhs` sorts strictly before `rhs`; false for values of different types, which have no order.
    public static func precedes(_ lhs: Self, _ rhs: Self) -> Bool {
        switch (lhs, rhs) {
        case (.null, .null): false
        case (.null, _): true
        case (_, .null): false
        case (.bool(let a), .bool(let b)): !a && b
        case (.int(let a), .int(let b)): a < b
        case (.double(let a), .double(let b)): a < b
        case (.decimal(let a), .decimal(let b)): a < b
        case (.text(let a), .text(let b)), (.json(let a), .json(let b)):
            a.utf8.lexicographicallyPrecedes(b.utf8)
        case (.blob(let a), .blob(let b)): a.lexicographicallyPrecedes(b)
        case (.uuid(let a), .uuid(let b)): a < b
        case (.timestamp(let a), .timestamp(let b)): a < b
        case (.day(let a), .day(let b)): a < b
        default: false
        }
    }
}

/// The type of an attribute's stored values.
public enum AttributeType: String, Sendable, Hashable, Codable, CaseIterable {
    /// True or false.
    case bool
    /// An integer of 64 bits.
    case int
    /// A double.
    case double
    /// An exact decimal.
    case decimal
    /// Text.
    case text
    /// Bytes.
    case blob
    /// A UUID, such as every id and reference.
    case uuid
    /// Microseconds since 1970 UTC.
    case timestamp
    /// A calendar day.
    case day
    /// Canonical JSON text.
    case json
}
