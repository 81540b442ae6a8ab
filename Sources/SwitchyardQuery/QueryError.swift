/// An error in the text of a query: what was expected, and where.
///
/// It may quote the query, and never contains a value of a row.
public struct QueryError: Error, Sendable, Hashable {
    /// The kind of failure: switch on this.
    public let code: Code
    /// What is wrong, and what to write instead.
    public let message: String
    /// The place in the text, in characters counted from 1.
    public let column: Int

    init(_ code: Code, _ message: String, column: Int) {
        (self.code, self.message, self.column) = (code, message, column)
    }

    /// The kind of a failure.
    ///
    /// More kinds may be added, so a `switch` over them needs a `default`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's stable name.
        public let description: String

        private init(_ name: String) { description = name }

        /// The text does not follow the grammar, whatever the schema.
        public static let syntax = Code("syntax")
        /// The schema has no entity, attribute or relationship of a name.
        public static let unknownName = Code("unknownName")
        /// A value does not fit the attribute that it is compared with, or an operation does not fit an attribute.
        public static let wrongType = Code("wrongType")
        /// The text is too long, too deeply nested or has too many parts.
        public static let tooLarge = Code("tooLarge")
    }
}

extension QueryError: CustomStringConvertible {
    /// The code, the place and the message.
    public var description: String { "\(code): column \(column): \(message)" }
}
