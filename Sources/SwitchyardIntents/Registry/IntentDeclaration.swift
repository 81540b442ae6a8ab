/// An intent described as data: for lists, help and other programs.
public struct IntentDeclaration: Sendable, Hashable, Encodable {
    /// The intent's name for programs.
    public let name: String
    /// The intent's name for people.
    public let title: String
    /// What the intent does, in one sentence; may be empty.
    public let description: String
    /// The parameters, in the order of their declaration.
    public let parameters: [ParameterDeclaration]
    /// The phrases that run the intent, as people say them.
    ///
    /// A word such as `<baby>` stands for the value of that parameter.
    public let phrases: [String]
}
