/// The shape of one kind of row.
public struct Entity: Sendable, Hashable, Codable {
    /// The entity's name: the model type's, and the table's.
    public let name: String
    /// The attributes in the order of the columns; the first is always `id`.
    public let attributes: [Attribute]
    /// The to-many relationships.
    public let relationships: [Relationship]
    /// The indexes, besides those of references and constraints.
    public let indexes: [Index]
    /// The unique constraints, besides that of `id`.
    public let uniqueConstraints: [UniqueConstraint]

    /// Describes an entity.
    public init(
        _ name: String, attributes: [Attribute], relationships: [Relationship] = [], indexes: [Index] = [],
        uniqueConstraints: [UniqueConstraint] = []
    ) {
        self.name = name
        self.attributes = attributes
        self.relationships = relationships
        self.indexes = indexes
        self.uniqueConstraints = uniqueConstraints
    }

    /// The attribute of a name; nil if there is none.
    public func attribute(_ name: String) -> Attribute? {
        attributes.first { $0.name == name }
    }

    /// The to-many relationship of a name; nil if there is none.
    public func relationship(_ name: String) -> Relationship? {
        relationships.first { $0.name == name }
    }

    /// What readers and writers of whole rows need to name a fault.
    public var rowContext: RowContext { RowContext(entity: name, attributes: attributes.map(\.name)) }
}
