internal import SwitchyardCore

/// Limits for each value of an attribute, by a sub-query that reads no more rows than are asked for where an index has them
/// in order. A window function would read and number all rows of the values.
extension SQLGenerator {
    func select(_ selection: Selection, of partition: Selection.Partition) throws -> SQLStatement {
        let layout = try layout(selection.entity.name)
        let column = try layout.column(partition.attribute)
        var writer = SQLWriter(self)
        let key = "\(Self.keys).\"value\""
        switch dialect.membership {
        case .anyArray:
            let columns = selection.columns.indices.map { "\"switchyard_column_\($0)\"" }
            writer.write("SELECT \(columns.joined(separator: ", ")) FROM unnest(")
            writer.placeholder(.list(partition.values, column.attribute.type))
            writer.write(") AS \(Self.keys) (\"value\") CROSS JOIN LATERAL (SELECT ")
            let source = SQLSource(layout)
            try writer.list(selection.columns.indices) { writer, index in
                try writer.selected(selection.columns[index], in: source)
                writer.write(" AS \(columns[index])")
            }
            var isNullable: [Bool] = []
            for (index, sortKey) in selection.usefulOrder.enumerated() {
                writer.write(", ")
                isNullable.append(try writer.value(of: sortKey, in: source))
                writer.write(" AS \"switchyard_order_\(index)\"")
            }
            writer.write(" FROM \(layout.table)")
            try writer.rows(of: selection, whose: source.column(column.name), is: key, in: source)
            writer.write(") AS \"switchyard_rows\"")
            guard !isNullable.isEmpty else { return writer.statement }
            writer.write(" ORDER BY ")
            writer.list(selection.usefulOrder.indices) { writer, index in
                let sortKey = selection.usefulOrder[index]
                writer.write("\"switchyard_order_\(index)\"")
                if sortKey.direction == .descending { writer.write(" DESC") }
                if isNullable[index] { writer.nullOrder(sortKey.nils, sortKey.direction) }
            }
        case .tableFunction(let name):
            // A database without LATERAL: the ids of the rows are looked up for each value, and then the rows. The order of
            // the tables in a CROSS JOIN is the order in which SQLite reads them.
            let outer = SQLSource(layout, isQualified: true)
            let inner = SQLSource(layout, inside: outer)
            let id = try layout.column("id").name
            writer.write("SELECT ")
            try writer.list(selection.columns) { writer, column in try writer.selected(column, in: outer) }
            writer.write(" FROM \(SQLDialect.quoted(name))(")
            writer.placeholder(.list(partition.values, column.attribute.type))
            writer.write(") AS \(Self.keys) CROSS JOIN \(layout.table) WHERE ")
            writer.scopeAnd(of: outer)
            writer.write(
                "\(outer.column(id)) IN (SELECT \(inner.column(id)) FROM \(layout.table) AS \(inner.alias ?? "")"
            )
            try writer.rows(of: selection, whose: inner.column(column.name), is: key, in: inner)
            writer.write(")")
            try writer.order(selection.usefulOrder, in: outer)
        }
        return writer.statement
    }

    private static var keys: String { "\"switchyard_keys\"" }
}

extension SQLWriter {
    /// Writes which rows of a value a selection has, in what order and how many.
    fileprivate mutating func rows(
        of selection: Selection, whose column: String, is key: String, in source: SQLSource
    ) throws {
        try whereClause(selection.condition, and: "\(column) = \(key)", in: source)
        try order(selection.usefulOrder, in: source)
        window(limit: selection.limit, offset: selection.offset)
    }
}
