/// How a value looks to people.
public struct DisplayRepresentation: Sendable, Hashable {
    /// The name, such as `Mia`.
    public var title: String
    /// What tells values of one name apart.
    public var subtitle: String?

    /// Takes a title and, perhaps, a subtitle.
    public init(title: String, subtitle: String? = nil) {
        self.title = title
        self.subtitle = subtitle
    }
}

extension DisplayRepresentation: ExpressibleByStringInterpolation, CustomStringConvertible {
    /// Takes a title.
    public init(stringLiteral title: String) { self.init(title: title) }

    /// The title, with the subtitle in parentheses.
    public var description: String { subtitle.map { "\(title) (\($0))" } ?? title }
}

/// What people call a kind of thing.
public struct TypeDisplayRepresentation: Sendable, Hashable {
    /// The word in the singular, such as `Baby`.
    public var name: String

    /// Takes a word.
    public init(name: String) { self.name = name }

    /// The word inside a sentence, with its article: `a baby`.
    var withArticle: String {
        let isVowel = name.first.map { "aeiou".contains($0.lowercased()) } ?? false
        return "\(isVowel ? "an" : "a") \(name.lowercased())"
    }
}

extension TypeDisplayRepresentation: ExpressibleByStringLiteral {
    /// Takes a word.
    public init(stringLiteral name: String) { self.init(name: name) }
}
