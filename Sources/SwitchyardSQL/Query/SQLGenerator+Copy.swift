internal import SwitchyardCore

extension SQLGenerator {
    /// The PostgreSQL statement that takes rows in bulk.
    ///
    /// The columns are those of `insert(into:onConflict:)`, the scope first if there is one.
    ///
    /// - Throws: `schemaMismatch` if the schema does not hold the entity.
    public func copyIn(_ entity: String) throws -> String {
        let layout = try layout(entity)
        return "COPY \(layout.table) (\(insertColumns(of: layout))) FROM STDIN (FORMAT binary)"
    }

    /// The PostgreSQL statement that gives all rows of an entity in bulk, whole and in the order of their
    /// ids.
    ///
    /// - Throws: `schemaMismatch` if the schema does not hold the entity.
    public func copyOut(_ entity: String) throws -> String {
        let layout = try layout(entity)
        // COPY takes no parameters, so the scope is the one value outside DDL that is written out.
        let confined = scope.map {
            " WHERE \(SQLDialect.quoted($0.column)) = \(dialect.literal($0.value, $0.type))"
        }
        return "COPY (SELECT \(layout.columnList) FROM \(layout.table)\(confined ?? "") "
            + "ORDER BY \(try layout.column("id").name)) TO STDOUT (FORMAT binary)"
    }
}
