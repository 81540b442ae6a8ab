public import SwitchyardCore

/// The statement that inserts a number of rows, to be bound again for the next ones.
public struct SQLInsert: Sendable, Hashable {
    /// The text.
    public let text: String
    /// The types of the row's cells: the scope if the tables have one, the attributes in order, then the folded
    /// copies of the searchable ones.
    public let types: [AttributeType]
}

extension SQLGenerator {
    /// The statement that inserts rows of an entity, one unless told otherwise.
    ///
    /// - Parameters:
    ///   - entity: The entity's name.
    ///   - conflict: What to do about a row that is there already.
    ///   - rows: The number of rows.
    ///   - givesRows: Whether the statement gives back the whole rows that it inserts or updates, their
    ///     attributes in order.
    /// - Returns: The statement.
    /// - Throws: `unsupported` if the conflict's key is not one of the entity's.
    public func insert(
        into entity: String, onConflict conflict: ConflictResolution, rows: Int = 1, givesRows: Bool = false
    ) throws -> SQLInsert {
        let layout = try layout(entity)
        let types = insertTypes(of: layout)
        var writer = SQLWriter(self)
        writer.write("INSERT INTO \(layout.table) (\(key(insertColumns(of: layout)))) VALUES ")
        writer.list(0..<rows) { writer, row in
            writer.write("(")
            writer.list(1...types.count) { writer, column in
                writer.writePlaceholder(row * types.count + column)
            }
            writer.write(")")
        }
        try writer.conflict(conflict, in: layout)
        if givesRows { writer.returning(layout.entity.attributes) }
        return SQLInsert(text: writer.text, types: types)
    }

    /// The PostgreSQL statement that inserts any number of rows, whose placeholders take an array for each
    /// column: the values of all rows in it.
    ///
    /// The parameters are those of `insert(into:onConflict:rows:givesRows:)`.
    ///
    /// - Throws: `unsupported` if the conflict's key is not one of the entity's.
    public func insertArrays(
        into entity: String, onConflict conflict: ConflictResolution, givesRows: Bool
    ) throws -> SQLInsert {
        let layout = try layout(entity)
        let types = insertTypes(of: layout)
        let list = key(insertColumns(of: layout))
        var writer = SQLWriter(self)
        writer.write("INSERT INTO \(layout.table) (\(list)) SELECT \(list) FROM unnest(")
        writer.list(1...types.count) { writer, column in writer.writePlaceholder(column) }
        writer.write(") AS \(SQLDialect.quoted("switchyard_rows")) (\(list))")
        try writer.conflict(conflict, in: layout)
        if givesRows { writer.returning(layout.entity.attributes) }
        return SQLInsert(text: writer.text, types: types)
    }

    /// The PostgreSQL statement that takes rows in bulk.
    ///
    /// The columns are those of `insert(into:onConflict:)`, the scope first if there is one.
    ///
    /// - Throws: `schemaMismatch` if the schema does not hold the entity.
    public func copyIn(_ entity: String) throws -> String {
        let layout = try layout(entity)
        return "COPY \(layout.table) (\(key(insertColumns(of: layout)))) FROM STDIN (FORMAT binary)"
    }

    /// The quoted columns of a whole row as it is inserted, without the scope: attributes, folded copies.
    private func insertColumns(of layout: TableLayout) -> [String] {
        let attributes = layout.entity.attributes
        return attributes.compactMap { layout.columns[$0.name]?.name }
            + attributes.compactMap { layout.columns[$0.name]?.searchName }
    }

    /// The types of the columns of a whole row as it is inserted, the scope first if there is one.
    private func insertTypes(of layout: TableLayout) -> [AttributeType] {
        let attributes = (isScoped ? [StoreScope.attribute] : []) + layout.entity.attributes
        return attributes.map(\.type) + attributes.filter(\.isSearchable).map { _ in .text }
    }
}

extension SQLWriter {
    /// Writes what gives back attributes of the rows.
    mutating func returning(_ attributes: [Attribute]) {
        write(" RETURNING ")
        list(attributes) { writer, attribute in
            let column = SQLDialect.quoted(attribute.column)
            writer.write((writer.dialect.returning[attribute.type] ?? "$").filled(with: column))
        }
    }

    fileprivate mutating func conflict(_ conflict: ConflictResolution, in layout: TableLayout) throws {
        switch conflict {
        case .fail: return
        case .ignore(let key):
            try onConflict(key, in: layout) { $0.write("DO NOTHING") }
        case .update(let key, let attributes):
            // With nothing to set the key is set to itself, so that the row counts as updated everywhere.
            let columns = try (attributes.isEmpty ? Array(key.prefix(1)) : attributes).map(layout.column)
            let names = columns.flatMap { [$0.name] + ($0.searchName.map { [$0] } ?? []) }
            try onConflict(key, in: layout) { writer in
                writer.write("DO UPDATE SET ")
                writer.list(names) { writer, name in writer.write("\(name) = excluded.\(name)") }
            }
        }
    }

    /// Writes what to do about a conflict for each index in which the key can meet one.
    private mutating func onConflict(
        _ key: [String], in layout: TableLayout, _ resolution: (inout SQLWriter) -> Void
    ) throws {
        let constraint = layout.entity.uniqueConstraints.first {
            Set($0.attributes) == Set(key) && $0.filter == nil
        }
        let columns = try (constraint?.attributes ?? key).map { try layout.column($0).name }
        write(" ON CONFLICT (\(generator.key(columns))) ")
        resolution(&self)
        guard let rows = try constraint.flatMap({ try generator.nilRows(of: $0, in: layout) }) else { return }
        write(" ON CONFLICT (\(generator.key(rows.columns))) WHERE ")
        try condition(rows.condition, negated: false, in: SQLSource(layout))
        write(" ")
        resolution(&self)
    }
}
