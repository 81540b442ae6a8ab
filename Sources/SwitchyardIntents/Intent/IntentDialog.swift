/// What an intent says or asks.
///
/// In a literal, a value of a parameter is written as people read it: an entity or a case by its title, a
/// volume as `120 mL`.
public struct IntentDialog: Sendable, Hashable {
    /// The words.
    public let text: String

    /// Takes words.
    public init(_ text: String) { self.text = text }
}

extension IntentDialog: CustomStringConvertible {
    /// The words.
    public var description: String { text }
}

extension IntentDialog: ExpressibleByStringInterpolation {
    /// Takes words.
    public init(stringLiteral text: String) { self.text = text }

    /// Takes words with values among them.
    public init(stringInterpolation interpolation: StringInterpolation) { text = interpolation.text }

    /// Collects the words of a literal.
    public struct StringInterpolation: StringInterpolationProtocol {
        var text = ""

        /// Begins with no words.
        public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        /// Writes words as they are.
        public mutating func appendLiteral(_ literal: String) { text += literal }

        /// Writes a value as people read it.
        public mutating func appendInterpolation(_ value: some IntentValue) {
            text += value.displayRepresentation.title
        }

        /// Writes anything else as `print` does.
        @_disfavoredOverload
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            text += value.description
        }
    }
}
