public import Foundation

extension Date: AttributeValue {
    /// The type of the column.
    public static var attributeType: AttributeType { .timestamp }

    /// Reads an integer column: microseconds since 1970 UTC.
    @inlinable
    public init(from row: inout RowReader) throws {
        let cell = try row.next()
        guard cell.kind == .integer, Timestamp.range.contains(cell.word) else {
            throw row.mismatch(expected: "a time in the years 1 to 9999", found: cell)
        }
        self = Timestamp.date(microseconds: cell.word)
    }

    /// Writes an integer column: microseconds since 1970 UTC.
    @inlinable
    public func write(into row: inout RowWriter) throws {
        guard let microseconds = Timestamp.microseconds(self) else {
            throw row.notRepresentable("A time outside the years 1 to 9999 cannot be stored.")
        }
        row.write(integer: microseconds)
    }

    /// The value as a `StoredValue`.
    public func storedValue() throws -> StoredValue {
        guard let microseconds = Timestamp.microseconds(self) else {
            throw StoreError(.valueNotRepresentable, "A time outside the years 1 to 9999 cannot be stored.")
        }
        return .timestamp(microseconds)
    }

    /// Creates a value from a stored one; nil if it does not fit.
    public init?(_ value: StoredValue) {
        guard case .timestamp(let microseconds) = value else { return nil }
        self = Timestamp.date(microseconds: microseconds)
    }
}

extension CalendarDay: AttributeValue {
    /// The type of the column.
    public static var attributeType: AttributeType { .day }

    /// Reads an integer column: days since 1970-01-01.
    public init(from row: inout RowReader) throws {
        let cell = try row.next()
        guard cell.kind == .integer, let days = Int(exactly: cell.word),
            let day = CalendarDay(daysSince1970: days)
        else { throw row.mismatch(expected: "a day in the years 1 to 9999", found: cell) }
        self = day
    }

    /// Writes an integer column: days since 1970-01-01.
    public func write(into row: inout RowWriter) { row.write(integer: Int64(daysSince1970)) }

    /// The value as a `StoredValue`.
    public func storedValue() -> StoredValue { .day(self) }

    /// Creates a value from a stored one; nil if it does not fit.
    public init?(_ value: StoredValue) {
        guard case .day(let day) = value else { return nil }
        self = day
    }
}
