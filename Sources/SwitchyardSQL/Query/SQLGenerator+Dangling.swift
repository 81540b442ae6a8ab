public import SwitchyardCore

extension SQLGenerator {
    /// Returns the statement that selects the ids of rows with a dangling reference, in the order of the ids.
    ///
    /// Foreign keys prevent such rows. Only a tool that turned foreign keys off can create them or, in tables
    /// with scopes, which have no foreign keys, one that bypassed the store.
    ///
    /// - Throws: `schemaMismatch` if the schema lacks the entity or the referenced one.
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
