public import SwitchyardCore

/// Generates the SQL of a schema in one dialect: DDL, and the statements behind a transaction driver's operations.
///
/// It does not depend on a driver. Values are always bound (except constants in DDL, which takes no parameters), so
/// nothing can be injected, and the same SQL can be prepared once and reused.
public struct SQLGenerator: Sendable {
    /// The dialect to print.
    let dialect: SQLDialect
    /// The schema whose entities are the tables.
    public let schema: Schema
    /// The database's own schema in which all tables live; nil where the dialect or the connection decides.
    public let namespace: String?
    /// Whether every table has the scope of its rows as its first column.
    ///
    /// Many households can share one database this way: the scope stands first in every key and index, so that the
    /// database can be distributed and fenced by it, and no statement sees rows of another scope.
    public let isScoped: Bool
    /// The directory of the store's file, which the marker leaves out of its places; nil if the store is not
    /// a file.
    let directory: PlaceDirectory?
    /// Whether Citus spreads the tables over several machines by the scope of their rows.
    public let isDistributed: Bool
    /// The scopes that the statements are confined to, ascending.
    let scopes: [StoreScope]
    private let layouts: [String: TableLayout]

    /// Creates a generator and the table layouts of a schema.
    ///
    /// Those that are divided into scopes can be made; what asks for their rows is printed by a generator that is
    /// `confined(to:)` some.
    ///
    /// - Parameters:
    ///   - dialect: The dialect to print.
    ///   - schema: The schema whose entities are the tables.
    ///   - namespace: The database's own schema; nil where the dialect or the connection decides.
    ///   - isScoped: Whether every table has the scope of its rows as its first column.
    ///   - isDistributed: Whether Citus spreads the tables by that column, which only tables with scopes allow.
    public init(
        dialect: SQLDialect, schema: Schema, namespace: String? = nil, isScoped: Bool = false,
        isDistributed: Bool = false
    ) {
        self.init(
            dialect: dialect, schema: schema, namespace: namespace, isScoped: isScoped,
            isDistributed: isDistributed, directory: nil)
    }

    /// The same, of a store in a file.
    package init(
        dialect: SQLDialect, schema: Schema, namespace: String? = nil, isScoped: Bool = false,
        isDistributed: Bool = false, directory: PlaceDirectory?
    ) {
        self.dialect = dialect
        self.directory = directory
        self.schema = schema
        self.namespace = namespace
        self.isScoped = isScoped
        self.isDistributed = isDistributed
        scopes = []
        layouts = Dictionary(
            uniqueKeysWithValues: schema.tables.map {
                ($0.name, TableLayout($0, namespace: namespace, isScoped: isScoped))
            })
    }

    private init(_ other: SQLGenerator, scopes: [StoreScope], isDistributed: Bool) {
        dialect = other.dialect
        schema = other.schema
        namespace = other.namespace
        isScoped = other.isScoped
        directory = other.directory
        self.isDistributed = isDistributed
        layouts = other.layouts
        self.scopes = scopes
    }

    /// The generator whose statements see rows of some scopes only.
    ///
    /// Scopes are bound like any value, so that one prepared statement serves all.
    public func confined(to scopes: [StoreScope]) -> SQLGenerator {
        SQLGenerator(self, scopes: scopes, isDistributed: isDistributed)
    }

    /// The generator of the same tables as Citus keeps them, or as one server does.
    public func distributed(_ isDistributed: Bool) -> SQLGenerator {
        SQLGenerator(self, scopes: scopes, isDistributed: isDistributed)
    }

    /// The generator of another schema in the same database.
    func printing(_ schema: Schema) -> SQLGenerator {
        SQLGenerator(
            dialect: dialect, schema: schema, namespace: namespace, isScoped: isScoped,
            isDistributed: isDistributed, directory: directory)
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

    /// The quoted column of the scope.
    static let scopeColumn = SQLDialect.quoted(StoreScope.attribute.column)

    /// The quoted columns of a key with the scope before them.
    func key(_ columns: [String]) -> String {
        ((isScoped ? [Self.scopeColumn] : []) + columns).joined(separator: ", ")
    }
}
