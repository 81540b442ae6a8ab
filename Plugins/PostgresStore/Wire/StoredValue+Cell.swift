internal import Foundation
internal import SwitchyardCore

extension StoredValue {
    /// Calls the body with the value as a cell, which is only valid inside the closure.
    ///
    /// - Throws: `valueNotRepresentable` for text with U+0000, which PostgreSQL refuses, for NaN and for a decimal of
    ///   more than 38 digits; what `body` throws.
    func withCell<Result>(_ body: (Cell) throws -> Result) throws -> Result {
        switch self {
        case .null: return try body(Cell())
        case .bool(let bool): return try body(Cell(integer: bool ? 1 : 0))
        case .int(let integer), .timestamp(let integer): return try body(Cell(integer: integer))
        case .day(let day): return try body(Cell(integer: Int64(day.daysSince1970)))
        case .double(let double):
            guard !double.isNaN else {
                throw StoreError(
                    .valueNotRepresentable, "A value that is not a number has no place in a store.")
            }
            return try body(Cell(double: double == 0 ? 0 : double))
        case .decimal(let decimal):
            guard var text = CanonicalDecimal.text(decimal) else {
                throw StoreError(
                    .valueNotRepresentable,
                    "A decimal that is not a number, or of more than 38 digits, cannot be sent.")
            }
            return try text.withUTF8 { try body(Cell(.text, start: $0.baseAddress, count: $0.count)) }
        case .text(var text), .json(var text):
            return try text.withUTF8 { utf8 in
                if let start = utf8.baseAddress, memchr(start, 0, utf8.count) != nil {
                    throw StoreError(.valueNotRepresentable, "Text that holds U+0000 cannot be sent.")
                }
                return try body(Cell(.text, start: utf8.baseAddress, count: utf8.count))
            }
        case .blob(let data):
            return try data.withUnsafeBytes { try body(Cell(.blob, start: $0.baseAddress, count: $0.count)) }
        case .uuid(let uuid):
            return try withUnsafeBytes(of: uuid.uuid) {
                try body(Cell(.blob, start: $0.baseAddress, count: $0.count))
            }
        }
    }
}
