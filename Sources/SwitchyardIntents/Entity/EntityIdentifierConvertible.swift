public import Foundation
public import SwitchyardCore

/// An id of entities that can be written as text.
public protocol EntityIdentifierConvertible: Hashable {
    /// Reads the text form; nil if the text is not an id.
    init?(entityIdentifier text: String)
    /// The text form.
    var entityIdentifierString: String { get }
}

extension Identifier: EntityIdentifierConvertible {
    public init?(entityIdentifier text: String) { self.init(text) }
    public var entityIdentifierString: String { description }
}

extension UUID: EntityIdentifierConvertible {
    public init?(entityIdentifier text: String) { self.init(uuidString: text) }
    public var entityIdentifierString: String { uuidString.lowercased() }
}

extension String: EntityIdentifierConvertible {
    public init?(entityIdentifier text: String) { self = text }
    public var entityIdentifierString: String { self }
}

extension Int: EntityIdentifierConvertible {
    public init?(entityIdentifier text: String) { self.init(text) }
    public var entityIdentifierString: String { String(self) }
}
