/// What an intent says or asks.
///
/// A value interpolated into a literal appears in its form for people: an entity or a case as its title, a
/// volume as `120 mL`.
public struct IntentDialog: Sendable, Hashable {
    /// The text.
    public let text: String

    /// Creates a dialog from text.
    public init(_ text: String) { self.text = text }
}

extension IntentDialog: CustomStringConvertible {
    /// The text.
    public var description: String { text }
}

extension IntentDialog: ExpressibleByStringInterpolation {
    /// Creates a dialog from a literal.
    public init(stringLiteral text: String) { self.text = text }

    /// Creates a dialog from a literal with interpolated values.
    public init(stringInterpolation interpolation: StringInterpolation) { text = interpolation.text }

    /// Builds the text of a literal.
    public struct StringInterpolation: StringInterpolationProtocol {
        var text = ""

        /// Starts with empty text.
        public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        /// Appends a literal part unchanged.
        public mutating func appendLiteral(_ literal: String) { text += literal }

        /// Appends anything but an `IntentValue` as `print` writes it.
        @_disfavoredOverload
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            text += value.description
        }
    }
}
