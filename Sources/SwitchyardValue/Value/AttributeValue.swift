/// A Swift type that a column can hold exactly, on every backend.
///
/// `Bool`, the signed integers, the unsigned ones up to 32 bits, `Double`, `Float`, `Decimal`, `String`, `Data`,
/// `UUID`, `Date`, `CalendarDay`, `Identifier` and optionals of them conform. Enums with a raw value and `Codable`
/// values need no conformance: `RowReader.read` and `RowWriter.write` have overloads for them. `UInt64` and `UInt` do
/// not conform, because a signed 64-bit column cannot hold them: store an `Int64`, a `Decimal` or text, depending on
/// the meaning.
///
/// All integers are stored in 64-bit columns, and a `Float` is stored as a double. A value that the narrower type could
/// not read back is refused with `check` when it is written, also from a file or by a bulk update: see `numberDomain`.
public protocol AttributeValue: Sendable {
    /// The type of the column.
    static var attributeType: AttributeType { get }
    /// Whether the column allows null.
    static var isOptional: Bool { get }
    /// The numbers in the column's range that the type can hold; nil (the default) if it can hold all of them.
    ///
    /// The schema enforces it, so that a column never holds a value that `init(from:)` would refuse.
    static var numberDomain: NumberDomain? { get }
    /// Reads the next column.
    ///
    /// - Throws: `corrupted` if the column holds anything else.
    init(from row: inout RowReader) throws
    /// Writes the next column.
    ///
    /// - Throws: `valueNotRepresentable` if no backend could hold the value exactly.
    func write(into row: inout RowWriter) throws
    /// The value as a `StoredValue`, as conditions and transfers use it.
    ///
    /// - Throws: `valueNotRepresentable`.
    func storedValue() throws -> StoredValue
    /// Creates a value from a stored one; nil if it does not fit.
    init?(_ value: StoredValue)
}

extension AttributeValue {
    /// False: only optionals allow null.
    @inlinable
    public static var isOptional: Bool { false }

    /// Nil: the type can hold every value of its column.
    public static var numberDomain: NumberDomain? { nil }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
    /// The type of the column.
    public static var attributeType: AttributeType { Wrapped.attributeType }
    /// True: an optional allows null.
    public static var isOptional: Bool { true }
    /// The numbers that the wrapped type can hold.
    public static var numberDomain: NumberDomain? { Wrapped.numberDomain }

    /// Reads nil from a null column, otherwise the wrapped value.
    @inlinable
    public init(from row: inout RowReader) throws {
        if try row.isNull() {
            self = nil
        } else {
            self = try Wrapped(from: &row)
        }
    }

    /// Writes null for nil, otherwise the wrapped value.
    @inlinable
    public func write(into row: inout RowWriter) throws {
        if let value = self { try value.write(into: &row) } else { row.writeNull() }
    }

    /// The value as a `StoredValue`.
    public func storedValue() throws -> StoredValue { try map { try $0.storedValue() } ?? .null }

    /// Creates a value from a stored one; nil if it does not fit.
    public init?(_ value: StoredValue) {
        if value.isNull {
            self = Self.none
        } else {
            guard let wrapped = Wrapped(value) else { return nil }
            self = wrapped
        }
    }
}

extension RowReader {
    /// Whether the next column is null; if so, skips it.
    @inlinable
    public mutating func isNull() throws -> Bool {
        let cell = try next()
        if cell.kind == .null { return true }
        position -= 1
        return false
    }
}
