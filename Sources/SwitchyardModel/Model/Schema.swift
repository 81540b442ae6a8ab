/// All entities of a store, as data that is kept in the store itself, compared, printed and migrated.
public struct Schema: Sendable, Hashable, Codable {
    /// The version.
    public let version: SchemaVersion
    /// The entities, sorted by name.
    public let entities: [Entity]

    /// Creates a schema of entities and checks that it is consistent.
    ///
    /// - Throws: `schemaInvalid`, naming the model and what to change in it.
    public init(version: SchemaVersion, entities: [Entity]) throws {
        self.version = version
        self.entities = entities.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        try validate()
    }

    /// Creates a schema of the entities of models.
    ///
    /// - Throws: `schemaInvalid`, naming the model and what to change in it.
    public init(version: SchemaVersion, models: [any Model.Type]) throws {
        try self.init(version: version, entities: models.map { try $0.entity.get() })
    }

    /// Returns the same schema with some tables under other names, by the names of their entities.
    ///
    /// It is not checked: the names can be those that are kept for the store itself.
    package func storing(in tables: [String: String]) -> Schema {
        Schema(self, entities: entities.map { entity in tables[entity.name].map(entity.stored) ?? entity })
    }

    /// Returns the same schema without some unique constraints, by the names of their entities.
    package func without(_ constraints: [String: [UniqueConstraint]]) -> Schema {
        Schema(
            self,
            entities: entities.map { entity in
                guard let removed = constraints[entity.name] else { return entity }
                return Entity(
                    entity.name, attributes: entity.attributes, relationships: entity.relationships,
                    indexes: entity.indexes,
                    uniqueConstraints: entity.uniqueConstraints.filter { !removed.contains($0) },
                    table: entity.table, isLeftOutOfHistory: entity.isLeftOutOfHistory,
                    deletedRows: entity.deletedRows)
            })
    }

    private init(_ other: Schema, entities: [Entity]) { (version, self.entities) = (other.version, entities) }

    /// The entity with a name; nil for an unknown name.
    public func entity(_ name: String) -> Entity? {
        entities.first { $0.name == name }
    }

    /// The names of the entities that can change without a word in the history.
    package var entitiesBesideHistory: Set<String> {
        Set(
            entities.filter { entity in
                entity.isLeftOutOfHistory || entity.attributes.contains { $0.history == .leftOut }
            }.map(\.name))
    }

    /// The names of the entities whose rows are in some tables.
    package func names(ofTables tables: Set<String>) -> [String] {
        tables.isEmpty ? [] : entities.filter { tables.contains($0.table) }.map(\.name)
    }

    /// The entity whose rows are in a table; nil for an unknown table.
    public func entity(inTable table: String) -> Entity? {
        entities.first { $0.table == table }
    }

    /// The entity with a name.
    ///
    /// - Throws: `schemaMismatch` for an unknown name.
    public func require(_ name: String) throws -> Entity {
        guard let entity = entity(name) else { throw unknownEntity(name) }
        return entity
    }

    /// The error of an unknown entity.
    package func unknownEntity(_ name: String) -> StoreError {
        let names = entities.map(\.name).joined(separator: ", ")
        return StoreError(
            .schemaMismatch, "The store has no entity \(name); it has \(names).", entity: name)
    }

    /// The references to an entity, with the referring entity and the delete rule.
    ///
    /// A to-one attribute without a to-many on the other side has the rule `noAction`.
    package func referrers(of entity: Entity) -> [(source: Entity, attribute: Attribute, rule: DeleteRule)] {
        entities.flatMap { source in
            source.attributes.filter { $0.reference == entity.name }.map { attribute in
                let rule = entity.relationships.first {
                    $0.target == source.name && $0.inverse == attribute.name
                }?.deleteRule
                return (source, attribute, rule ?? .noAction)
            }
        }
    }
}
