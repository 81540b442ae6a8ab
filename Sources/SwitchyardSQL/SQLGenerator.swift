public import SwitchyardCore

/// Prints the SQL of a schema in one dialect: DDL, and the statements behind a transaction driver's
/// operations.
///
/// It knows no driver. Values never become part of a text (except constants in DDL, which takes no
/// parameters), so there is nothing to inject into, and texts repeat from one call to the next.
public struct SQLGenerator: Sendable {
    /// The dialect to print.
    let dialect: SQLDialect
    /// The schema whose entities are the tables.
    public let schema: Schema
    /// The database's own schema in which all tables live; nil where the dialect or the connection decides.
    public let namespace: String?
    /// The scope that every table is divided by; nil for none.
    let scope: SQLScope?
    private let layouts: [String: TableLayout]

    /// Works out the tables of a schema.
    public init(dialect: SQLDialect, schema: Schema, namespace: String? = nil, scope: SQLScope? = nil) {
        self.dialect = dialect
        self.schema = schema
        self.namespace = namespace
        self.scope = scope
        layouts = Dictionary(
            uniqueKeysWithValues: schema.entities.map { ($0.name, TableLayout($0, namespace: namespace)) })
    }

    /// The generator of another schema in the same database.
    func printing(_ schema: Schema) -> SQLGenerator {
        SQLGenerator(dialect: dialect, schema: schema, namespace: namespace, scope: scope)
    }

    /// The table of an entity.
    ///
    /// - Throws: `schemaMismatch` if the schema does not hold it.
    func layout(_ entity: String) throws -> TableLayout {
        guard let layout = layouts[entity] else { throw schema.unknownEntity(entity) }
        return layout
    }

    /// A quoted name with the namespace before it.
    func qualified(_ name: String) -> String { SQLDialect.quoted(name, in: namespace) }

    /// The quoted columns of a key with the scope before them.
    func key(_ columns: [String]) -> String {
        ((scope.map { [SQLDialect.quoted($0.column)] } ?? []) + columns).joined(separator: ", ")
    }
}
