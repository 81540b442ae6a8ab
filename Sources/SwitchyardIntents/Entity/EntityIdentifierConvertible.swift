public import Foundation
public import SwitchyardCore

/// An entity's id that has a text form.
public protocol EntityIdentifierConvertible: Hashable {
    /// Reads the text form; nil if the text is not an id.
    init?(entityIdentifier text: String)
    /// The text form.
    var entityIdentifierString: String { get }
}

extension Identifier: EntityIdentifierConvertible {
    /// Reads a UUID in upper or lower case.
    public init?(entityIdentifier text: String) { self.init(text) }
    /// The UUID in lower case.
    public var entityIdentifierString: String { description }
}

extension UUID: EntityIdentifierConvertible {
    /// Reads a UUID in upper or lower case.
    public init?(entityIdentifier text: String) { self.init(uuidString: text) }
    /// The UUID in lower case.
    public var entityIdentifierString: String { uuidString.lowercased() }
}

extension String: EntityIdentifierConvertible {
    /// Accepts any text.
    public init?(entityIdentifier text: String) { self = text }
    /// The text itself.
    public var entityIdentifierString: String { self }
}

extension Int: EntityIdentifierConvertible {
    /// Reads a whole number.
    public init?(entityIdentifier text: String) { self.init(text) }
    /// The digits.
    public var entityIdentifierString: String { String(self) }
}
