internal import Foundation
internal import SwitchyardCSV
internal import SwitchyardCore

extension QueryParser {
    /// Reads a list of values in parentheses.
    mutating func values(for path: ResolvedPath) throws -> [StoredValue] {
        try require(.open)
        var values: [StoredValue] = []
        repeat {
            let start = token
            let value = try value(for: path, isExact: true)
            guard !value.isNull else {
                throw error(.wrongType, "null stands in no list. Write `or … is null`.", at: start)
            }
            values.append(value)
        } while try skip(.comma)
        try require(.close)
        return values
    }

    /// Reads a value of the type of what it is compared with.
    ///
    /// If `isExact`, a value that the attribute cannot have is refused.
    mutating func value(for path: ResolvedPath, isExact: Bool) throws -> StoredValue {
        let start = token
        let found: StoredValue?
        switch token.kind {
        case .keyword(.null): found = .null
        case .keyword(.true): found = path.type == .bool ? .bool(true) : nil
        case .keyword(.false): found = path.type == .bool ? .bool(false) : nil
        case .bare(let text): found = path.attribute.value(text, inQuotes: false)
        case .text(let text): found = path.attribute.value(text, inQuotes: true)
        default: throw unexpected("a value or an attribute")
        }
        guard let value = found else {
            throw error(
                .wrongType,
                "\(path.name) is of type \(path.type), and \(excerpt(start)) is no such value. Write "
                    + "\(path.type.forms).",
                at: start)
        }
        guard !isExact || path.attribute.allows(value) else {
            let cases = path.attribute.cases?.map(ValueText.quoted).joined(separator: ", ")
            let advice = cases.map { "It has: \($0)." } ?? "It is beyond the numbers that it can have."
            throw error(.wrongType, "\(path.name) is never \(excerpt(start)). \(advice)", at: start)
        }
        try advance()
        return value
    }
}

extension Attribute {
    /// The value that a text stands for; nil if the type has no such value.
    func value(_ text: String, inQuotes: Bool) -> StoredValue? {
        switch type {
        case .uuid: uuid(text).map { .uuid($0) }
        case .timestamp: Self.time(text).map { .timestamp($0) }
        case .day: CalendarDay(text).map { .day($0) }
        case .text: inQuotes ? .text(text) : nil
        case .blob: inQuotes ? Data(base64Encoded: text).map { .blob($0) } : nil
        case .json: inQuotes ? CanonicalJSON.canonical(text).map { .json($0) } : nil
        case .bool: nil
        case .int: inQuotes ? nil : Int64(text).map { .int($0) }
        case .double: inQuotes ? nil : double(text).map { .double($0) }
        case .decimal: inQuotes ? nil : CanonicalDecimal.decimal(text).map { .decimal($0) }
        }
    }

    private func uuid(_ text: String) -> UUID? {
        var text = text
        return text.withUTF8 { UUIDText.uuid(UnsafeRawBufferPointer($0)) }
    }

    /// A time, or the first moment of a day in UTC.
    private static func time(_ text: String) -> Int64? {
        CalendarDay(text).map { Int64($0.daysSince1970) * Timestamp.microsecondsPerDay }
            ?? ISO8601.microseconds(text)
    }

    /// A number as the attribute's Swift type has it: 0.1 is another number as a `Float`.
    private func double(_ text: String) -> Double? {
        var text = text
        guard let number = text.withUTF8({ NumberText.double(UnsafeRawBufferPointer($0)) }) else {
            return nil
        }
        guard domain == .singlePrecision else { return number == 0 ? 0 : number }
        let single = Float(number)
        return single.isFinite ? Double(single) : nil
    }
}

extension AttributeType {
    /// How a value of the type is written.
    fileprivate var forms: String {
        switch self {
        case .bool: "true or false"
        case .int: "an integer, such as 42"
        case .double: "a number, such as 12.5"
        case .decimal: "a number of at most 38 digits, such as 12.50"
        case .text: #"a text in quotes, such as "Mia""#
        case .blob: #"Base64 in quotes, such as "AQID""#
        case .uuid: "a UUID, such as 01a22282-a831-7854-b551-4fabdb6fcb19"
        case .timestamp:
            "a day in UTC, such as 2026-01-31, or a time with its zone, such as 2026-01-31T10:00:00Z or "
                + "2026-01-31T10:00:00+01:00"
        case .day: "a day, such as 2026-01-31"
        case .json: #"JSON in single quotes, such as '{"a":1}'"#
        }
    }
}
