public import SwitchyardCore

/// A statement and its bound parameters.
public struct SQLStatement: Sendable, Hashable {
    /// The text.
    ///
    /// It depends on the structure of the query and holds none of its values, so that it can be the key of a prepared
    /// statement, and be logged.
    public var text: String
    /// The parameters in the order of their placeholders.
    public var parameters: [SQLParameter]

    /// Creates a statement.
    public init(text: String, parameters: [SQLParameter] = []) {
        self.text = text
        self.parameters = parameters
    }
}

/// The parameter of one placeholder.
public enum SQLParameter: Sendable, Hashable {
    /// One value, with the type of the column or calculation it is used with, even if the value is null.
    case value(StoredValue, AttributeType)
    /// Any number of values, none of them null, as one parameter: an array, or a list for the dialect's table-valued
    /// function.
    case list([StoredValue], AttributeType)

    /// The type of the value, or of the list's elements.
    public var type: AttributeType {
        switch self {
        case .value(_, let type), .list(_, let type): type
        }
    }
}
