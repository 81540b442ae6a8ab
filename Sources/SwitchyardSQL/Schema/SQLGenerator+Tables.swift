public import SwitchyardCore

extension SQLGenerator {
    /// Prints an empty store.
    ///
    /// Run them in one transaction, followed by `insertMarker(_:)`.
    ///
    /// - Parameter role: The role of the store: one that is `copying` gets its constraints later.
    /// - Returns: The statements that create it, in order: tables with their checks and keys, indexes, and the store's own
    ///   bookkeeping.
    /// - Throws: `schemaInvalid` if the filter of an index cannot be written.
    public func createStore(role: StoreRole = .active) throws -> [String] {
        let tables = try schema.tables.map { try createTable($0.name) }
        return tables + (role == .copying ? [] : try addConstraints()) + createBookkeeping()
            + (isDistributed ? distribute(storeTables) : [])
    }

    /// Returns the statements that add indexes, and the foreign keys that are not part of the tables, to a store that
    /// has neither.
    ///
    /// - Throws: `schemaInvalid` if the filter of an index cannot be written.
    func addConstraints() throws -> [String] { try addedConstraints().map(\.add) }

    /// Returns the statements that remove what those of `addConstraints()` add.
    ///
    /// - Throws: `schemaInvalid` if the filter of an index cannot be written.
    func removeConstraints() throws -> [String] { try addedConstraints().map(\.remove) }

    /// Returns the indexes, and the foreign keys that are not part of the tables.
    ///
    /// - Throws: `schemaInvalid` if the filter of an index cannot be written.
    func addedConstraints() throws -> [AddedConstraint] {
        try schema.tables.flatMap { entity in
            let keys = dialect.addsForeignKeysLater ? try foreignKeys(of: entity) : []
            return try keys
                + indexes(of: entity).map { text in
                    AddedConstraint(
                        tables: [entity.table], add: text,
                        remove: "DROP INDEX \(qualified(SQLMade(index: text).name))")
                }
        }
    }

    /// Returns the statements that gather the statistics of all tables, for a database whose planner uses
    /// them and which gathers them late.
    ///
    /// - Throws: `schemaMismatch` for an entity that the schema lacks.
    func gatherStatistics() throws -> [String] {
        guard dialect.gathersStatistics else { return [] }
        return try schema.tables.map { "ANALYZE \(try layout($0.name).table)" }
    }

    /// Returns the statement that creates the table of an entity, without its indexes.
    ///
    /// - Parameters:
    ///   - name: The entity.
    ///   - table: The quoted name of the table; nil for the entity's own.
    ///   - key: The name of its primary key; nil for the entity's own.
    /// - Returns: The statement.
    /// - Throws: `schemaMismatch` if the schema lacks the entity.
    public func createTable(_ name: String, as table: String? = nil, key: String? = nil) throws -> String {
        let layout = try layout(name)
        let lines = try columnDefinitions(of: layout.entity) + tableConstraints(of: layout.entity, key: key)
        let isNumbered = !isScoped && layout.entity.attribute("id")?.type == .int
        return "CREATE TABLE \(table ?? layout.table) (\n    \(lines.joined(separator: ",\n    "))\n)"
            + (isNumbered ? dialect.numberedTableOptions : dialect.tableOptions)
    }

    /// The column definitions of a table in order, each with its check.
    func columnDefinitions(of entity: Entity) -> [String] {
        (isScoped ? [columnDefinition(StoreScope.attribute, of: entity)] : [])
            + entity.attributes.map { columnDefinition($0, of: entity) }
            + entity.attributes.filter(\.isSearchable).map(searchDefinition)
    }

    /// The constraints of a table that are not those of one column.
    ///
    /// - Throws: `schemaMismatch` if the schema lacks an entity.
    func tableConstraints(of entity: Entity, key name: String? = nil) throws -> [String] {
        let name = SQLDialect.quoted(name ?? ConstraintName.primaryKey(of: entity))
        let id = try layout(entity.name).column("id").name
        return ["CONSTRAINT \(name) PRIMARY KEY (\(key([id])))"]
            + (dialect.addsForeignKeysLater
                ? [] : try entity.attributes.compactMap { try foreignKey($0, of: entity) })
    }

