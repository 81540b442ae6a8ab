/// A member that is encoded as null if it has no value, so that all JSON output of a kind has the same
/// members.
@propertyWrapper
public struct OrNull<Value: Encodable & Sendable>: Encodable, Sendable {
    /// The value.
    public var wrappedValue: Value?

    /// Has no value.
    public init() { wrappedValue = nil }

    /// Has a value, or none.
    public init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    /// Encodes the value, or null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
    }
}
