internal import Foundation
public import SwitchyardCore

extension CSVRow {
    /// Reads a field that `CSVWriter.write(_: StoredValue)` wrote.
    ///
    /// - Parameters:
    ///   - index: The field's position, counted from 0. A field beyond the end of the row reads as null.
    ///   - type: The type of the attribute.
    /// - Returns: The value, with JSON in its canonical form; null for a field that is empty and unquoted.
    /// - Throws: `CSVError` with code `invalidValue`, naming line and column, if the field holds anything
    ///   else.
    public func storedValue(at index: Int, as type: AttributeType) throws -> StoredValue {
        let bytes = bytes(at: index)
        if bytes.isEmpty, !isQuoted(at: index) { return .null }
        let value: StoredValue? =
            switch type {
            case .bool: Self.bool(string(at: index))
            case .int: NumberText.integer(bytes).map { .int($0) }
            case .double: NumberText.double(bytes).map { .double($0) }
            case .decimal: CanonicalDecimal.decimal(string(at: index)).map { .decimal($0) }
            case .text: .text(string(at: index))
            case .json: CanonicalJSON.canonical(string(at: index)).map { .json($0) }
            case .blob: Data(base64Encoded: string(at: index)).map { .blob($0) }
            case .uuid: UUIDText.uuid(bytes).map { .uuid($0) }
            case .timestamp: ISO8601.microseconds(bytes).map { .timestamp($0) }
            case .day: CalendarDay(string(at: index)).map { .day($0) }
            }
        guard let value else {
            throw CSVError(
                .invalidValue, "The field does not hold a valid value of type \(type.rawValue).", line: line,
                column: index + 1,
                detail: string(at: index))
        }
        return value
    }

    /// Reads an attribute's value from a field that `CSVWriter.write(_: StoredValue)` wrote.
    ///
    /// - Throws: As `storedValue(at:as:)`; also if the attribute is required and the field is null, or if the
    ///   value is not one of its cases or lies outside its domain, such as 300 for an `Int8`.
    public func storedValue(at index: Int, of attribute: Attribute) throws -> StoredValue {
        let value = try storedValue(at: index, as: attribute.type)
        guard value.isNull ? attribute.isOptional : attribute.allows(value) else {
            throw CSVError(
                .invalidValue,
                value.isNull
                    ? "The field is empty, but \(attribute.name) needs a value."
                    : "The field does not hold a value that \(attribute.name) allows.",
                line: line, column: index + 1, detail: string(at: index))
        }
        return value
    }

    private static func bool(_ text: String) -> StoredValue? {
        switch text {
        case "true": .bool(true)
        case "false": .bool(false)
        default: nil
        }
    }
}
