internal import SwitchyardCore

/// What a catalog also tells of tables that no store has made.
public protocol ForeignCatalog: SQLCatalog {
    /// The names of all tables and views.
    func relations() throws -> [String]

    /// A column's type and whether it takes null, in words.
    func words(for column: Column) -> String

    /// What a table does by itself that a store would not know of, such as by a trigger: a phrase each.
    func conflicts(of table: String) throws -> [String]

    /// The names of what may refuse a row of a table: its constraints, and its unique indexes.
    func restrictions(of table: String) throws -> [String]
}

extension SQLPlan {
    /// How tables that no store has made differ from those that the plan needs, a phrase each; what can be added is not
    /// part of it.
    ///
    /// - Throws: What the catalog throws.
    func differences(in catalog: some ForeignCatalog) throws -> [String] {
        var differences: [String] = []
        for entity in schema.entities {
            let made = SQLMade(table: entity.table, try sql.createTable(entity.name))
            switch try catalog.find(made) {
            case .missing:
                differences.append("the table \(entity.table) is missing")
                continue
            case .same: break
            case .unlike: differences += try self.differences(of: entity, in: catalog)
            }
            differences += try catalog.conflicts(of: entity.table)
            let indexes = try sql.indexes(of: entity).map { SQLMade(index: $0) }
            for index in indexes where try catalog.find(index) == .unlike {
                differences.append("the \(index.kind.rawValue) \(index.name) is another one")
            }
            let known = Set(neededConstraints(of: entity) + indexes.map(\.name))
            for name in try catalog.restrictions(of: entity.table) where !known.contains(name) {
                differences.append(
                    "the schema has no constraint \(name) of the table \(entity.table)")
            }
        }
        let own =
            schema.tables.dropFirst(schema.entities.count).map(\.table)
            + [SQLGenerator.operationTable, SQLGenerator.queueTable]
        for name in own where try catalog.find(SQLMade(table: name)) != .missing {
            differences.append("the table \(name) has the name of one that a store adds")
        }
        return differences
    }

    private func differences(of entity: Entity, in catalog: some ForeignCatalog) throws -> [String] {
        var differences: [String] = []
        let found = try catalog.columns(of: entity.table)
        let needed = neededColumns(of: entity, in: catalog)
        for (name, expected) in needed {
            guard let column = found[name] else {
                differences.append(
                    "the column \(entity.table).\(name), \(catalog.words(for: expected)), is missing")
                continue
            }
            guard column != expected else { continue }
            differences.append(
                "the column \(entity.table).\(name) is \(catalog.words(for: column)) instead of "
                    + catalog.words(for: expected))
        }
        for name in found.keys.sorted() where !needed.contains(where: { $0.0 == name }) {
            differences.append("the schema has no column \(entity.table).\(name)")
        }
        if try !catalog.isTyped(entity.table) {
            differences.append("the table \(entity.table) is not made with\(sql.dialect.tableOptions)")
        }
        let later = sql.dialect.addsForeignKeysLater ? entity.attributes.filter { $0.reference != nil } : []
        let added = Set(later.map { ConstraintName.reference($0, of: entity) })
        let constraints = try catalog.constraints(of: entity.table)
        return differences
            + neededConstraints(of: entity).filter { !constraints.contains($0) && !added.contains($0) }
            .map { "the constraint \($0) is missing" }
    }

    /// The indexes and foreign keys that the tables lack, those of the tables that a store adds included.
    ///
    /// - Throws: What the catalog throws.
    func missingConstraints(in catalog: some ForeignCatalog) throws -> [AddedConstraint] {
        try sql.addedConstraints().filter { added in
            guard let key = added.foreignKey else {
                return try catalog.find(SQLMade(index: added.add)) == .missing
            }
            return try !added.tables.contains { try catalog.constraints(of: $0).contains(key) }
        }
    }
}

extension AddedConstraint {
    /// The name of the foreign key; nil for an index.
    fileprivate var foreignKey: String? {
        let parts = add.split(separator: "ADD CONSTRAINT \"", maxSplits: 1)
        return parts.count == 2 ? parts[1].prefix { $0 != "\"" }.description : nil
    }

    /// The name in the database.
    var name: String { foreignKey ?? SQLMade(index: add).name }
}
