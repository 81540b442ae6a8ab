internal import Foundation

/// An optional of any wrapped type.
package protocol OptionalValue {
    static var wrappedType: Any.Type { get }
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    package static var wrappedType: Any.Type { Wrapped.self }
    package var wrapped: Any? { self }
}

extension StoredValue {
    /// The stored form of any Swift value that an attribute can have: nil, a known type, an enum's raw value,
    /// or the JSON of a Codable value.
    package static func of(_ value: Any) -> Result<StoredValue, StoreError> {
        do {
            switch value {
            case let known as any AttributeValue: return .success(try known.storedValue())
            case let optional as any OptionalValue: return optional.wrapped.map(of) ?? .success(.null)
            case let choice as any RawRepresentable: return of(choice.rawValue)
            case let codable as any Encodable: return .success(.json(try CanonicalJSON.text(codable)))
            default:
                return .failure(
                    StoreError(
                        .unsupported, "A value of type \(Swift.type(of: value)) cannot be used in a query."))
            }
        } catch {
            let refused = StoreError(
                .valueNotRepresentable, "A value of type \(Swift.type(of: value)) cannot be stored.",
                underlying: error)
            return .failure(error as? StoreError ?? refused)
        }
    }

    /// The form in which a Swift value is compared: its stored form or, for a time outside the years 1 to 9999, a
    /// stand-in that compares the same way with all stored times.
    package static func compared(_ value: Any) -> Result<StoredValue, StoreError> {
        if let date = value as? Date, let time = Timestamp.comparable(date) {
            return .success(.timestamp(time))
        }
        return of(value)
    }

    /// The Swift value of a stored one; nil if it does not fit the type.
    package func value<Value>(as type: Value.Type) -> Value? {
        // Only an actual value is cast: a missing one could be cast to an optional and would pass for nil.
        erased(as: type).flatMap { $0 as? Value }
    }

    private func erased(as type: Any.Type) -> Any? {
        if let optional = type as? any OptionalValue.Type {
            return isNull ? .some(Any?.none as Any) : erased(as: optional.wrappedType)
        }
        switch type {
        case let known as any AttributeValue.Type: return known.init(self)
        case let choice as any RawRepresentable.Type: return enumeration(choice)
        case let codable as any Decodable.Type:
            guard case .json(let text) = self else { return nil }
            return CanonicalJSON.value(codable, text)
        default: return nil
        }
    }

    private func enumeration<Choice: RawRepresentable>(_: Choice.Type) -> Any? {
        value(as: Choice.RawValue.self).flatMap { Choice(rawValue: $0) }
    }
}
