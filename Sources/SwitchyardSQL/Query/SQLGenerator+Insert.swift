public import SwitchyardCore

/// The statement that inserts a number of rows, to be bound again for the next ones.
public struct SQLInsert: Sendable, Hashable {
    /// The text.
    public let text: String
    /// What each row's first placeholder takes, if the tables have a scope; the row's cells follow.
    public let scope: SQLParameter?
    /// The types of the row's cells: the attributes in order, then the folded copies of the searchable ones.
    public let types: [AttributeType]
}

extension SQLGenerator {
    /// The statement that inserts rows of an entity, one unless told otherwise.
    ///
    /// - Throws: `unsupported` if the conflict's key is not one of the entity's.
    public func insert(
        into entity: String, onConflict conflict: ConflictResolution, rows: Int = 1
    ) throws -> SQLInsert {
        let layout = try layout(entity)
        let searchable = layout.entity.attributes.filter(\.isSearchable)
        let types = layout.entity.attributes.map(\.type) + searchable.map { _ in .text }
        var writer = SQLWriter(self)
        let columns = types.count + (scope == nil ? 0 : 1)
        writer.write("INSERT INTO \(layout.table) (\(insertColumns(of: layout))) VALUES ")
        writer.list(0..<rows) { writer, row in
            writer.write("(")
            writer.list(1...columns) { writer, column in writer.writePlaceholder(row * columns + column) }
            writer.write(")")
        }
        try writer.conflict(conflict, in: layout)
        return SQLInsert(text: writer.text, scope: scope?.parameter, types: types)
    }

    /// The PostgreSQL statement that takes rows in bulk.
    ///
    /// The columns are those of `insert(into:onConflict:)`, the scope first if there is one.
    ///
    /// - Throws: `schemaMismatch` if the schema does not hold the entity.
    public func copyIn(_ entity: String) throws -> String {
        let layout = try layout(entity)
        return "COPY \(layout.table) (\(insertColumns(of: layout))) FROM STDIN (FORMAT binary)"
    }

    /// The quoted columns of a whole row as it is inserted: scope, attributes, folded copies.
    private func insertColumns(of layout: TableLayout) -> String {
        let folded = layout.entity.attributes.compactMap { layout.columns[$0.name]?.searchName }
        return key([layout.columnList] + folded)
    }
}

extension SQLWriter {
    fileprivate mutating func conflict(_ conflict: ConflictResolution, in layout: TableLayout) throws {
        switch conflict {
        case .fail: return
        case .ignore(let key):
            try conflictTarget(key, in: layout)
            write(" DO NOTHING")
        case .update(let key, let attributes):
            try conflictTarget(key, in: layout)
            write(" DO UPDATE SET ")
            // With nothing to set the key is set to itself, so that the row counts as updated everywhere.
            let columns = try (attributes.isEmpty ? Array(key.prefix(1)) : attributes).map(layout.column)
            list(columns.flatMap { [$0.name] + ($0.searchName.map { [$0] } ?? []) }) { writer, name in
                writer.write("\(name) = excluded.\(name)")
            }
        }
    }

    private mutating func conflictTarget(_ key: [String], in layout: TableLayout) throws {
        let constraint = layout.entity.uniqueConstraints.first {
            Set($0.attributes) == Set(key) && $0.filter == nil
        }
        let columns =
            if let constraint {
                try generator.uniqueColumns(constraint, in: layout)
            } else {
                try key.map { try layout.column($0).name }
            }
        write(" ON CONFLICT (\(generator.key(columns)))")
    }
}
