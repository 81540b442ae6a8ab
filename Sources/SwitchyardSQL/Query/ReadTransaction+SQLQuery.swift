package import SwitchyardCore

extension ReadTransaction {
    /// Fetches models by a query in the SQL of one database.
    ///
    /// - Parameters:
    ///   - query: A query that selects the model's columns.
    ///   - connection: The connection of the database's driver.
    ///   - model: The model.
    /// - Returns: A model for each row, in the query's order.
    /// - Throws: As ``SQLTransaction``'s `select`; `unsupported` if the store is on another database.
    package func fetch<Connection: SQLConnection, Element: Model>(
        _ query: SQLQuery, on connection: Connection.Type, as model: Element.Type
    ) throws -> [Element] {
        try perform {
            let entity = try entity(model)
            var rows: [Element] = []
            try transaction(on: connection).select(
                query, columns: entity.attributes.count, context: entity.errorContext
            ) { rows.append(try Element(from: &$0)) }
            return rows
        }
    }

    /// Fetches rows of values by a query in the SQL of one database.
    ///
    /// - Parameters:
    ///   - query: A query that selects as many columns as there are types.
    ///   - connection: The connection of the database's driver.
    ///   - first: The type of the first column.
    ///   - rest: The types of the others, in their order.
    /// - Returns: A tuple for each row, in the query's order.
    /// - Throws: As for models.
    package func fetch<Connection: SQLConnection, First: AttributeValue, each Rest: AttributeValue>(
        _ query: SQLQuery, on connection: Connection.Type, as first: First.Type,
        _ rest: repeat (each Rest).Type
    ) throws -> [(First, repeat each Rest)] {
        try perform {
            var names = ["1"]
            for _ in repeat each rest { names.append(String(names.count + 1)) }
            var rows: [(First, repeat each Rest)] = []
            try transaction(on: connection).select(
                query, columns: names.count, context: ErrorContext(entity: "query", attributes: names)
            ) { row in
                let first = try First(from: &row)
                rows.append((first, repeat try (each Rest)(from: &row)))
            }
            return rows
        }
    }

    private func transaction<Connection: SQLConnection>(
        on connection: Connection.Type
    ) throws -> SQLTransaction<Connection> {
        guard let transaction = driver.capability(SQLTransaction<Connection>.self) else {
            throw StoreError(.unsupported, "The query is in the SQL of another database than the store's.")
        }
        return transaction
    }
}
