public import SwitchyardCore

/// A query in the SQL of one database, with its values as parameters.
///
/// What is interpolated never becomes part of the text: a value becomes a parameter, and a model, its columns or a key path the
/// quoted names of the store's own tables.
///
/// ```swift
/// let query: SQLQuery = "SELECT \(columns: Film.self) FROM \(Film.self) WHERE \(\Film.year) > \(1965)"
/// ```
public struct SQLQuery: Sendable, ExpressibleByStringInterpolation {
    private let parts: [Part]

    /// Creates a query without parameters.
    public init(stringLiteral text: String) { parts = [.text(text)] }

    /// Creates a query with parameters.
    public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

    fileprivate enum Part: Sendable {
        case text(String)
        case value(Result<StoredValue, StoreError>, AttributeType)
        case table(String)
        case columns(String, alias: String?)
        case column(Result<String, StoreError>, of: String)
    }

    /// The parts of a query.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var parts: [Part] = []

        /// Creates a query without parts.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Adds text.
        public mutating func appendLiteral(_ text: String) { parts.append(.text(text)) }

        /// Adds a parameter.
        public mutating func appendInterpolation<Value: AttributeValue>(_ value: Value) {
            parts.append(.value(.of(value), Value.attributeType))
        }

        /// Adds the name of a model's table.
        public mutating func appendInterpolation<Element: Model>(_: Element.Type) {
            parts.append(.table(Element.entityName))
        }

        /// Adds the names of all columns of a model's table, in the order in which a model is decoded.
        ///
        /// - Parameters:
        ///   - model: The model.
        ///   - alias: The name that the table has in the query, if it has another one.
        public mutating func appendInterpolation<Element: Model>(
            columns model: Element.Type, of alias: String? = nil
        ) {
            parts.append(.columns(Element.entityName, alias: alias))
        }

        /// Adds the name of an attribute's column.
        public mutating func appendInterpolation<Element: Model, Value>(_ keyPath: KeyPath<Element, Value>) {
            parts.append(.column(Element.attribute(at: keyPath), of: Element.entityName))
        }
    }

    /// The statement on the tables of a generator.
    ///
    /// - Throws: `unsupported` unless it begins with `SELECT`, `WITH` or `VALUES`; `schemaMismatch` for a model that the store
    ///   does not hold; `valueNotRepresentable`.
    func statement(for generator: SQLGenerator) throws -> SQLStatement {
        var writer = SQLWriter(generator)
        for part in parts {
            switch part {
            case .text(let text): writer.write(text)
            case .value(let value, let type): writer.placeholder(.value(try value.get(), type))
            case .table(let entity): writer.write(try generator.layout(entity).table)
            case .columns(let entity, let alias):
                let layout = try generator.layout(entity)
                let prefix = alias.map { SQLDialect.quoted($0) + "." } ?? ""
                writer.list(try layout.entity.attributes.map { try layout.column($0.name).name }) {
                    $0.write(prefix + $1)
                }
            case .column(let attribute, let entity):
                writer.write(try generator.layout(entity).column(try attribute.get()).name)
            }
        }
        let first = writer.text.drop { $0.isWhitespace }.prefix { $0.isLetter }.uppercased()
        guard ["SELECT", "WITH", "VALUES"].contains(first) else {
            throw StoreError(
                .unsupported, "A query begins with SELECT, WITH or VALUES; it cannot change the store.")
        }
        return writer.statement
    }
}

extension Result where Success == StoredValue, Failure == StoreError {
    fileprivate static func of(_ value: some AttributeValue) -> Self { StoredValue.of(value) }
}

extension SQLTransaction {
    /// Runs a query in the database's own SQL, which cannot change anything.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - columns: The number of its columns.
    ///   - context: The entity and the names of the columns, for errors about a row.
    ///   - body: Receives each row.
    /// - Throws: `unsupported` for a statement that is no query, for one with another number of columns, and in a store with
    ///   scopes, whose rows it would mix.
    func select(
        _ query: SQLQuery, columns: Int, context: ErrorContext, _ body: (inout RowReader) throws -> Void
    ) throws {
        guard !plan.sql.isScoped else {
            throw StoreError(
                .unsupported,
                "A store with scopes takes no SQL of its own, which would see the rows of every scope.")
        }
        let statement = try query.statement(for: sql)
        try telling(statement.text).queryWithoutChanges(statement, columns: columns, context: context, body)
    }
}
