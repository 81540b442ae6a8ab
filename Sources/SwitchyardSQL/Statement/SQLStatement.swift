public import SwitchyardCore

/// One statement and what is bound to it.
public struct SQLStatement: Sendable, Hashable {
    /// The text.
    ///
    /// It depends on the shape of what was asked, not on the values, so that a prepared statement can be kept
    /// by it.
    public var text: String
    /// The parameters in the order of their placeholders.
    public var parameters: [SQLParameter]

    /// Takes text and parameters.
    public init(text: String, parameters: [SQLParameter] = []) {
        self.text = text
        self.parameters = parameters
    }
}

/// What is bound to one placeholder.
public enum SQLParameter: Sendable, Hashable {
    /// One value. The type is that of the column or calculation it meets, also where the value is null.
    case value(StoredValue, AttributeType)
    /// Any number of values, none of them null, bound as one: an array, or a list for the dialect's
    /// table-valued function.
    case list([StoredValue], AttributeType)
}
