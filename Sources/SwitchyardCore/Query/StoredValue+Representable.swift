internal import Foundation

extension StoredValue {
    /// The value in the form in which it is stored.
    ///
    /// - Throws: `valueNotRepresentable` for what no attribute can hold.
    func representable() throws -> StoredValue {
        if try isCanonical() { return self }
        return .double(0)
    }

    /// Whether the value is in the form in which it is stored already; only −0 is not.
    ///
    /// - Throws: `valueNotRepresentable` for what no attribute can hold.
    func isCanonical() throws -> Bool {
        switch self {
        case .null, .bool, .int, .uuid, .day: return true
        case .double(let value):
            _ = try value.storedValue()
            return value != 0 || value.sign == .plus
        case .decimal(let value): _ = try value.storedValue()
        case .text(let text), .json(let text): _ = try text.storedValue()
        case .blob(let data): _ = try data.storedValue()
        case .timestamp(let microseconds):
            guard Timestamp.range.contains(microseconds) else {
                throw StoreError(
                    .valueNotRepresentable, "A time outside the years 1 to 9999 cannot be stored.")
            }
        }
        return true
    }
}
