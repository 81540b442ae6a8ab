internal import Foundation

extension StoredValue {
    /// The value in the form in which it is stored.
    ///
    /// - Throws: `valueNotRepresentable` for what no attribute can hold.
    func representable() throws -> StoredValue {
        if case .json(let text) = self {
            guard let canonical = CanonicalJSON.canonical(text) else {
                throw StoreError(.valueNotRepresentable, "A value that is no JSON cannot be stored as JSON.")
            }
            _ = try canonical.storedValue()
            return .json(canonical)
        }
        if try isCanonical() { return self }
        return .double(0)
    }

    /// Whether the value is in the form in which it is stored already; −0 and JSON in another form are
    /// not.
    ///
    /// - Throws: `valueNotRepresentable` for what no attribute can hold.
    func isCanonical() throws -> Bool {
        switch self {
        case .null, .bool, .int, .uuid, .day: return true
        case .double(let value):
            _ = try value.storedValue()
            return value != 0 || value.sign == .plus
        case .decimal(let value): _ = try value.storedValue()
        case .text(let text): _ = try text.storedValue()
        case .json: return try representable() == self
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
