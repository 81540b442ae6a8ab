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
    }

    /// Returns the statements that add indexes, and the foreign keys that are not part of the tables, to a store that
    /// has neither.
    ///
    /// - Throws: `schemaInvalid` if the filter of an index cannot be written.
    func addConstraints() throws -> [String] {
        try schema.tables.flatMap { entity in
            (dialect.addsForeignKeysLater ? try foreignKeys(of: entity) : []) + (try indexes(of: entity))
        }
    }

    /// Returns the statements that remove what those of `addConstraints()` add.
    ///
    /// - Throws: `schemaInvalid` if the filter of an index cannot be written.
    func removeConstraints() throws -> [String] {
        try schema.tables.flatMap { entity in
            let keys = dialect.addsForeignKeysLater ? entity.attributes.filter { $0.reference != nil } : []
            let table = try layout(entity.name).table
            return (isScoped ? [] : keys).map { attribute in
                let name = SQLDialect.quoted(ConstraintName.reference(attribute, of: entity))
                return "ALTER TABLE \(table) DROP CONSTRAINT \(name)"
            } + (try indexes(of: entity).map { "DROP INDEX \(qualified(SQLMade(index: $0).name))" })
        }
    }

    /// Returns the statements that gather the statistics of all tables, where a database plans queries by them and gathers
    /// them late by itself.
    ///
    /// - Throws: `schemaMismatch` for an entity that the schema lacks, which none is.
    func gatherStatistics() throws -> [String] {
        guard dialect.gathersStatistics else { return [] }
        return try schema.tables.map { "ANALYZE \(try layout($0.name).table)" }
    }

    /// Returns the statement that creates the table of an entity, without its indexes.
    ///
    /// - Throws: `schemaMismatch` if the schema lacks the entity.
    public func createTable(_ name: String) throws -> String {
        let layout = try layout(name)
        let entity = layout.entity
        var lines: [String] = []
        if isScoped { lines.append(columnDefinition(StoreScope.attribute, of: entity)) }
        for attribute in entity.attributes { lines.append(columnDefinition(attribute, of: entity)) }
        for attribute in entity.attributes where attribute.isSearchable {
            let type = dialect.columnTypes[.text] ?? ""
            lines.append(
                "\(SQLDialect.quoted(attribute.searchColumn)) \(type)\(attribute.isOptional ? "" : " NOT NULL")"
            )
        }
        lines.append(
            "CONSTRAINT \(SQLDialect.quoted(ConstraintName.primaryKey(of: entity))) "
                + "PRIMARY KEY (\(key([try layout.column("id").name])))")
        if !dialect.addsForeignKeysLater {
            lines += try entity.attributes.compactMap { try foreignKey($0, of: entity) }
        }
        return
            "CREATE TABLE \(layout.table) (\n    \(lines.joined(separator: ",\n    "))\n)\(dialect.tableOptions)"
    }

    private func columnDefinition(_ attribute: Attribute, of entity: Entity) -> String {
        let column = SQLDialect.quoted(attribute.column)
        var text = "\(column) \(dialect.columnTypes[attribute.type] ?? "")"
        if !attribute.isOptional { text += " NOT NULL" }
        var checks = dialect.columnChecks[attribute.type].map { [$0.filled(with: column)] } ?? []
        if let cases = attribute.cases, !cases.isEmpty {
            let literals = cases.map { dialect.literal($0, attribute.type) }.joined(separator: ", ")
            checks.append("\(column) IN (\(literals))")
        }
        switch attribute.domain {
        case .integers(let range):
            let (least, greatest) = (StoredValue.int(range.lowerBound), StoredValue.int(range.upperBound))
            checks.append(
                "\(column) BETWEEN \(dialect.literal(least, .int)) AND \(dialect.literal(greatest, .int))")
        case .singlePrecision: checks.append(dialect.singlePrecisionCheck.filled(with: column))
        case nil: break
        }
        if !checks.isEmpty {
            let name = SQLDialect.quoted(ConstraintName.check(attribute, of: entity))
            text += " CONSTRAINT \(name) CHECK (\(checks.joined(separator: " AND ")))"
        }
        return text
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

    private func foreignKeys(of entity: Entity) throws -> [String] {
        let table = try layout(entity.name).table
        return try entity.attributes.compactMap { try foreignKey($0, of: entity) }.map {
            "ALTER TABLE \(table) ADD \($0)"
        }
    }
}
