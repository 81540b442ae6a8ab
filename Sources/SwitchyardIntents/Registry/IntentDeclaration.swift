/// What there is to know about an intent, as data: for lists, help and other programs.
public struct IntentDeclaration: Sendable, Hashable, Encodable {
    /// What programs call the intent.
    public let name: String
    /// What people call the intent.
    public let title: String
    /// What the intent does, in a sentence; it may be empty.
    public let description: String
    /// The parameters, in the order of their declaration.
    public let parameters: [ParameterDeclaration]
    /// The phrases that run the intent, as they are said.
    ///
    /// A word such as `<baby>` stands for the value of that parameter.
    public let phrases: [String]
}

/// What there is to know about a parameter, as data.
public struct ParameterDeclaration: Sendable, Hashable, Encodable {
    /// What programs call the parameter.
    public let name: String
    /// What people call the parameter.
    public let title: String
    /// What the parameter is for, in a sentence; it may be empty.
    public let description: String
    /// What its values look like.
    public let type: IntentValueType
    /// Whether a value must be given.
    public let isRequired: Bool
    /// The title of the value where none is given; nil if there is none.
    public let defaultValue: String?
}

extension ParameterDeclaration {
    private enum CodingKeys: CodingKey {
        case name, title, description, type, isRequired, defaultValue
    }

    /// Writes all members; what is not there is null.
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
