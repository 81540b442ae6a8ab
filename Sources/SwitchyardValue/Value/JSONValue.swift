internal import Foundation

/// Canonical JSON text: names sorted by their bytes, no spaces, no unnecessary escapes, and one form for each number.
///
/// A store converts all JSON to this form, from Codable values and from files alike, so that the same JSON is always
/// the same bytes. A number is written out up to 39 digits before the point and three zeros after it, otherwise as
/// `1.5e+40`; -0 is 0, and no digits are lost.
///
/// Equal values have the same text if they encode themselves in the same order. A set does not, nor does a dictionary
/// whose keys are not text, integers or `CodingKeyRepresentable`: the order of their elements differs from run to run.
/// `@Model` refuses them as attributes, but cannot see them inside another Codable value, whose type should then encode
/// its elements sorted.
public enum CanonicalJSON {
    /// Encodes a value.
    ///
    /// - Throws: `valueNotRepresentable` if the value cannot be encoded, for example because it holds NaN.
    public static func text(_ value: some Encodable) throws -> String {
        let encoded = try encoded(value)
        guard let text = canonical(encoded) else {
            throw StoreError(
                .valueNotRepresentable,
                "The value's JSON is nested too deeply, or has a number that no type can hold.")
        }
        return text
    }

    /// Converts JSON text to canonical form.
    ///
    /// - Returns: The canonical text; nil if the text is not JSON (RFC 8259), if an object in it has the same name
    ///   twice, if it is more than 512 levels deep or if it has a number beyond 400 digits.
    public static func canonical(_ json: String) -> String? {
        var writer = CanonicalJSONWriter(json)
        return try? writer.text()
    }

    /// The JSON of a value as Foundation writes it with sorted names: canonical except for its numbers.
    package static func encoded(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw StoreError(
                .valueNotRepresentable, "The value cannot be written as JSON.", underlying: error)
        }
    }

    /// Decodes a value; nil if the text is not the JSON of such a value.
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
