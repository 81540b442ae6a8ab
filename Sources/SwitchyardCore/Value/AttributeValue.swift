/// A Swift type that a column can hold exactly, on every backend.
///
/// `Bool`, the signed integers, the unsigned ones up to 32 bits, `Double`, `Float`, `Decimal`, `String`,
/// `Data`, `UUID`, `Date`, `CalendarDay`, `Identifier` and optionals of them conform. Enums with a raw value
/// and `Codable` values need no conformance: the overloads of `RowReader.read` and `RowWriter.write` take
/// them. `UInt64` and `UInt` do not conform, because a signed 64-bit column cannot hold them: store an
/// `Int64`, a `Decimal` or text, as the meaning asks.
///
/// An integer of fewer bits shares the column of 64 with its wider kin, and a `Float` that of a `Double`.
/// What the narrower type could not read is refused with `check` when it is written, from a file or by an
/// update of many rows too: see `numberDomain`.
public protocol AttributeValue: Sendable {
    /// The type of the column.
    static var attributeType: AttributeType { get }
    /// Whether the column takes nil.
    static var isOptional: Bool { get }
    /// The numbers of the column that the type can hold; nil if it holds all, which is the default.
    ///
    /// The schema takes it over, so that no value gets into a column that `init(from:)` would refuse.
    static var numberDomain: NumberDomain? { get }
    /// Reads the next column.
    ///
    /// - Throws: `corrupted` if the column holds anything else.
    init(from row: inout RowReader) throws
    /// Writes the next column.
    ///
    /// - Throws: `valueNotRepresentable` if no backend could hold the value exactly.
    func write(into row: inout RowWriter) throws
    /// The value as a condition or a transfer carries it.
    ///
    /// - Throws: `valueNotRepresentable`.
    func storedValue() throws -> StoredValue
    /// Takes a value as a transfer carries it; nil if it does not fit.
    init?(_ value: StoredValue)
}

extension AttributeValue {
    /// A plain type takes no nil.
    @inlinable
    public static var isOptional: Bool { false }

    /// A plain type holds all that its column can.
    public static var numberDomain: NumberDomain? { nil }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
    /// The type of the column.
    public static var attributeType: AttributeType { Wrapped.attributeType }
    /// An optional takes nil.
    public static var isOptional: Bool { true }
    /// The numbers that the wrapped type can hold.
    public static var numberDomain: NumberDomain? { Wrapped.numberDomain }

    /// Reads the next column.
    @inlinable
    public init(from row: inout RowReader) throws {
        if try row.isNull() {
            self = nil
        } else {
            self = try Wrapped(from: &row)
        }
    }

    /// Writes the next column.
    @inlinable
    public func write(into row: inout RowWriter) throws {
        if let value = self { try value.write(into: &row) } else { row.writeNull() }
    }

    /// The value as a condition or a transfer carries it.
    public func storedValue() throws -> StoredValue { try map { try $0.storedValue() } ?? .null }

    /// Takes a stored value; nil if it does not fit.
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
    /// Whether the next column holds no value; takes it if so.
    @inlinable
    public mutating func isNull() throws -> Bool {
        let cell = try next()
        if cell.kind == .null { return true }
        position -= 1
        return false
    }
}
