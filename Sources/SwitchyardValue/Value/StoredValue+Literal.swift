internal import Foundation

extension StoredValue {
    /// The value as schemas, conditions and errors show it.
    package var literal: String {
        switch self {
        case .null: "nil"
        case .bool(let value): String(value)
        case .int(let value), .timestamp(let value): String(value)
        case .double(let value): value.description
        case .decimal(let value): value.description
        case .text(let value), .json(let value): Self.quoted(value)
        case .blob(let value): "0x" + String(hexadecimal: value)
        case .uuid(let value): value.uuidString.lowercased()
        case .day(let value): value.description
        }
    }

    /// The text in quotes, escaped so that it cannot be mistaken for several values.
    private static func quoted(_ text: String) -> String {
        let escaped = text.replacingBytes(of: "\\", with: "\\\\").replacingBytes(of: "\"", with: "\\\"")
            .replacingBytes(of: "\n", with: "\\n")
        return "\"\(escaped)\""
    }
}
