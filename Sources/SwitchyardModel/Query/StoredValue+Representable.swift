internal import Foundation

extension StoredValue {
    /// The value in its stored form.
    ///
    /// - Throws: `valueNotRepresentable` for a value that no attribute can hold.
    func representable() throws -> StoredValue {
        if case .json(let text) = self {
            guard let canonical = CanonicalJSON.canonical(text) else {
                throw StoreError(.valueNotRepresentable, "Text that is not valid JSON cannot be stored.")
            }
            _ = try canonical.storedValue()
            return .json(canonical)
        }
        if try isCanonical() { return self }
        return .double(0)
    }

    /// Whether the value is already in its stored form, unlike −0 or JSON that is not canonical.
    ///
    /// - Throws: `valueNotRepresentable` for a value that no attribute can hold.
    package func isCanonical() throws -> Bool {
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
