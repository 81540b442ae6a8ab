internal import Foundation
internal import SwitchyardCore

extension SQLPlan {
    /// How a table that exists differs from that of an entity of the plan.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - catalog: The catalog.
    ///   - unknown: What no version of the entity has.
    /// - Returns: The differences.
    /// - Throws: What the catalog throws.
    func differences(
        of entity: Entity, in catalog: some SQLCatalog, beside unknown: [SQLPart]
    ) throws -> TableDifferences {
        let table = entity.table
        let (faults, additions) = try columnDifferences(of: entity, in: catalog)
        let strangers = Set(unknown.filter { $0.table == table && $0.kind == .constraint }.map(\.name))
        var (references, constraints) = ([String](), [String]())
        let targets = try catalog.references(of: table)
        for attribute in entity.attributes {
            let needed = sql.isScoped ? nil : attribute.reference.flatMap { schema.entity($0)?.table }
            let found = targets[attribute.column]
            if let found, found != needed {
                references.append(
                    "\(attribute.column) refers to the table \(found)"
                        + (needed.map { " and not to \($0)" } ?? ""))
            } else if found == nil, let needed {
                references.append("\(attribute.column) lacks its foreign key to the table \(needed)")
            }
        }
        let needed = try definitions(of: entity)
        let found = try catalog.constraints(of: table)
        for (name, text) in needed.sorted(by: { $0.key < $1.key }) {
            if !found.contains(name) {
                constraints.append("the constraint \(name) is missing")
            } else if try !catalog.has(constraint: name, text, of: table) {
                constraints.append("the constraint \(name) is not as it was made")
            }
        }
        constraints += found.subtracting(strangers).filter { needed[$0] == nil }.sorted().map {
            "there is a constraint \($0)"
        }
        for attribute in entity.attributes where faults.isEmpty {
            guard try !catalog.has(column: sql.columnDefinition(attribute, of: entity), of: table) else {
                continue
            }
            constraints.append("the column \(attribute.column) is not as it was made")
        }
        if try !catalog.isTyped(table) { constraints.append("the types of the columns do not bind") }
        return TableDifferences(
            columns: faults, additions: additions, references: references,
            // A reference astray is told once.
            constraints: references.isEmpty ? constraints : [],
            indexes: try indexFaults(of: [entity], in: catalog)
                + indexesOfOthers(of: entity, in: catalog, beside: unknown).map { "there is an index \($0)" })
    }

    /// The names of the indexes that a table has, that the entity does not, and that are known.
    func indexesOfOthers(
        of entity: Entity, in catalog: some SQLCatalog, beside unknown: [SQLPart]
    ) throws -> [String] {
        let needed = try sql.indexes(of: entity).map { SQLMade(index: $0).name }
        let strangers = unknown.filter { $0.kind == .index }.map(\.name)
        return try catalog.parts(of: [entity.table]).filter { $0.kind == .index }.map(\.name)
            .filter { !needed.contains($0) && !strangers.contains($0) }.sorted()
    }

    /// The columns that are missing or of another type, a phrase each, and the names of those that are additional.
    private func columnDifferences(
        of entity: Entity, in catalog: some SQLCatalog
    ) throws -> (faults: [String], additions: [String]) {
        let found = try catalog.columns(of: entity.table)
        let needed = neededColumns(of: entity, in: catalog)
        let names = Set(needed.map(\.0))
        let faults = needed.compactMap { name, column -> String? in
            guard found[name] != column else { return nil }
            return "the column \(name) is \(found[name] == nil ? "missing" : "of another type")"
        }
        return (faults, found.keys.filter { !names.contains($0) }.sorted())
    }

    /// The named constraints of an entity's table, each as it is defined.
    func definitions(of entity: Entity) throws -> [String: String] {
        let keys = sql.dialect.addsForeignKeysLater ? try sql.foreignKeys(of: entity).map(\.add) : []
        let texts =
            try ((sql.isScoped ? [StoreScope.attribute] : []) + entity.attributes).compactMap {
                sql.check($0, of: entity)
            } + sql.tableConstraints(of: entity)
            + keys
        let named = texts.compactMap { text -> (String, String)? in
            // The text of a key that is added begins with the name of its table.
            guard let start = text.range(of: "CONSTRAINT \"") else { return nil }
            return (
                String(text[start.upperBound...].prefix { $0 != "\"" }), String(text[start.lowerBound...])
            )
        }
        return Dictionary(named, uniquingKeysWith: { $1 })
    }
}
