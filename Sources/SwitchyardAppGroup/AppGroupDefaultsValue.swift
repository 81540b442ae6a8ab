internal import Foundation

/// One value of an app group's settings, stored in its file as `{"integer":5}`.
enum AppGroupDefaultsValue: Equatable {
    /// A text.
    case string(String)
    /// A whole number.
    case integer(Int)
    /// A number.
    case double(Double)
    /// A boolean.
    case bool(Bool)
    /// Bytes, encoded as Base64.
    case data(Data)

    /// The kind of value, for error messages.
    var kind: String {
        switch self {
        case .string: "a text"
        case .integer: "a whole number"
        case .double: "a number"
        case .bool: "a boolean"
        case .data: "bytes"
        }
    }
}

extension AppGroupDefaultsValue: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case string, integer, double, bool, data
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard container.allKeys.count == 1, let key = container.allKeys.first else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "Expected one value with the name of its kind."))
        }
        self =
            switch key {
            case .string: .string(try container.decode(String.self, forKey: key))
            case .integer: .integer(try container.decode(Int.self, forKey: key))
            case .double: .double(try container.decode(Double.self, forKey: key))
            case .bool: .bool(try container.decode(Bool.self, forKey: key))
            case .data: .data(try container.decode(Data.self, forKey: key))
            }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .string(let value): try container.encode(value, forKey: .string)
        case .integer(let value): try container.encode(value, forKey: .integer)
        case .double(let value): try container.encode(value, forKey: .double)
        case .bool(let value): try container.encode(value, forKey: .bool)
        case .data(let value): try container.encode(value, forKey: .data)
        }
    }
}
