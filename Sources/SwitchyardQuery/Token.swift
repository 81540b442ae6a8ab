/// The smallest part of a query's text.
struct Token {
    enum Kind: Equatable {
        /// A keyword, in whatever case.
        case keyword(Keyword)
        /// A name, with or without backquotes.
        case name(String, isQuoted: Bool)
        /// A number, a day, a time or a UUID.
        case bare(String)
        /// A text in quotes.
        case text(String)
        /// An operator, a parenthesis, a comma or a point.
        case symbol(Symbol)
        case end
    }

    let kind: Kind
    /// The bytes of the text that it takes.
    let range: Range<Int>
}

/// The words that are names only in backquotes.
enum Keyword: String, CaseIterable {
    case `where`, sort, asc, desc, limit, offset, include, show, by, having
    case and, or, not, has, `in`, `is`, null, contains, starts, ends, with, `as`
    case `true`, `false`
}

enum Symbol: String {
    case open = "(", close = ")", comma = ",", point = "."
    case equal = "=", notEqual = "!=", less = "<", lessOrEqual = "<=", greater = ">", greaterOrEqual = ">="
    case plus = "+", minus = "-", times = "*", divide = "/", remainder = "%"
}
