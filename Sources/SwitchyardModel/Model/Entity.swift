/// The attributes, relationships, indexes and constraints of one kind of row.
public struct Entity: Sendable, Hashable, Codable {
    /// The entity's name, which is that of the model type.
    public let name: String
    /// The name of the table that holds its rows: the entity's name, unless another is given.
    ///
    /// Two versions of an entity can exist side by side in one store, each in a table of its own.
    public var table: String { ownTable ?? name }
    private let ownTable: String?
    /// The attributes in the order of the columns; the first is always `id`.
    public let attributes: [Attribute]
    /// The to-many relationships.
    public let relationships: [Relationship]
    /// The indexes, except those of references and constraints.
    public let indexes: [Index]
    /// The unique constraints, except that of `id`.
    public let uniqueConstraints: [UniqueConstraint]
    /// Whether the store's history tells nothing of its rows: a matter of the process that writes, and not of the
    /// schema's structure.
    public var isLeftOutOfHistory: Bool { leavesNoHistory ?? false }
    private let leavesNoHistory: Bool?
    /// What edits of deleted rows do: a matter of a mirror's server, and not of the schema's structure.
    public var deletedRows: DeletedRowPolicy { ownDeletedRows ?? .delete }
    private let ownDeletedRows: DeletedRowPolicy?

    /// Creates an entity.
    public init(
        _ name: String, attributes: [Attribute], relationships: [Relationship] = [], indexes: [Index] = [],
        uniqueConstraints: [UniqueConstraint] = [], table: String? = nil, isLeftOutOfHistory: Bool = false,
        deletedRows: DeletedRowPolicy = .delete
    ) {
        self.name = name
        ownTable = table == name ? nil : table
        self.attributes = attributes
        self.relationships = relationships
        self.indexes = indexes
        self.uniqueConstraints = uniqueConstraints
        leavesNoHistory = isLeftOutOfHistory ? true : nil
        ownDeletedRows = deletedRows == .delete ? nil : deletedRows
    }

    /// Returns the same entity in another table.
    public func stored(in table: String) -> Entity {
        Entity(
            name, attributes: attributes, relationships: relationships, indexes: indexes,
            uniqueConstraints: uniqueConstraints, table: table, isLeftOutOfHistory: isLeftOutOfHistory,
            deletedRows: deletedRows)
    }

    private enum CodingKeys: String, CodingKey {
        case name, attributes, relationships, indexes, uniqueConstraints
        // Omitted if the table has the entity's name.
        case ownTable = "table"
        // Omitted unless true.
        case leavesNoHistory = "isLeftOutOfHistory"
        // Omitted if they stay deleted.
        case ownDeletedRows = "deletedRows"
    }

    /// The attribute with a name; nil for an unknown name.
    public func attribute(_ name: String) -> Attribute? {
        attributes.first { $0.name == name }
    }

    /// The to-many relationship with a name; nil for an unknown name.
    public func relationship(_ name: String) -> Relationship? {
        relationships.first { $0.name == name }
    }

    /// The context for readers and writers of whole rows, which their errors use.
    public var errorContext: ErrorContext { ErrorContext(entity: name, attributes: attributes.map(\.name)) }
}
