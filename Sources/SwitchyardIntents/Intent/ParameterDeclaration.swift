/// A parameter described as data.
public struct ParameterDeclaration: Sendable, Hashable, Encodable {
    /// The parameter's name for programs.
    public let name: String
    /// The parameter's name for people.
    public let title: String
    /// What the parameter is for, in one sentence; may be empty.
    public let description: String
    /// What its values look like.
    public let type: IntentValueType
    /// Whether a value must be given.
    public let isRequired: Bool
    /// The title of the default value, if any.
    public let defaultValue: String?
}

extension ParameterDeclaration {
    private enum CodingKeys: CodingKey {
        case name, title, description, type, isRequired, defaultValue
    }

    /// Encodes all members; a missing one as null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(title, forKey: .title)
        try container.encode(description, forKey: .description)
        try container.encode(type, forKey: .type)
        try container.encode(isRequired, forKey: .isRequired)
        try container.encode(defaultValue, forKey: .defaultValue)
    }
}
