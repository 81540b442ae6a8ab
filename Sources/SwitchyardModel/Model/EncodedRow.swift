/// A model as `Codable` archives it: its attributes by their names, each as a `StoredValue`.
///
/// `@Model` generates conformances with it for models that are not `Codable` by themselves, because Foundation requires
/// it of everything that a predicate captures. What is not stored is not encoded: a transient property has its default
/// afterwards.
public struct EncodedRow<Element: Model>: Codable {
    /// The model.
    public let model: Element

    /// Wraps a model.
    public init(_ model: Element) { self.model = model }

    /// Encodes the attributes.
    ///
    /// - Throws: `valueNotRepresentable`; what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        let entity = try Element.entity.get()
        var row = RowWriter(context: entity.errorContext)
        try model.encode(into: &row)
        var container = encoder.container(keyedBy: AttributeKey.self)
        for (attribute, value) in zip(entity.attributes, try row.storedValues(of: entity)) {
            try container.encode(value, forKey: AttributeKey(stringValue: attribute.name))
        }
    }

    /// Decodes the model.
    ///
    /// - Throws: `corrupted` or `valueNotRepresentable` for a value that its attribute cannot hold; a `DecodingError` for
    ///   a missing attribute.
    public init(from decoder: any Decoder) throws {
        let entity = try Element.entity.get()
        let container = try decoder.container(keyedBy: AttributeKey.self)
        var row = RowWriter(context: entity.errorContext)
        for attribute in entity.attributes {
            let key = AttributeKey(stringValue: attribute.name)
            try row.write(try container.decode(StoredValue.self, forKey: key))
        }
        model = try row.withReader { try Element(from: &$0) }
    }
}

/// The name of an attribute as a coding key.
private struct AttributeKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
