internal import Foundation
internal import SwitchyardCSV
public import SwitchyardCore

/// Values as text.
public enum ValueText {
    /// The value as a table and CSV have it: times in UTC, blobs as Base64, null as nothing.
    public static func plain(_ value: StoredValue) -> String {
        switch value {
        case .null: ""
        case .bool(let bool): bool ? "true" : "false"
        case .int(let integer): String(integer)
        case .double(let double): NumberText.text(double)
        case .decimal(let decimal): CanonicalDecimal.text(decimal) ?? decimal.description
        case .text(let text), .json(let text): text
        case .blob(let data): data.base64EncodedString()
        case .uuid(let uuid): uuid.uuidString.lowercased()
        case .timestamp(let time): ISO8601.text(time, precision: .exact) ?? String(time)
        case .day(let day): day.description
        }
    }

    /// The value as queries write it.
    static func quoted(_ value: StoredValue) -> String {
        switch value {
        case .null: "null"
        case .text, .json, .blob: quoted(plain(value))
        default: plain(value)
        }
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }
}
