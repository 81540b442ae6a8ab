public import SwitchyardCore

/// A column that every table has first, and the one value of it that a generator's statements are confined
/// to.
///
/// Many households share one database this way: the scope stands first in every primary, unique and foreign
/// key, so that the database can be distributed and fenced by it, and no statement sees rows of another
/// scope.
public struct SQLScope: Sendable, Hashable {
    /// The column's name; it must not be an attribute's.
    public let column: String
    /// The column's type.
    public let type: AttributeType
    /// The value that all statements bind.
    public let value: StoredValue

    /// Describes a scope.
    public init(column: String, type: AttributeType = .uuid, value: StoredValue) {
        self.column = column
        self.type = type
        self.value = value
    }

    /// What is bound where the scope is compared or inserted.
    public var parameter: SQLParameter { .value(value, type) }
}
