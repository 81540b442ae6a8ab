/// The rules that each row of an entity must satisfy, for plugins that keep rows in memory.
///
/// Rows have the layout that drivers receive: the entity's attributes in order, then the folded copy of each
/// searchable one.
package struct EntityRules {
    /// The entity.
    package let entity: Entity
    /// The unique constraints, in the entity's order.
    package let unique: [UniqueRule]
    private let required: [Int]
    private let enumerations: [(column: Int, cases: Set<StoredValue>)]
    private let domains: [(column: Int, domain: NumberDomain)]

    /// Looks up the rules of an entity.
    ///
    /// - Throws: `unsupported` for a name that the entity lacks.
    package init(_ entity: Entity, schema: Schema) throws {
        self.entity = entity
        required = entity.attributes.indices.filter { !entity.attributes[$0].isOptional }
        enumerations = entity.attributes.enumerated().compactMap { column, attribute in
            attribute.cases.map { (column, Set($0)) }
        }
        domains = entity.attributes.enumerated().compactMap { column, attribute in
            attribute.domain.map { (column, $0) }
        }
        unique = try entity.uniqueConstraints.map { try UniqueRule($0, entity: entity, schema: schema) }
    }

    /// Checks that required attributes have a value, enums one of their cases, and narrow numbers a value in their
    /// domain.
    ///
    /// - Throws: `notNull` or `check`.
    package func check(_ row: [StoredValue]) throws {
        for column in required where row[column].isNull {
            throw StoreError.missingValue(entity.attributes[column], of: entity)
        }
        for (column, cases) in enumerations where !row[column].isNull && !cases.contains(row[column]) {
            throw StoreError.disallowedValue(entity.attributes[column], of: entity)
        }
        for (column, domain) in domains where !domain.contains(row[column]) {
            throw StoreError.disallowedValue(entity.attributes[column], of: entity)
        }
    }
}

/// A unique constraint with its columns looked up, which computes the keys of rows.
package struct UniqueRule {
    /// The constraint.
    package let constraint: UniqueConstraint
    private let columns: [Int]
    private let filter: CompiledCondition?

    fileprivate init(_ constraint: UniqueConstraint, entity: Entity, schema: Schema) throws {
        self.constraint = constraint
        columns = constraint.attributes.compactMap { entity.column($0) }
        // A schema refuses filters that depend on other rows, so none need to be supplied.
        filter = try constraint.filter.map {
            try CompiledCondition($0, entity: entity, schema: schema) { _, _ in }
        }
    }

    /// Returns the key of a row, which no other row may have; nil if the constraint does not apply to the row.
    ///
    /// - Throws: `arithmetic` from a filter that calculates with doubles.
    package func key(of row: [StoredValue]) throws -> [StoredValue]? {
        let key = columns.map { row[$0] }
        if constraint.nilsAreDistinct, key.contains(where: \.isNull) { return nil }
        if let filter, try !filter.holds(row) { return nil }
        return key
    }
}
