public import Foundation

extension Bool: AttributeValue {
    /// The type of the column.
    public static var attributeType: AttributeType { .bool }

    /// Reads an integer column that holds 0 or 1.
    @inlinable
    public init(from row: inout RowReader) throws {
        let cell = try row.next()
        guard cell.kind == .integer, cell.word == 0 || cell.word == 1 else {
            throw row.mismatch(expected: "true or false", found: cell)
        }
        self = cell.word == 1
    }

    /// Writes 0 or 1 to an integer column.
    @inlinable
    public func write(into row: inout RowWriter) { row.write(integer: self ? 1 : 0) }

    /// The value as a `StoredValue`.
    public func storedValue() -> StoredValue { .bool(self) }

    /// Creates a value from a stored one; nil if it does not fit.
    public init?(_ value: StoredValue) {
        guard case .bool(let bool) = value else { return nil }
        self = bool
    }
}

/// The integers that fit a signed 64-bit column.
///
/// Only the types below conform to it.
public protocol IntegerAttributeValue: AttributeValue, FixedWidthInteger {}

extension IntegerAttributeValue {
    /// The type of the column.
    public static var attributeType: AttributeType { .int }

    /// The range of an integer with less than 64 bits; nil for one with 64.
    public static var numberDomain: NumberDomain? {
        bitWidth < Int64.bitWidth ? .integers(range: Int64(min)...Int64(max)) : nil
    }

    /// Reads an integer column, whose value must fit the type.
    @inlinable
    public init(from row: inout RowReader) throws {
        let cell = try row.next()
        guard cell.kind == .integer, let value = Self(exactly: cell.word) else {
            throw row.mismatch(expected: "an integer of \(Self.bitWidth) bits", found: cell)
        }
        self = value
    }

    /// Writes an integer column.
    @inlinable
    public func write(into row: inout RowWriter) { row.write(integer: Int64(self)) }

    /// The value as a `StoredValue`.
    public func storedValue() -> StoredValue { .int(Int64(self)) }

    /// Creates a value from a stored one; nil if it does not fit.
    public init?(_ value: StoredValue) {
        guard case .int(let integer) = value else { return nil }
        self.init(exactly: integer)
    }
}

extension Int: IntegerAttributeValue {}
extension Int8: IntegerAttributeValue {}
extension Int16: IntegerAttributeValue {}
extension Int32: IntegerAttributeValue {}
extension Int64: IntegerAttributeValue {}
extension UInt8: IntegerAttributeValue {}
extension UInt16: IntegerAttributeValue {}
extension UInt32: IntegerAttributeValue {}

extension Double: AttributeValue {
    /// The type of the column.
    public static var attributeType: AttributeType { .double }

    /// Reads a double column, which never holds NaN.
    @inlinable
    public init(from row: inout RowReader) throws {
        let cell = try row.next()
        guard cell.kind == .double, !cell.double.isNaN else {
            throw row.mismatch(expected: cell.kind == .double ? "a number" : "a double", found: cell)
        }
        self = cell.double
    }

    /// Writes a double column; NaN is refused, and −0 is written as 0.
    @inlinable
    public func write(into row: inout RowWriter) throws {
        guard !isNaN else { throw row.notRepresentable("NaN cannot be stored.") }
        row.write(double: self == 0 ? 0 : self)
    }

    /// The value as a `StoredValue`.
    public func storedValue() throws -> StoredValue {
        guard !isNaN else {
            throw StoreError(.valueNotRepresentable, "NaN cannot be stored.")
        }
        return .double(self == 0 ? 0 : self)
    }

    /// Creates a value from a stored one; nil if it does not fit.
    public init?(_ value: StoredValue) {
        guard case .double(let double) = value else { return nil }
        self = double
    }
}

extension Float: AttributeValue {
    /// The type of the column.
    public static var attributeType: AttributeType { .double }
    /// The doubles that need no rounding to single precision.
    public static var numberDomain: NumberDomain? { .singlePrecision }

    /// Reads a double column, whose value must be exact in single precision.
    @inlinable
    public init(from row: inout RowReader) throws {
        let double = try Double(from: &row)
        guard Double(Float(double)) == double else {
            throw row.mismatch(expected: "a single-precision number", found: Cell(double: double))
        }
        self = Float(double)
    }

    /// Writes a double column.
    @inlinable
    public func write(into row: inout RowWriter) throws { try Double(self).write(into: &row) }

    /// The value as a `StoredValue`.
    public func storedValue() throws -> StoredValue { try Double(self).storedValue() }

    /// Creates a value from a stored one; nil if it does not fit.
    public init?(_ value: StoredValue) {
        guard case .double(let double) = value, Double(Float(double)) == double else { return nil }
        self = Float(double)
    }
}

extension Decimal: AttributeValue {
    /// The type of the column.
    public static var attributeType: AttributeType { .decimal }

    /// Reads a text column in the form of `CanonicalDecimal`.
    public init(from row: inout RowReader) throws {
        let cell = try row.next()
        guard cell.kind == .text, let text = String(validating: cell.bytes, as: UTF8.self),
            let decimal = CanonicalDecimal.decimal(text)
        else { throw row.mismatch(expected: "a decimal of at most 38 digits", found: cell) }
        self = decimal
    }

    /// Writes a text column in the form of `CanonicalDecimal`.
    public func write(into row: inout RowWriter) throws {
        guard let text = CanonicalDecimal.text(self) else {
            throw row.notRepresentable(
                "A decimal that is NaN or has more than 38 digits cannot be stored.")
        }
        try row.write(.text, utf8: text)
    }

    /// The value as a `StoredValue`.
    public func storedValue() throws -> StoredValue {
        guard CanonicalDecimal.text(self) != nil else {
            throw StoreError(
                .valueNotRepresentable,
                "A decimal that is NaN or has more than 38 digits cannot be stored.")
        }
        return .decimal(self)
    }

    /// Creates a value from a stored one; nil if it does not fit.
    public init?(_ value: StoredValue) {
        guard case .decimal(let decimal) = value else { return nil }
        self = decimal
    }
}
