internal import Foundation

extension RowWriter {
    /// Writes a stored value, such as that of a transfer or a condition.
    ///
    /// JSON is written unchanged and must be canonical: see `CanonicalJSON`.
    ///
    /// - Throws: `valueNotRepresentable`.
    public mutating func write(_ value: StoredValue) throws {
        switch value {
        case .null: writeNull()
        case .bool(let bool): write(integer: bool ? 1 : 0)
        case .int(let integer): write(integer: integer)
        case .double(let double): try double.write(into: &self)
        case .decimal(let decimal): try decimal.write(into: &self)
        case .text(let text), .json(let text): try write(.text, utf8: text)
        case .blob(let data): try data.write(into: &self)
        case .uuid(let uuid): uuid.write(into: &self)
        case .timestamp(let microseconds):
            guard Timestamp.range.contains(microseconds) else {
                throw notRepresentable("A time outside the years 1 to 9999 cannot be stored.")
            }
            write(integer: microseconds)
        case .day(let day): day.write(into: &self)
        }
    }
}

extension RowReader {
    /// Reads a column whose type is only known at run time.
    ///
    /// - Throws: `corrupted` if the column holds anything else.
    public mutating func read(_ type: AttributeType) throws -> StoredValue {
        if try isNull() { return .null }
        return switch type {
        case .bool: .bool(try Bool(from: &self))
        case .int: .int(try Int64(from: &self))
        case .double: .double(try Double(from: &self))
        case .decimal: .decimal(try Decimal(from: &self))
        case .text: .text(try String(from: &self))
        case .blob: .blob(try Data(from: &self))
        case .uuid: .uuid(try UUID(from: &self))
        case .timestamp: .timestamp(try microseconds())
        case .day: .day(try CalendarDay(from: &self))
        case .json: .json(try text(expected: "JSON"))
        }
    }

    package mutating func microseconds() throws -> Int64 {
        let cell = try next()
        guard cell.kind == .integer, Timestamp.range.contains(cell.word) else {
            throw mismatch(expected: "a time in the years 1 to 9999", found: cell)
        }
        return cell.word
    }
}
