public import SwitchyardCore

/// A statement that inserts a fixed number of rows, to be bound again for further rows.
public struct SQLInsert: Sendable, Hashable {
    /// The text.
    public let text: String
    /// The types of the row's cells: the scope if the tables have one, the attributes in order, then the folded copies
    /// of searchable attributes.
    public let types: [AttributeType]
}

extension SQLGenerator {
    /// Returns the statement that inserts rows of an entity, by default one.
    ///
    /// - Parameters:
    ///   - entity: The entity's name.
    ///   - conflict: What to do about a row that already exists.
    ///   - rows: The number of rows.
    ///   - givesRows: Whether the statement returns the whole rows that it inserts or updates, with their attributes in
    ///     order.
    /// - Returns: The statement.
    /// - Throws: `unsupported` if the conflict's key is not a key of the entity.
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

    /// Returns the PostgreSQL statement that inserts any number of rows, and takes each column as an array: its values
    /// in all rows.
    ///
    /// The parameters are those of `insert(into:onConflict:rows:givesRows:)`.
    ///
    /// - Throws: `unsupported` if the conflict's key is not a key of the entity.
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
        // Citus counts the rows of the list unless it returns those that it has inserted.
        if !givesRows, isDistributed { writer.write(" RETURNING 1") }
        return SQLInsert(text: writer.text, types: types)
    }

    /// Returns the statement that inserts a row for each row of a selection.
    ///
    /// - Parameters:
    ///   - entity: The entity's name; it has no searchable attributes.
    ///   - values: The value of each attribute, in their order, calculated from a row of the selection.
    ///   - selection: The rows; its columns do not matter.
    /// - Returns: The statement.
    /// - Throws: `unsupported` or `schemaMismatch` if the selection names something that the schema lacks.
    public func insert(
        into entity: String, _ values: [Operand], from selection: Selection
    ) throws -> SQLStatement {
        let layout = try layout(entity)
        let source = SQLSource(try self.layout(selection.entity.name))
        var writer = SQLWriter(self)
        writer.write("INSERT INTO \(layout.table) (\(key(insertColumns(of: layout)))) SELECT ")
        if isScoped { writer.write("\(Self.scopeColumn), ") }
        try writer.list(Array(zip(layout.entity.attributes, values))) { writer, value in
            try writer.assigned(value.1, as: value.0.type, in: source)
        }
        writer.write(" FROM \(source.layout.table)")
        try writer.whereClause(selection.condition, in: source)
        try writer.order(selection.usefulOrder, in: source)
        writer.window(limit: selection.limit, offset: selection.offset)
        return writer.statement
    }

    /// Returns the PostgreSQL COPY statement that inserts rows in bulk.
    ///
    /// The columns are those of `insert(into:onConflict:)`, the scope first if there is one.
    ///
    /// - Throws: `schemaMismatch` if the schema lacks the entity.
    public func copyIn(_ entity: String) throws -> String {
        let layout = try layout(entity)
        return "COPY \(layout.table) (\(key(insertColumns(of: layout)))) FROM STDIN (FORMAT binary)"
    }

    /// The quoted columns of an inserted row, without the scope: attributes, folded copies.
    private func insertColumns(of layout: TableLayout) -> [String] {
        let attributes = layout.entity.attributes
        return attributes.compactMap { layout.columns[$0.name]?.name }
            + attributes.compactMap { layout.columns[$0.name]?.searchName }
    }

    /// The types of the columns of an inserted row, the scope first if there is one.
    private func insertTypes(of layout: TableLayout) -> [AttributeType] {
        let attributes = (isScoped ? [StoreScope.attribute] : []) + layout.entity.attributes
        return attributes.map(\.type) + attributes.filter(\.isSearchable).map { _ in .text }
    }
}

extension SQLWriter {
    /// Writes the RETURNING clause for attributes of the rows.
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
            // If there is nothing to set, the key is set to itself, so that the row counts as updated on every
            // database.
            let columns = try (attributes.isEmpty ? Array(key.prefix(1)) : attributes).map(layout.column)
            let names = columns.flatMap { [$0.name] + ($0.searchName.map { [$0] } ?? []) }
            try onConflict(key, in: layout) { writer in
                writer.write("DO UPDATE SET ")
                writer.list(names) { writer, name in writer.write("\(name) = excluded.\(name)") }
            }
        }
    }

    /// Writes an ON CONFLICT clause for each index on which the key can conflict.
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
