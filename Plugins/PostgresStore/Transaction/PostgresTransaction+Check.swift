internal import SwitchyardCore
internal import SwitchyardSQL

extension PostgresTransaction {
    /// How many faults of one entity are told; a damaged table could hold any number.
    private static var mostFaults: Int { 100 }

    /// What is wrong with the store, one sentence each.
    func faults() throws -> [String] {
        let catalog = Catalog(session, namespace: session.options.schema)
        let structure = StructureFaults(schema: plan.schema)
        let columns = try structure.ofColumns(catalog)
        var faults = (columns + (try structure.ofConstraints(catalog))).map { "PostgreSQL: \($0)." }
        // A table that is not whole cannot be asked for its rows.
        guard columns.isEmpty else { return faults }
        for entity in plan.schema.entities {
            faults += try undecodableRows(of: entity)
            for attribute in entity.attributes where attribute.reference != nil {
                faults += try danglingReferences(attribute, of: entity)
            }
        }
        return faults
    }

    private func undecodableRows(of entity: Entity) throws -> [String] {
        var faults: [String] = []
        try savepoint(1)
        do {
            try select(.rows(of: entity)) { row in
                do {
                    for attribute in entity.attributes { _ = try row.read(attribute.type) }
                } catch let error as StoreError {
                    faults.append(error.description)
                }
                return faults.count < Self.mostFaults
            }
            try release(savepoint: 1)
        } catch let error as StoreError where error.code == .corrupted {
            // A value that could not even be decoded; the rest of the rows cannot be read past it.
            try rollback(toSavepoint: 1)
            faults.append(error.description)
        }
        return faults
    }

    private func danglingReferences(_ attribute: Attribute, of entity: Entity) throws -> [String] {
        let statement = try plan.sql.danglingReferences(attribute, of: entity, limit: Self.mostFaults)
        return try (0..<session.execute(statement.text, Parameters(statement), isCached: false).rowCount).map
        { _ in
            "A row of \(entity.name) refers by \(attribute.name) to a row of \(attribute.reference ?? "?") that is not there."
        }
    }
}
