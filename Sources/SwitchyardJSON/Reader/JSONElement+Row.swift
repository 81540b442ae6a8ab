internal import Foundation
internal import SwitchyardCSV
internal import SwitchyardCore

extension JSONElement {
    /// Reads the values of a row, in the order of the entity's attributes.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - columns: The positions of its attributes, by the bytes of their names.
    /// - Returns: The values.
    /// - Throws: `JSONError`, naming the attribute.
    func row(of entity: Entity, columns: [[UInt8]: Int]) throws -> [StoredValue] {
        var reader = try reader()
        guard try placing({ () throws(JSONReader.SyntaxError) in try reader.nextKind() }) == .object else {
            throw error(.invalidValue, "Expected an object with the attributes of a row.", at: reader)
        }
        try placing { () throws(JSONReader.SyntaxError) in try reader.enterObject() }
        var values = [StoredValue?](repeating: nil, count: entity.attributes.count)
        while let (name, _) = try placing({ () throws(JSONReader.SyntaxError) in try reader.nextName() }) {
            guard let column = columns[name] else {
                var error = error(
                    .unknownName,
                    "\(entity.name) has no attribute of this name; it has "
                        + entity.attributes.map(\.name).joined(separator: ", ") + ".", at: reader)
                error.detail = String(decoding: name, as: UTF8.self)
                throw error
            }
            let attribute = entity.attributes[column]
            guard values[column] == nil else {
                throw error(.duplicateName, "The attribute is given twice.", at: reader, key: attribute.name)
            }
            values[column] = try value(of: attribute, &reader)
        }
        return try zip(entity.attributes, values).map { attribute, value in
            guard let value = value ?? (attribute.isOptional ? .null : nil) else {
                throw error(.missing, "The attribute needs a value.", at: reader, key: attribute.name)
            }
            return value
        }
    }

    private func value(of attribute: Attribute, _ reader: inout JSONReader) throws -> StoredValue {
        do {
            _ = try reader.nextKind()
            // The value's place, without the space before it.
            let start = reader
            let value = try Self.value(as: attribute.type, &reader)
            guard let value, value.isNull ? attribute.isOptional : attribute.allows(value) else {
                throw error(
                    .invalidValue,
                    "The attribute does not allow this value; it takes \(attribute.type.jsonForm).",
                    at: start, key: attribute.name)
            }
            return value
        } catch let fault as JSONReader.SyntaxError {
            throw error(fault, key: attribute.name)
        }
    }

    /// The value of a type; nil if the text has another form.
    private static func value(
        as type: AttributeType, _ reader: inout JSONReader
    ) throws(JSONReader.SyntaxError) -> StoredValue? {
        if type == .json { return .json(try reader.readCanonical()) }
        switch try reader.nextKind() {
        case .word:
            switch try reader.readWord() {
            case .null: return .null
            case .true: return type == .bool ? .bool(true) : nil
            case .false: return type == .bool ? .bool(false) : nil
            }
        case .number: return number(String(decoding: try reader.readNumber().text, as: UTF8.self), as: type)
        case .string: return text(String(decoding: try reader.readString(), as: UTF8.self), as: type)
        case .object, .array: return nil
        }
    }

    private static func number(_ text: String, as type: AttributeType) -> StoredValue? {
        switch type {
        case .int: Int64(text).map { .int($0) }
        case .double: Double(text).flatMap { $0.isFinite ? .double($0 == 0 ? 0 : $0) : nil }
        case .decimal: CanonicalDecimal.decimal(text).map { .decimal($0) }
        default: nil
        }
    }

    private static func text(_ text: String, as type: AttributeType) -> StoredValue? {
        switch type {
        case .text: text.utf8.contains(0) ? nil : .text(text)
        case .double:
            switch text {
            case "Infinity": .double(.infinity)
            case "-Infinity": .double(-.infinity)
            default: nil
            }
        case .decimal: CanonicalDecimal.decimal(text).map { .decimal($0) }
        case .blob: Data(base64Encoded: text).map { .blob($0) }
        case .uuid: UUID(uuidString: text).map { .uuid($0) }
        case .timestamp: ISO8601.microseconds(text).map { .timestamp($0) }
        case .day: CalendarDay(text).map { .day($0) }
        case .bool, .int, .json: nil
        }
    }
}

extension AttributeType {
    /// How the values are written in a document.
    fileprivate var jsonForm: String {
        switch self {
        case .bool: "true or false"
        case .int: "an integer of 64 bits"
        case .double: "a number"
        case .decimal: "a decimal of at most 38 digits, in quotation marks or not"
        case .text: "a text without U+0000"
        case .blob: "Base64"
        case .uuid: "a UUID"
        case .timestamp: "a time such as 2026-11-21T08:30:00.000Z"
        case .day: "a day such as 2026-11-21"
        case .json: "JSON"
        }
    }
}
