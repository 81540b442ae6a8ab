/// What the values of a parameter look like, as data.
public struct IntentValueType: Sendable, Hashable, Encodable {
    /// One of `text`, `boolean`, `integer`, `number`, `date`, `volume`, or what an enum or an entity is
    /// called.
    public let name: String
    /// The value in words, with an article, such as `a whole number`.
    public let description: String
    /// The only values that there are, as they are written; nil if that cannot be said beforehand.
    public let cases: [String]?

    /// Describes a type.
    public init(name: String, description: String, cases: [String]? = nil) {
        self.name = name
        self.description = description
        self.cases = cases
    }
}

extension IntentValueType {
    private enum CodingKeys: CodingKey {
        case name, description, cases
    }

    /// Writes all members; what is not there is null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(description, forKey: .description)
        try container.encode(cases, forKey: .cases)
    }
}
