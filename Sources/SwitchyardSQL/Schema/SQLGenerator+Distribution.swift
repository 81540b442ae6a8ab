internal import SwitchyardCore

/// The tables of a store with scopes on a Citus cluster.
///
/// Each is distributed by the scope, and all of them alike, so that the rows of a scope are on one machine. The marker is
/// on every machine. Citus carries later changes of the tables to all machines. It refuses to rename a constraint, and to
/// add one in a statement that does anything else (docs.citusdata.com, "Altering distributed tables"), so
/// `change(_:from:)` does neither in any database.
extension SQLGenerator {
    /// The names of all tables of a store, unquoted.
    public var storeTables: [String] {
        [Self.markerTable] + (dialect.queuesWriters ? [Self.queueTable] : []) + writtenTables
    }

    /// Returns the statements that distribute tables of a store, with or without rows.
    ///
    /// The table of operations comes first, because all others except the marker's are colocated with it.
    ///
    /// - Parameter tables: The names of the tables, unquoted.
    /// - Returns: One statement for each.
    public func distribute(_ tables: [String]) -> [String] {
        let (first, others) = (
            tables.filter { $0 == Self.operationTable }, tables.filter { $0 != Self.operationTable }
        )
        return (first + others).map { table in
            guard table != Self.markerTable else {
                return "SELECT create_reference_table(\(relation(table)))"
            }
            let companion = table == Self.operationTable ? "'none'" : relation(Self.operationTable)
            return "SELECT create_distributed_table(\(relation(table)), '\(StoreScope.attribute.column)', "
                + "colocate_with => \(companion))"
        }
    }

    /// Returns the statement of `selectScopes(after:limit:)` for Citus, which refuses a recursion over all scopes.
    ///
    /// Every machine finds the scopes of its rows by reading all of them.
    ///
    /// - Throws: `schemaMismatch` for a table that is not in the schema.
    func selectDistributedScopes(after last: StoreScope?, limit: Int) throws -> SQLStatement {
        let (scope, history) = (Self.scopeColumn, try layout(HistoryAddition.entity.name).table)
        var writer = SQLWriter(self)
        writer.write("SELECT \"held\".\"scope\", \"ends\".\"id\" FROM (")
        writer.list(writtenTables, separator: " UNION ") { writer, table in
            writer.write("SELECT \(scope) AS \"scope\" FROM \(qualified(table))")
            guard let last else { return }
            writer.write(" WHERE \(scope) > ")
            writer.placeholder(.value(.uuid(last.uuid), .uuid))
        }
        writer.write(
            ") AS \"held\" LEFT JOIN (SELECT \(scope) AS \"scope\", MAX(\"id\") AS \"id\" FROM \(history) "
                + "GROUP BY \(scope)) AS \"ends\" ON \"ends\".\"scope\" = \"held\".\"scope\" "
                + "ORDER BY \"held\".\"scope\" LIMIT \(limit)")
        return writer.statement
    }

    /// The name of a table as a text.
    private func relation(_ table: String) -> String {
        "'" + qualified(table).replacingBytes(of: "'", with: "''") + "'"
    }
}
