internal import SwitchyardCore

extension SQLPlan {
    /// What the tables of a store have, and none of several plans does.
    ///
    /// - Throws: What the catalog throws.
    static func unknownParts(beside plans: [SQLPlan], in catalog: some SQLCatalog) throws -> [SQLPart] {
        guard let sql = plans.first?.sql else { return [] }
        var known: [String: KnownTable] = [:]
        for plan in plans {
            for entity in plan.schema.entities {
                try known[entity.table, default: KnownTable()].add(entity, of: plan, in: catalog)
            }
        }
        let tables = Set(known.keys).intersection(catalog.tables)
        var parts: [SQLPart] = []
        for table in tables.sorted() {
            let columns = try catalog.columns(of: table).keys.sorted()
            parts += columns.filter { known[table]?.columns.contains(sql.nameKey($0)) == false }.map {
                SQLPart(table: table, kind: .column, name: $0)
            }
        }
        return parts
            + (try catalog.parts(of: tables)).filter { part in
                switch part.kind {
                case .constraint: known[part.table]?.constraints.contains(part.name) == false
                case .index: known[part.table]?.indexes.contains(part.name) == false
                default: true
                }
            }
    }
}

/// What plans have in a table.
private struct KnownTable {
    var columns: Set<String> = []
    var constraints: Set<String> = []
    var indexes: Set<String> = []

    mutating func add(_ entity: Entity, of plan: SQLPlan, in catalog: some SQLCatalog) throws {
        columns.formUnion(plan.neededColumns(of: entity, in: catalog).map { plan.sql.nameKey($0.0) })
        constraints.formUnion(try plan.definitions(of: entity).keys)
        indexes.formUnion(try plan.sql.indexes(of: entity).map { SQLMade(index: $0).name })
    }
}

extension SQLPart {
    /// The part, as people are told of it.
    func unknown(obstacle: String? = nil) -> UnknownPart {
        UnknownPart(table: table, kind: kind, name: name, obstacle: obstacle)
    }
}

extension SQLGenerator {
    /// A name as the database compares it: SQLite does so regardless of the case of ASCII letters.
    func nameKey(_ name: String) -> String { dialect.altersTables ? name : name.lowercased() }

    /// The names of the tables and indexes of the schema's entities.
    func names() throws -> Set<String> {
        Set(
            try schema.entities.flatMap { entity in
                [entity.table] + (try indexes(of: entity).map { SQLMade(index: $0).name })
            })
    }
}
