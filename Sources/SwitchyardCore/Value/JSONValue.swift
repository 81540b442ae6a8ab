internal import Foundation

/// Canonical JSON text of a Codable value: keys sorted, no spaces, slashes as they are.
///
/// Equal values have the same text if they encode themselves alike. A set does not, nor a dictionary whose
/// keys are neither text, integers nor `CodingKeyRepresentable`: they encode their elements in an order that
/// differs from run to run. `@Model` refuses them as attributes. It cannot see one inside another Codable
/// value, whose type should then encode its elements sorted.
public enum CanonicalJSON {
    /// Encodes a value.
    ///
    /// - Throws: `valueNotRepresentable` if the value cannot be encoded, for example because it holds NaN.
    public static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw StoreError(
                .valueNotRepresentable, "The value cannot be written as JSON.", underlying: error)
        }
    }

    /// Decodes a value; nil if the text is not such a value's JSON.
    public static func value<Value: Decodable>(_: Value.Type, _ text: String) -> Value? {
        try? JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }
}

extension RowReader {
    /// Reads a Codable value from its JSON.
    @_disfavoredOverload
    public mutating func read<Value: Codable>(_: Value.Type = Value.self) throws -> Value {
        let text = try text(expected: "JSON")
        guard let value = CanonicalJSON.value(Value.self, text) else {
            throw mismatch(expected: "the JSON of \(Value.self)", found: Cell(.text, start: nil, count: 0))
        }
        return value
    }

    /// Reads an optional Codable value from its JSON.
    @_disfavoredOverload
    public mutating func read<Value: Codable>(_: Value?.Type = Value?.self) throws -> Value? {
        if try isNull() { return nil }
        return try read(Value.self) as Value
    }
}

extension RowWriter {
    /// Writes a Codable value as canonical JSON.
    @_disfavoredOverload
    public mutating func write<Value: Codable>(_ value: Value) throws {
        try write(.text, utf8: CanonicalJSON.text(value))
    }

    /// Writes an optional Codable value as canonical JSON.
    @_disfavoredOverload
    public mutating func write<Value: Codable>(_ value: Value?) throws {
        if let value { try write(.text, utf8: CanonicalJSON.text(value)) } else { writeNull() }
    }
}
