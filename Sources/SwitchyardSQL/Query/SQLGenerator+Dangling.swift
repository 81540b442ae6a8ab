public import SwitchyardCore

extension SQLGenerator {
    /// The statement that gives the ids of rows whose reference points at no row, in the order of the ids.
    ///
    /// Foreign keys let no such row in; it takes a tool that turned them off, or, where rows have scopes and the tables
    /// no foreign keys, one that wrote past the store.
    ///
    /// - Throws: `schemaMismatch` if the schema does not hold the entity or the one that is referred to.
    public func danglingReferences(
        _ attribute: Attribute, of entity: Entity, limit: Int
    ) throws -> SQLStatement {
        let source = SQLSource(try layout(entity.name))
        let target = SQLSource(try layout(attribute.reference ?? entity.name), inside: source)
        let reference = try source.layout.column(attribute.name).name
        var writer = SQLWriter(self)
        let id = try source.layout.column("id").name
        writer.write("SELECT \(id) FROM \(source.layout.table) WHERE ")
        writer.scopeAnd(of: source)
        writer.write("\(reference) IS NOT NULL AND NOT EXISTS ")
        writer.write("(SELECT 1 FROM \(target.layout.table) AS \(target.alias ?? "") WHERE ")
        writer.scopeAnd(of: target, inside: source)
        writer.write(
            "\(target.column(try target.layout.column("id").name)) = \(source.outerColumn(reference)))")
        writer.write(" ORDER BY \(id) LIMIT \(limit)")
        return writer.statement
    }
}
