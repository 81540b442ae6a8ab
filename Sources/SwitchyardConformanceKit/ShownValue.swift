internal import Foundation
internal import SwitchyardCore

/// Formats a value for a failure message, so precisely that different values never look the same.
package enum ShownValue {
    /// The most list elements shown.
    private static let mostElements = 40

    package static func text(_ value: Any) -> String {
        switch value {
        case let text as String: "\"\(text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined())\""
        case let date as Date: self.text(of: date)
        case let data as Data: self.text(of: data)
        case let error as any Error: String(reflecting: error)
        default: reflected(value)
        }
    }

    /// The time in UTC with seven digits of the second, one more than a store keeps.
    private static func text(of date: Date) -> String {
        guard abs(date.timeIntervalSince1970) < 1e12 else {
            return "\(date.timeIntervalSince1970) s since 1970"
        }
        let whole = date.timeIntervalSince1970.rounded(.down)
        let digits = String(Int(((date.timeIntervalSince1970 - whole) * 1e7).rounded()))
        let time = Date(timeIntervalSince1970: whole).formatted(.iso8601).dropLast()
        return "\(time).\(String(repeating: "0", count: max(0, 7 - digits.count)))\(digits)Z"
    }

    private static func text(of data: Data) -> String {
        let start = String(hexadecimal: data.prefix(16))
        return "\(data.count) bytes \(start)\(data.count > 16 ? "…" : "")"
    }

    private static func reflected(_ value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional: return mirror.children.first.map { text($0.value) } ?? "nil"
        case .collection, .set: return "[\(list(mirror))]"
        case .tuple: return "(\(list(mirror)))"
        case .enum where !(value is any CustomStringConvertible):
            guard let payload = mirror.children.first else { return "\(value)" }
            return "\(payload.label ?? "")(\(text(payload.value)))"
        case .struct where !(value is any CustomStringConvertible):
            let fields = mirror.children.map { "\($0.label ?? "_"): \(text($0.value))" }
            return "\(mirror.subjectType)(\(fields.joined(separator: ", ")))"
        default: return "\(value)"
        }
    }

    private static func list(_ mirror: Mirror) -> String {
        let elements = mirror.children.prefix(mostElements).map { text($0.value) }.joined(separator: ", ")
        return mirror.children.count > mostElements
            ? "\(elements), … \(mirror.children.count) in all" : elements
    }
}
