internal import Foundation
internal import SwitchyardCore

extension SQLPlan {
    /// How a table that exists differs from that of an entity of the plan.
    ///
    /// - Throws: What the catalog throws.
    func differences(of entity: Entity, in catalog: some SQLCatalog) throws -> TableDifferences {
        let table = entity.table
        let faults = try columnDifferences(of: entity, in: catalog)
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
        constraints += found.filter { needed[$0] == nil }.sorted().map { "there is a constraint \($0)" }
        for attribute in entity.attributes where faults.isEmpty {
            guard try !catalog.has(column: sql.columnDefinition(attribute, of: entity), of: table) else {
                continue
            }
            constraints.append("the column \(attribute.column) is not as it was made")
        }
        if try !catalog.isTyped(table) { constraints.append("the types of the columns do not bind") }
        let indexes = try sql.indexes(of: entity).map { SQLMade(index: $0) }.compactMap { index -> String? in
            switch try catalog.find(index) {
            case .same: nil
            case .missing: "the \(index.kind.rawValue) \(index.name) is missing"
            case .unlike: "the \(index.kind.rawValue) \(index.name) is not as it was made"
            }
        }
        return TableDifferences(
            columns: faults, references: references,
            // A reference astray is told once.
            constraints: references.isEmpty ? constraints : [], indexes: indexes)
    }

    private func columnDifferences(of entity: Entity, in catalog: some SQLCatalog) throws -> [String] {
        let found = try catalog.columns(of: entity.table)
        let needed = neededColumns(of: entity, in: catalog)
        let names = Set(needed.map(\.0))
        return needed.compactMap { name, column in
            guard found[name] != column else { return nil }
            return "the column \(name) is \(found[name] == nil ? "missing" : "of another type")"
        } + found.keys.filter { !names.contains($0) }.sorted().map { "there is a column \($0)" }
    }

    /// The named constraints of an entity's table, each as it is defined.
    private func definitions(of entity: Entity) throws -> [String: String] {
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