    /// The column of the folded copy of a searchable attribute.
    func searchDefinition(_ attribute: Attribute) -> String {
        "\(SQLDialect.quoted(attribute.searchColumn)) \(dialect.columnTypes[.text] ?? "")"
            + (attribute.isOptional ? "" : " NOT NULL")
    }

    /// The column of an attribute, with its check.
    func columnDefinition(_ attribute: Attribute, of entity: Entity) -> String {
        "\(SQLDialect.quoted(attribute.column)) \(dialect.columnTypes[attribute.type] ?? "")"
            + (attribute.isOptional ? "" : " NOT NULL")
            + (check(attribute, of: entity).map { " " + $0 } ?? "")
    }

    /// The check of an attribute's values beyond their type, if any.
    func check(_ attribute: Attribute, of entity: Entity) -> String? {
        guard let condition = checkedCondition(attribute) else { return nil }
        let name = SQLDialect.quoted(ConstraintName.check(attribute, of: entity))
        return "CONSTRAINT \(name) CHECK (\(condition))"
    }

    /// The condition that an attribute's values must not fail beyond their type, if any.
    func checkedCondition(_ attribute: Attribute) -> String? {
        let column = SQLDialect.quoted(attribute.column)
        var checks = dialect.columnChecks[attribute.type].map { [$0.filled(with: column)] } ?? []
        if let cases = attribute.cases, !cases.isEmpty {
            checks.append(check(column, isOneOf: cases.map { dialect.literal($0, attribute.type) }))
        }
        switch attribute.domain {
        case .integers(let range):
            let (least, greatest) = (StoredValue.int(range.lowerBound), StoredValue.int(range.upperBound))
            checks.append(
                "\(column) BETWEEN \(dialect.literal(least, .int)) AND \(dialect.literal(greatest, .int))")
        case .singlePrecision: checks.append(dialect.singlePrecisionCheck.filled(with: column))
        case nil: break
        }
        return checks.isEmpty ? nil : checks.joined(separator: " AND ")
    }

    /// The condition that a column is one of some literals, or null.
    private func check(_ column: String, isOneOf literals: [String]) -> String {
        switch dialect.casesCheck {
        case .list: "\(column) IN (\(literals.joined(separator: ", ")))"
        case .caseExpression:
            "CASE \(column) \(literals.map { "WHEN \($0) THEN 1" }.joined(separator: " ")) ELSE \(column) IS NULL END"
        }
    }

    /// Returns the foreign key of a reference; nil for any other attribute.
    ///
    /// It has no action, because the transaction applies the delete rules, alike on every backend, and is checked at
    /// the end of the transaction.
    ///
    /// Tables with scopes have no foreign keys: distributed databases check theirs at once or not at all, so the
    /// transaction checks references itself; see `SQLTransaction.requireReferences()`.
    private func foreignKey(_ attribute: Attribute, of entity: Entity) throws -> String? {
        guard !isScoped, let target = attribute.reference else { return nil }
        let layout = try layout(target)
        return "CONSTRAINT \(SQLDialect.quoted(ConstraintName.reference(attribute, of: entity))) "
            + "FOREIGN KEY (\(SQLDialect.quoted(attribute.column))) "
            + "REFERENCES \(layout.table) (\(try layout.column("id").name)) DEFERRABLE INITIALLY DEFERRED"
    }

    func foreignKeys(of entity: Entity) throws -> [AddedConstraint] {
        let table = try layout(entity.name).table
        return try entity.attributes.compactMap { attribute in
            let target = attribute.reference.flatMap { schema.entity($0)?.table }
            return try foreignKey(attribute, of: entity).map { key in
                let name = SQLDialect.quoted(ConstraintName.reference(attribute, of: entity))
                return AddedConstraint(
                    tables: [entity.table, target ?? entity.table], add: "ALTER TABLE \(table) ADD \(key)",
                    remove: "ALTER TABLE \(table) DROP CONSTRAINT \(name)")
            }
        }
    }
}

/// An index, or a foreign key that is not part of its table: the statements that add and remove it.
struct AddedConstraint {
    /// The unquoted names of its table and of the referenced one.
    let tables: Set<String>
    let add: String
    let remove: String

    var isUniqueIndex: Bool { add.hasPrefix("CREATE UNIQUE INDEX ") }

    func concerns(_ others: Set<String>) -> Bool { !tables.isDisjoint(with: others) }
}
