internal import Foundation
internal import SwitchyardCore

extension SQLDialect {
    /// Quotes a name.
    ///
    /// Every name in every text is quoted by this function.
    static func quoted(_ name: String) -> String {
        "\"" + name.replacingBytes(of: "\"", with: "\"\"") + "\""
    }

    /// Quotes a name, qualified by the namespace if there is one.
    static func quoted(_ name: String, in namespace: String?) -> String {
        (namespace.map { quoted($0) + "." } ?? "") + quoted(name)
    }

    /// Writes a constant.
    ///
    /// Only checks and filters of indexes need it, since DDL takes no parameters.
    func literal(_ value: StoredValue, _ type: AttributeType) -> String {
        switch literals {
        case .storageClasses: Self.storageClassLiteral(value)
        case .casts: Self.castLiteral(value, type)
        }
    }

    private static func storageClassLiteral(_ value: StoredValue) -> String {
        switch value {
        case .null: "NULL"
        case .bool(let bool): bool ? "1" : "0"
        // The smallest integer has no literal: its digits alone would overflow before the sign is applied.
        case .int(.min): "(-9223372036854775807 - 1)"
        case .int(let integer), .timestamp(let integer): String(integer)
        case .double(let double): double.isInfinite ? (double < 0 ? "-9e999" : "9e999") : double.description
        case .decimal(let decimal): string(CanonicalDecimal.text(decimal) ?? decimal.description)
        case .text(let text), .json(let text): string(text)
        case .blob(let data): "X'" + String(hexadecimal: data) + "'"
        case .uuid(let uuid): "X'" + withUnsafeBytes(of: uuid.uuid) { String(hexadecimal: $0) } + "'"
        case .day(let day): String(day.daysSince1970)
        }
    }

    private static func castLiteral(_ value: StoredValue, _ type: AttributeType) -> String {
        let text: String
        switch value {
        case .null: return "NULL"
        case .bool(let bool): return bool ? "TRUE" : "FALSE"
        case .text(let value), .json(let value): return string(value)
        case .int(let integer): text = String(integer)
        case .double(let double):
            text = double.isInfinite ? (double < 0 ? "-Infinity" : "Infinity") : "\(double)"
        case .decimal(let decimal): text = CanonicalDecimal.text(decimal) ?? decimal.description
        case .blob(let data): text = "\\x" + String(hexadecimal: data)
        case .uuid(let uuid): text = uuid.uuidString.lowercased()
        case .timestamp(let microseconds): text = timestamp(microseconds)
        case .day(let day): text = day.description
        }
        return string(text) + "::" + castType(type)
    }

    /// The name of a type in a PostgreSQL cast.
    static func castType(_ type: AttributeType) -> String {
        switch type {
        case .bool: "boolean"
        case .int: "bigint"
        case .double: "double precision"
        case .decimal: "numeric"
        case .text, .json: "text"
        case .blob: "bytea"
        case .uuid: "uuid"
        case .timestamp: "timestamptz"
        case .day: "date"
        }
    }

    private static func timestamp(_ microseconds: Int64) -> String {
        let perDay = Timestamp.microsecondsPerDay
        let rest = (microseconds % perDay + perDay) % perDay
        let day = CalendarDay(daysSince1970: Int((microseconds - rest) / perDay))
        func padded(_ number: Int64, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let seconds = rest / 1_000_000
        return
            "\(day?.description ?? "0001-01-01") \(padded(seconds / 3600, 2)):\(padded(seconds / 60 % 60, 2)):"
            + "\(padded(seconds % 60, 2)).\(padded(rest % 1_000_000, 6))+00"
    }

    private static func string(_ text: String) -> String {
        "'" + text.replacingBytes(of: "'", with: "''") + "'"
    }
}
