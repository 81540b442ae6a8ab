internal import Foundation

extension StoredValue: Codable {
    /// Encodes the value under a single key, the type's name.
    ///
    /// Integers and the bit patterns of doubles are written as text, so that no JSON reader rounds them.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .null: try container.encodeNil(forKey: Key("null"))
        case .bool(let value): try container.encode(value, forKey: Key("bool"))
        case .int(let value): try container.encode(String(value), forKey: Key("int"))
        case .double(let value): try container.encode(value.description, forKey: Key("double"))
        case .decimal(let value): try container.encode(value.description, forKey: Key("decimal"))
        case .text(let value): try container.encode(value, forKey: Key("text"))
        case .blob(let value): try container.encode(value.base64EncodedString(), forKey: Key("blob"))
        case .uuid(let value): try container.encode(value.uuidString.lowercased(), forKey: Key("uuid"))
        case .timestamp(let value): try container.encode(String(value), forKey: Key("timestamp"))
        case .day(let value): try container.encode(value.description, forKey: Key("day"))
        case .json(let value): try container.encode(value, forKey: Key("json"))
        }
    }

    /// Decodes the value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        guard let key = container.allKeys.first, container.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "A value has one key, its type."))
        }
        func text() throws -> String { try container.decode(String.self, forKey: key) }
        let value: StoredValue? =
            switch key.stringValue {
            case "null": .null
            case "bool": .bool(try container.decode(Bool.self, forKey: key))
            case "int": Int64(try text()).map { .int($0) }
            case "double": Double(try text()).map { .double($0) }
            case "decimal": CanonicalDecimal.decimal(try text()).map { .decimal($0) }
            case "text": .text(try text())
            case "blob": Data(base64Encoded: try text()).map { .blob($0) }
            case "uuid": UUID(uuidString: try text()).map { .uuid($0) }
            case "timestamp": Int64(try text()).map { .timestamp($0) }
            case "day": CalendarDay(try text()).map { .day($0) }
            case "json": .json(try text())
            default: nil
            }
        guard let value else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container, debugDescription: "The value does not fit its type.")
        }
        self = value
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
