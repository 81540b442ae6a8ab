public import SwitchyardCore

extension SQLTransaction where Connection.TableCatalog: ForeignCatalog {
    /// The most faults of rows that are told of a database that is to be adopted.
    private static var mostFaults: Int { 100 }

    /// Compares tables that no store has made with the schemas of several plans.
    ///
    /// - Parameters:
    ///   - connection: A connection in a transaction.
    ///   - plans: The plans; the first that fits is the one to adopt.
    /// - Returns: What was found, and the transaction of that plan, or of the one that the tables are nearest to.
    /// - Throws: `invalidArgument` for a store and for no plan; what reading throws.
    public static func comparing(
        _ connection: Connection, with plans: [SQLPlan]
    ) throws -> (transaction: SQLTransaction, found: InPlaceAdoption) {
        guard try connection.catalog().find(SQLMade(table: SQLGenerator.markerTable)) == .missing else {
            throw StoreError(
                .invalidArgument,
                "The database holds a store of Switchyard already. Open it; nothing was changed.")
        }
        var nearest: (SQLTransaction, InPlaceAdoption)?
        for plan in plans {
            let transaction = SQLTransaction(connection, plan: plan)
            let found = try transaction.comparison()
            if found.isPossible { return (transaction, found) }
            if nearest.map({ found.distance < $0.1.distance }) ?? true { nearest = (transaction, found) }
        }
        guard let nearest else {
            throw StoreError(.invalidArgument, "There is no version to adopt the database as. Give one.")
        }
        return nearest
    }

    private func comparison() throws -> InPlaceAdoption {
        let catalog = try connection.catalog()
        let entities = Set(plan.schema.entities.map(\.table))
        var (differences, additions) = (try plan.differences(in: catalog), [String]())
        var rows: [String: Int] = [:]
        if differences.isEmpty {
            differences = try faultsOfRows()
            additions = try plan.missingConstraints(in: catalog)
                .filter { !$0.tables.isDisjoint(with: entities) }.map(\.name)
            for entity in plan.schema.entities {
                rows[entity.name] = try count(of: entity, where: .constant(true))
            }
        }
        return InPlaceAdoption(
            version: plan.schema.version, differences: differences,
            additions: additions,
            otherTables: try catalog.relations().filter { !entities.contains($0) }.sorted(), rows: rows)
    }

    /// The damage that the database itself finds, the rows that no store would take, and the references that lead nowhere.
    private func faultsOfRows() throws -> [String] {
        var faults = try connection.integrityFaults()
        faults += try ReadTransaction.run(schema: plan.schema, driver: self) {
            try $0.rowFaults(limit: Self.mostFaults)
        }
        for entity in plan.schema.entities {
            for attribute in entity.attributes where attribute.reference != nil {
                let count = try danglingReferences(attribute, of: entity, limit: Self.mostFaults)
                guard count > 0 else { continue }
                faults.append(
                    "\(count == Self.mostFaults ? "\(count) rows or more" : "\(count) rows") of \(entity.name) refer by "
                        + "\(attribute.name) to rows that are not there")
            }
        }
        return faults
    }

    /// Adds to the tables what makes them a store.
    ///
    /// - Parameter marker: The marker of the new store.
    /// - Throws: `unique` if rows with the same values stand against an index; what writing throws.
    public func becomeStore(_ marker: StoreMarker) throws {
        let missing = try plan.missingConstraints(in: try connection.catalog())
        let history = plan.schema.tables.dropFirst(plan.schema.entities.count)
        let statements =
            try history.map { try plan.sql.createTable($0.name) } + missing.map(\.add)
            + plan.sql.createBookkeeping()
        for text in statements { _ = try connection.run(SQLStatement(text: text)) }
        _ = try connection.run(try plan.sql.insertMarker(marker))
        let catalog = try connection.catalog()
        let faults = try plan.columnFaults(in: catalog) + plan.constraintFaults(in: catalog)
        guard faults.isEmpty else {
            throw StoreError(
                .backend,
                "The tables did not become those of a store: \(faults.joined(separator: "; ")). Nothing was changed."
            )
        }
    }
}

extension InPlaceAdoption {
    /// How far the tables are from a version: farther if they differ than if only their rows have faults.
    fileprivate var distance: (Int, Int) { (rows.isEmpty ? 1 : 0, differences.count) }
}
