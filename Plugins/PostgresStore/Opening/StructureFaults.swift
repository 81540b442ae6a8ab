internal import SwitchyardCore
internal import SwitchyardSQL

/// Compares the database's tables with those that a schema needs.
struct StructureFaults {
    let schema: Schema

    /// What is wrong with tables and columns, one phrase each.
    func ofColumns(_ catalog: Catalog) throws -> [String] {
        let found = try catalog.columns()
        var faults: [String] = []
        for entity in schema.entities {
            guard let columns = found[entity.table] else {
                faults.append("the table \(entity.table) is missing")
                continue
            }
            for (name, expected) in entity.expectedColumns {
                if let column = columns[name] {
                    if column != expected {
                        faults.append("the column \(entity.table).\(name) is not as it was made")
                    }
                } else {
                    faults.append("the column \(entity.table).\(name) is missing")
                }
            }
        }
        if found[SQLGenerator.operationTable] == nil {
            faults.append("the table \(SQLGenerator.operationTable) is missing")
        }
        return faults
    }

    /// What is wrong with keys, checks and indexes, one phrase each.
    func ofConstraints(_ catalog: Catalog) throws -> [String] {
        let constraints = try catalog.constraints()
        let indexes = try catalog.indexes()
        var faults: [String] = []
        for entity in schema.entities {
            for name in entity.expectedConstraints where !constraints.contains(name) {
                faults.append("the constraint \(name) is missing or was never checked")
            }
            for constraint in entity.uniqueConstraints where indexes[constraint.name(in: entity)] != true {
                faults.append("the unique index \(constraint.name(in: entity)) is missing or incomplete")
            }
            for name in entity.indexes.flatMap({ $0.names(in: entity) }) where indexes[name] == nil {
                faults.append("the index \(name) is missing or incomplete")
            }
        }
        return faults
    }
}

extension Index {
    /// The names of all that is made for the index.
    fileprivate func names(in entity: Entity) -> [String] {
        [name(in: entity)] + (hasFoldedCopies(in: entity) ? [foldedName(in: entity)] : [])
    }
}

extension Entity {
    fileprivate var expectedColumns: [(String, Catalog.Column)] {
        attributes.flatMap { attribute in
            let isText = attribute.type == .text || attribute.type == .json
            let column = Catalog.Column(
                type: Int64(WireType(attribute.type).oid), isRequired: !attribute.isOptional,
                collation: isText ? "C" : nil)
            return [(attribute.column, column)]
                + (attribute.isSearchable ? [(attribute.searchColumn, column)] : [])
        }
    }

    fileprivate var expectedConstraints: [String] {
        var names = [ConstraintName.primaryKey(of: self)]
        for attribute in attributes {
            if attribute.reference != nil { names.append(ConstraintName.reference(attribute, of: self)) }
            if attribute.cases?.isEmpty == false || attribute.domain != nil
                || SQLDialect.postgres.columnChecks[attribute.type] != nil
            {
                names.append(ConstraintName.check(attribute, of: self))
            }
        }
        return names
    }
}
