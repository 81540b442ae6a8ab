/// Describes the values of a parameter, as data.
public struct IntentValueType: Sendable, Hashable, Encodable {
    /// One of `text`, `boolean`, `integer`, `number`, `date`, `volume`, or the name of an enum or entity.
    public let name: String
    /// The value in words, with an article, such as `a whole number`.
    public let description: String
    /// All possible values, as written; nil if they cannot be listed.
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

    /// Encodes all members; a missing one as null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(description, forKey: .description)
        try container.encode(cases, forKey: .cases)
    }
}
