/// How a value appears to people.
public struct DisplayRepresentation: Sendable, Hashable {
    /// The name, such as `Mia`.
    public var title: String
    /// Distinguishes values with the same title.
    public var subtitle: String?

    /// Creates a representation.
    public init(title: String, subtitle: String? = nil) {
        self.title = title
        self.subtitle = subtitle
    }
}

extension DisplayRepresentation: ExpressibleByStringInterpolation, CustomStringConvertible {
    /// Creates a representation from a title.
    public init(stringLiteral title: String) { self.init(title: title) }

    /// The title, with the subtitle in parentheses.
    public var description: String { subtitle.map { "\(title) (\($0))" } ?? title }
}

/// The name of a type for people.
public struct TypeDisplayRepresentation: Sendable, Hashable {
    /// The word in the singular, such as `Baby`.
    public var name: String

    /// Creates a representation from the singular word.
    public init(name: String) { self.name = name }

    /// The word as used in a sentence, with its article: `a baby`.
    var withArticle: String {
        let isVowel = name.first.map { "aeiou".contains($0.lowercased()) } ?? false
        return "\(isVowel ? "an" : "a") \(name.lowercased())"
    }
}

extension TypeDisplayRepresentation: ExpressibleByStringLiteral {
    /// Creates a representation from the singular word.
    public init(stringLiteral name: String) { self.init(name: name) }
}
